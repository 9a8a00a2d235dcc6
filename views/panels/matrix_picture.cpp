#include "views/panels/matrix_picture.h"

#include "views/heatmap/colour_bar.h"
#include "views/heatmap/heatmap_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace headloom {

MatrixPicture::MatrixPicture(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(&theme),
      title_(new QLabel),
      value_(new QLabel),
      note_(new QLabel),
      map_(new HeatmapView(theme)),
      scale_(new ColourBar(theme)) {
    title_->setProperty("role", "strong");
    for (QLabel* label : {value_, note_}) {
        label->setProperty("role", "small");
        label->setMinimumWidth(1);
    }
    value_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    map_->setRendererChoice(RendererChoice::raster);
    auto* head = new QHBoxLayout;
    head->addWidget(title_);
    head->addWidget(value_, 1);
    auto* foot = new QHBoxLayout;
    foot->addStretch(1);
    foot->addWidget(scale_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addLayout(head);
    all->addWidget(map_, 1);
    all->addLayout(foot);
    all->addWidget(note_);
    connect(map_, &HeatmapView::cellHovered, this, [this](int tile, int row, int column, float) {
        value_->setText(describeCell(map_->sheet(), {tile, row, column}));
    });
    connect(map_, &HeatmapView::cellLeft, value_, &QLabel::clear);
    connect(&theme, &Theme::changed, this, &MatrixPicture::restyle);
    restyle();
}

void MatrixPicture::show(const QString& title, const MatrixShown& matrix, const QString& hint) {
    title_->setText(title);
    value_->clear();
    map_->setAccessibleName(title);
    map_->setEmptyHint(hint);
    MapSheet sheet;
    sheet.isSigned = true;
    sheet.captions = CaptionPlacement::none;
    if (matrix.values) {
        sheet.tileRows = sheet.tileColumns = 1;
        sheet.queries = matrix.rows;
        sheet.keys = matrix.columns;
        sheet.matrixBlock = matrix.block;
        MapTile tile;
        tile.values = matrix.values;
        tile.rowStride = matrix.columns;
        sheet.tiles.push_back(std::move(tile));
    }
    note_->setText(matrix.block > 1
                       ? tr("Each cell: the largest of %1 × %1 numbers").arg(matrix.block)
                       : QString());
    note_->setVisible(matrix.block > 1);
    scale_->setVisible(matrix.values != nullptr);
    map_->setSheet(std::move(sheet));
    if (matrix.values) scale_->setMapping(map_->valueMapping(0));
}

void MatrixPicture::restyle() {
    layout()->setSpacing(theme_->pixels(4));
    map_->setMinimumHeight(theme_->pixels(150));
}

}  // namespace headloom
