#include "core/analysis/mass.h"
#include "views/viewmodels/chain_steps.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/map_view.h"
#include "views/viewmodels/tables.h"
#include "views/viewmodels/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

struct TileTable {
    Q_DECLARE_TR_FUNCTIONS(TileTable)
};

struct TileLines {
    ComparisonRow name, row, mean, evidence, entropy, peak;
};

QString& cell(ComparisonRow& line, int side) {
    return side == 0 ? line.left : line.right;
}

/// The largest magnitude of a row, in words: "“3” (11)  0.41".
QString peakText(const ColumnRun& column, const MapView& view, int row) {
    const float* values = view.values.get() + static_cast<std::ptrdiff_t>(row) * view.cols;
    const float* peak = std::max_element(
        values, values + view.cols, [](float a, float b) { return std::abs(a) < std::abs(b); });
    const auto position = static_cast<std::size_t>(peak - values);
    const QString token =
        QString::fromStdString(column.run->model->vocabulary.text(column.run->tokens[position]));
    return TileTable::tr("“%1” (%2) %3")
        .arg(visibleToken(token))
        .arg(position)
        .arg(shareText(static_cast<double>(*peak)));
}

void fill(TileLines& lines, const ColumnRun& column, const TablePlace& place, int side) {
    const MapRef& map = side == 0 ? place.left : place.right;
    const bool iha = column.iha(place.layer);
    const int row = column.clampedRow(place.row);
    const std::vector<MapView> views = map.effective
                                           ? effectiveViews(column, place.layer)
                                           : tileViews(column, place.layer, map.head, row);
    const auto view = std::find_if(views.begin(), views.end(),
                                   [&](const MapView& one) { return one.ref == map; });
    if (view == views.end()) return;
    cell(lines.name, side) = map.effective ? mapName(map, iha)
                             : iha
                                 ? TileTable::tr("%1, q%2→k%3").arg(map.head).arg(map.p).arg(map.r)
                                 : QString::number(map.head);
    cell(lines.peak, side) = peakText(column, *view, row);
    if (map.effective || column.linear(place.layer)) return;  // no distribution, no mass
    cell(lines.row, side) = shareText(view->rowMass);
    cell(lines.mean, side) = shareText(view->mass);
    if (!column.run->evidence(row).empty()) cell(lines.evidence, side) = shareText(view->evidence);
    cell(lines.entropy, side) = shareText(
        rowEntropy(column.maps(place.layer), column.mapIndex(place.layer, map.head), map.p, row));
}

}  // namespace

std::vector<ComparisonRow> tileRows(const ColumnPair& columns, const TablePlace& place) {
    if (!columns.leader()) return {};
    TileLines lines;
    for (int side = 0; side < 2; ++side)
        if (columns.at(side)) fill(lines, *columns.at(side), place, side);
    const bool effective = place.left.effective || place.right.effective;
    lines.name.label = effective ? TileTable::tr("map") : TileTable::tr("head, tile");
    lines.row.label = TileTable::tr("mass, row %1").arg(place.row);
    lines.row.tip = TileTable::tr(
                        "Sum of row %1 of the tile: the share of this pseudo-query's attention "
                        "that goes to this "
                        "key family. One softmax runs over all families, so only their sum is 1")
                        .arg(place.row);
    lines.mean.label = TileTable::tr("mean, 0–%1").arg(place.row);
    lines.mean.tip = TileTable::tr("The number in the corner of the tile");
    lines.evidence.label = TileTable::tr("on evidence");
    lines.evidence.tip = TileTable::tr("Attention of this row on the ringed tokens, in this tile");
    lines.entropy.label = TileTable::tr("entropy, nats");
    lines.entropy.tip = TileTable::tr(
        "Of the whole row of this pseudo-query, over all key families: 0 means that it looks at "
        "one place only");
    lines.peak.label = TileTable::tr("looks most at");
    lines.peak.tip = TileTable::tr("The largest cell of this row: token, position, value");
    std::vector<ComparisonRow> rows;
    for (ComparisonRow* line :
         {&lines.name, &lines.row, &lines.mean, &lines.evidence, &lines.entropy, &lines.peak}) {
        if (line->left.isEmpty() && line->right.isEmpty()) continue;
        for (QString* text : {&line->left, &line->right})
            if (text->isEmpty()) *text = QStringLiteral("–");
        rows.push_back(*line);
    }
    return rows;
}

}  // namespace headloom
