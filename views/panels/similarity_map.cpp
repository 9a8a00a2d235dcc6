#include "views/panels/similarity_map.h"

#include "views/heatmap/colour_bar.h"
#include "views/heatmap/heatmap_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace headloom {

SimilarityMap::SimilarityMap(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(&theme),
      note_(new QLabel),
      map_(new HeatmapView(theme)),
      scale_(new ColourBar(theme)) {
    note_->setProperty("role", "small");
    note_->setMinimumWidth(1);
    map_->setRendererChoice(RendererChoice::raster);
    map_->setAccessibleName(tr("How alike the patterns are"));
    auto* foot = new QHBoxLayout;
    foot->addStretch(1);
    foot->addWidget(scale_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(note_);
    all->addWidget(map_, 1);
    all->addLayout(foot);
    connect(map_, &HeatmapView::cellHovered, this, [this](int, int row, int column, float) {
        note_->setText(shown_.cellText(row, column));
    });
    connect(map_, &HeatmapView::cellLeft, this, [this] { note_->setText(shown_.note); });
    connect(map_, &HeatmapView::cellClicked, this, [this](int, int row, int) {
        if (row < static_cast<int>(shown_.patterns.size()))
            emit patternChosen(shown_.layer, shown_.patterns[static_cast<std::size_t>(row)]);
    });
    connect(&theme, &Theme::changed, this, &SimilarityMap::restyle);
    restyle();
}

void SimilarityMap::show(SimilarityShown shown, Provenance provenance) {
    shown_ = std::move(shown);
    provenance_ = std::move(provenance);
    note_->setToolTip(shown_.note);
    map_->setEmptyHint(shown_.hint);
    map_->setSheet(sheet());
    const auto cursor = map_->sheet().cursor;  // a pair that is read stays so
    note_->setText(cursor ? shown_.cellText(cursor->query, cursor->key) : shown_.note);
    map_->setAccessibleDescription(shown_.sentence);
    scale_->setVisible(shown_.values != nullptr);
    if (shown_.values) scale_->setMapping(map_->valueMapping(0));
}

QString SimilarityMap::note() const {
    return note_->text();
}

Result<Exportable> SimilarityMap::exportable() const {
    if (shown_.values) return exportableOf(shown_, provenance_);
    return fail(Error::Kind::badInput, "similarity", "there are no patterns to compare",
                "open an example or a model first");
}

MapSheet SimilarityMap::sheet() const {
    MapSheet sheet;
    sheet.captions = CaptionPlacement::none;
    if (!shown_.values) return sheet;
    sheet.isSigned = shown_.isSigned;
    sheet.tileRows = sheet.tileColumns = 1;
    sheet.queries = sheet.keys = static_cast<int>(shown_.names.size());
    sheet.matrixBlock = 1;
    MapTile tile;
    tile.values = shown_.values;
    tile.rowStride = sheet.keys;
    sheet.tiles.push_back(std::move(tile));
    return sheet;
}

void SimilarityMap::restyle() {
    layout()->setSpacing(theme_->pixels(4));
    map_->setMinimumHeight(theme_->pixels(130));
}

}  // namespace headloom
