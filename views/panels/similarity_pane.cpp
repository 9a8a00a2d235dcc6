#include "views/panels/similarity_pane.h"

#include "views/heatmap/colour_bar.h"
#include "views/heatmap/heatmap_view.h"
#include "views/viewmodels/heads_model.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace headloom {

SimilarityPane::SimilarityPane(HeadsModel& heads, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      heads_(&heads),
      theme_(&theme),
      sentence_(new QLabel),
      note_(new QLabel),
      kind_(new QComboBox),
      similar_(new QDoubleSpinBox),
      map_(new HeatmapView(theme)),
      scale_(new ColourBar(theme)) {
    sentence_->setProperty("role", "strong");
    note_->setProperty("role", "small");
    for (QLabel* label : {sentence_, note_}) label->setMinimumWidth(1);
    kind_->addItem(tr("Tiles"), QVariant::fromValue(static_cast<int>(PatternKind::tiles)));
    kind_->addItem(tr("Heads"), QVariant::fromValue(static_cast<int>(PatternKind::heads)));
    kind_->addItem(tr("Effective maps"),
                   QVariant::fromValue(static_cast<int>(PatternKind::effective)));
    kind_->setAccessibleName(tr("Patterns that are compared"));
    kind_->setToolTip(
        tr("What is compared with one another: tiles, heads (the mean over the pseudo-queries of "
           "the sum over the key families), or effective maps M[target, source]"));
    similar_->setRange(0, 1);
    similar_->setSingleStep(0.01);
    similar_->setDecimals(2);
    similar_->setPrefix(tr("cosine > "));
    similar_->setValue(heads.similar());
    similar_->setKeyboardTracking(false);
    similar_->setAccessibleName(tr("Cosine above which two patterns count as one"));
    similar_->setToolTip(tr("Patterns of one cluster are all this much alike, every pair of them"));
    map_->setRendererChoice(RendererChoice::raster);
    map_->setAccessibleName(tr("How alike the patterns are"));

    auto* controls = new QHBoxLayout;
    controls->addWidget(kind_);
    controls->addWidget(similar_);
    controls->addStretch(1);
    auto* foot = new QHBoxLayout;
    foot->addStretch(1);
    foot->addWidget(scale_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(sentence_);
    all->addWidget(note_);
    all->addLayout(controls);
    all->addWidget(map_, 1);
    all->addLayout(foot);

    connect(kind_, &QComboBox::activated, this,
            [this] { heads_->setKind(static_cast<PatternKind>(kind_->currentData().toInt())); });
    connect(similar_, &QDoubleSpinBox::valueChanged, heads_, &HeadsModel::setSimilar);
    connect(map_, &HeatmapView::cellHovered, this,
            [this](int, int row, int column, float cosine) { describe(row, column, cosine); });
    connect(map_, &HeatmapView::cellLeft, this,
            [this] { note_->setText(heads_->similarity().note); });
    connect(map_, &HeatmapView::cellClicked, this, [this](int, int row, int) {
        const SimilarityShown shown = heads_->similarity();
        if (row < static_cast<int>(shown.patterns.size()))
            heads_->open(shown.layer, shown.patterns[static_cast<std::size_t>(row)]);
    });
    connect(heads_, &HeadsModel::changed, this, &SimilarityPane::refresh);
    connect(&theme, &Theme::changed, this, &SimilarityPane::restyle);
    restyle();
    refresh();
}

QString SimilarityPane::sentence() const {
    return sentence_->text();
}

void SimilarityPane::refresh() {
    const SimilarityShown shown = heads_->similarity();
    sentence_->setText(shown.sentence);
    note_->setText(shown.note);
    note_->setToolTip(shown.note);
    setVisible(heads_->hint().isEmpty());
    map_->setEmptyHint(shown.hint);
    scale_->setVisible(shown.values != nullptr);
    showSheet(shown);
}

void SimilarityPane::showSheet(const SimilarityShown& shown) {
    MapSheet sheet;
    sheet.captions = CaptionPlacement::none;
    if (shown.values) {
        sheet.isSigned = shown.isSigned;
        sheet.tileRows = sheet.tileColumns = 1;
        sheet.queries = sheet.keys = static_cast<int>(shown.names.size());
        sheet.matrixBlock = 1;
        MapTile tile;
        tile.values = shown.values;
        tile.rowStride = sheet.keys;
        sheet.tiles.push_back(std::move(tile));
    }
    map_->setSheet(std::move(sheet));
    map_->setAccessibleDescription(shown.sentence);
    if (shown.values) scale_->setMapping(map_->valueMapping(0));
}

void SimilarityPane::describe(int row, int column, float cosine) {
    const QStringList names = heads_->similarity().names;
    if (row >= names.size() || column >= names.size()) return;
    note_->setText(tr("%1 and %2: %3").arg(names[row], names[column]).arg(cosine, 0, 'f', 3));
}

void SimilarityPane::restyle() {
    layout()->setSpacing(theme_->pixels(4));
    map_->setMinimumHeight(theme_->pixels(170));
}

}  // namespace headloom
