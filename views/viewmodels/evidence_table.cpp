#include "core/analysis/mass.h"
#include "views/viewmodels/chain_steps.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/map_view.h"
#include "views/viewmodels/tables.h"
#include "views/viewmodels/words.h"

#include <QCoreApplication>

#include <cmath>

namespace headloom {

namespace {
struct EvidenceTable {
    Q_DECLARE_TR_FUNCTIONS(EvidenceTable)
};

QString placeName(const EvidenceEntry& entry, bool iha) {
    return iha ? EvidenceTable::tr("head %1, q%2").arg(entry.head).arg(entry.p)
               : EvidenceTable::tr("head %1").arg(entry.head);
}
}  // namespace

std::vector<ComparisonRow> evidenceRows(const ColumnPair& columns, const TablePlace& place) {
    ComparisonRow best, mean, where, open;
    bool any = false;
    QString chosenFrom[2] = {QStringLiteral("–"), QStringLiteral("–")};
    for (int side = 0; side < 2; ++side) {
        const ColumnRunPtr& column = columns.at(side);
        if (!column) continue;
        const Tensor& maps = column->maps(place.layer);
        const int row = column->clampedRow(place.row);
        const std::vector<int> positions = column->run->evidence(row);
        // of some heads alone nothing can be said of the best of all
        const bool whole = maps && maps.size(1) == column->heads();
        if (!whole || positions.empty() || column->linear(place.layer)) continue;
        any = true;
        const EvidenceSummary summary = evidenceSummary(maps, row, positions);
        const MapRef& map = side == 0 ? place.left : place.right;
        const bool iha = column->iha(place.layer);
        chosenFrom[side] = QString::number(summary.chosenFrom);
        const auto put = [side](ComparisonRow& line, double share) {
            (side == 0 ? line.left : line.right) = shareText(share);
            (side == 0 ? line.leftBar : line.rightBar) = share;
        };
        put(best, summary.best.mass);
        put(mean, summary.mean);
        (side == 0 ? where.left : where.right) = placeName(summary.best, iha);
        if (!map.effective && map.head < column->heads() && map.p < column->pseudos(place.layer) &&
            map.r < column->pseudos(place.layer))
            put(open, evidenceMass(maps, map.head, map.p, map.r, row, positions));
    }
    if (!any) return {};
    best.label = EvidenceTable::tr("best of %1 / %2").arg(chosenFrom[0], chosenFrom[1]);
    best.tip = EvidenceTable::tr(
        "The largest share that any head (for IHA: any pseudo-query of any head, summed over its "
        "key families) gives to the evidence in this row, and how many it was chosen from");
    mean.label = EvidenceTable::tr("layer mean");
    mean.tip = EvidenceTable::tr("Mean over all heads and pseudo-queries of the layer");
    where.label = EvidenceTable::tr("where");
    where.tip = EvidenceTable::tr("The head and pseudo-query that is best");
    open.label = EvidenceTable::tr("open map");
    open.tip = EvidenceTable::tr("The chosen map alone; a tile never holds more than its mass");
    std::vector<ComparisonRow> rows = {best, mean, where};
    if (!open.left.isEmpty() || !open.right.isEmpty()) rows.push_back(open);
    return rows;
}

}  // namespace headloom
