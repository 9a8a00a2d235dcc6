#include "views/panels/theory_look_back_column.h"

#include "views/heatmap/heatmap_view.h"
#include "views/panels/theory_look_back_words.h"

#include <QGridLayout>
#include <QLabel>

namespace headloom {

namespace {

constexpr int mapRows = 2;

QLabel* wrappingLabel(const char* role) {
    auto* label = new QLabel;
    label->setProperty("role", role);
    label->setWordWrap(true);
    label->setMinimumWidth(1);
    return label;
}

MapSheet lookBackSheet(const LookBackMap& map, const TheoryLookBackModel& model) {
    MapSheet sheet;
    sheet.tileRows = sheet.tileColumns = 1;
    sheet.queries = static_cast<int>(map.values.size(0));
    sheet.keys = static_cast<int>(map.values.size(1));
    sheet.queryLabels = sheet.keyLabels = model.tokens();
    sheet.isSigned = model.isSigned();
    sheet.captions = CaptionPlacement::inside;
    MapTile tile;
    const auto kept = std::make_shared<const Tensor>(map.values);
    tile.values = {kept, kept->data<float>()};
    tile.rowStride = sheet.keys;
    tile.maskedFrom = 1;
    tile.caption = map.name;
    sheet.tiles.push_back(std::move(tile));
    return sheet;
}

}  // namespace

TheoryLookBackColumn::TheoryLookBackColumn(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(&theme),
      title_(wrappingLabel("strong")),
      facts_(wrappingLabel("small")),
      mixes_(wrappingLabel("small")),
      grid_(new QGridLayout) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(title_);
    column->addWidget(facts_);
    column->addWidget(mixes_);
    column->addLayout(grid_, 1);
}

TheoryLookBackColumn::Cell TheoryLookBackColumn::makeCell() {
    const Cell cell{new HeatmapView(*theme_, this), new OffsetBars(*theme_, this)};
    cell.map->setRendererChoice(RendererChoice::raster);
    cell.map->setOnPage(true);
    cell.map->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(cell.map, &HeatmapView::cellHovered, this,
            [this, map = cell.map](int tile, int query, int key, float) {
                emit pointed(describeCell(map->sheet(), {tile, query, key}));
            });
    connect(cell.map, &HeatmapView::cellLeft, this, [this] { emit pointed({}); });
    connect(cell.bars, &OffsetBars::pointed, this, &TheoryLookBackColumn::pointed);
    return cell;
}

void TheoryLookBackColumn::arrange(int count) {
    if (count == shown_) return;
    shown_ = count;
    while (static_cast<int>(cells_.size()) < count) cells_.push_back(makeCell());
    across_ = std::max(1, (count + mapRows - 1) / mapRows);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        const auto [map, bars] = cells_[i];
        grid_->removeWidget(map);
        grid_->removeWidget(bars);
        const bool inView = static_cast<int>(i) < count;
        map->setVisible(inView);
        bars->setVisible(inView);
        if (!inView) continue;
        const int row = static_cast<int>(i) / across_, column = static_cast<int>(i) % across_;
        grid_->addWidget(map, 2 * row, column);
        grid_->addWidget(bars, 2 * row + 1, column);
    }
    for (int row = 0; row < mapRows; ++row) grid_->setRowStretch(2 * row, 1);
    for (int column = 0; column < grid_->columnCount(); ++column)
        grid_->setColumnStretch(column, column < across_ ? 1 : 0);
}

void TheoryLookBackColumn::describe(const LookBackColumn& column, int reach) {
    const ThemeColours& colours = theme_->colours();
    title_->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                        .arg((column.interleaved ? colours.iha : colours.mha).name(),
                             column.title.toHtmlEscaped()));
    facts_->setText(lookBackFacts(column));
    facts_->setToolTip(tr("On %1 held-out examples; exact: rows with all %2 answers right")
                           .arg(TheoryLookBackModel::evaluatedExamples)
                           .arg(reach));
    mixes_->setText(mixWords(column));
    mixes_->setToolTip(mixTip(column));
}

void TheoryLookBackColumn::show(const LookBackColumn& column, const TheoryLookBackModel& model,
                                const LookBackScale& scale) {
    const int reach = model.arms()->reach();
    describe(column, reach);
    arrange(static_cast<int>(column.maps.size()));
    ColourScale colours;
    colours.sharedMaximum = scale.cell;
    for (std::size_t i = 0; i < column.maps.size(); ++i) {
        const LookBackMap& map = column.maps[i];
        const bool isMix = model.view() == TheoryLookBackModel::View::mixes;
        cells_[i].map->setAccessibleName(tr("%1 of %2").arg(map.name, column.title));
        cells_[i].map->setSheet(lookBackSheet(map, model));
        cells_[i].map->setScale(colours);
        OffsetBarsContent bars = offsetBars(map, reach, isMix);
        bars.isSigned = model.isSigned();
        bars.most = scale.weight;
        bars.colour = column.interleaved ? theme_->colours().iha : theme_->colours().mha;
        cells_[i].bars->setContent(std::move(bars));
    }
}

}  // namespace headloom
