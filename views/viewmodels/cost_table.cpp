#include "core/analysis/cost.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/tables.h"
#include "views/viewmodels/words.h"

#include <QCoreApplication>

namespace headloom {

namespace {

struct CostTable {
    Q_DECLARE_TR_FUNCTIONS(CostTable)
};

QString flopsText(std::int64_t flops) {
    if (flops < 100'000) return countText(flops);
    if (flops < 100'000'000)
        return CostTable::tr("%1 M").arg(static_cast<double>(flops) / 1e6, 0, 'f', 2);
    return CostTable::tr("%1 G").arg(static_cast<double>(flops) / 1e9, 0, 'f', 2);
}

QString patternFormula(const QString& who, const ColumnRun& column, int layer) {
    const int heads = column.heads(), pseudos = column.pseudos(layer);
    if (!column.iha(layer)) return CostTable::tr("%1: H = %2").arg(who).arg(heads);
    return CostTable::tr("%1: H · P · P = %2 · %3 · %3 = %4")
        .arg(who)
        .arg(heads)
        .arg(pseudos)
        .arg(heads * pseudos * pseudos);
}

}  // namespace

std::vector<ComparisonRow> costRows(const ColumnPair& columns, int layer) {
    if (!columns.leader()) return {};
    std::vector<ComparisonRow> rows(8);
    rows[0].label = CostTable::tr("parameters");
    rows[1].label = CostTable::tr("this attention");
    rows[2].label = CostTable::tr("patterns");
    rows[3].label = CostTable::tr("score entries");
    rows[4].label = CostTable::tr("FLOPs");
    rows[5].label = CostTable::tr("KV cache");
    rows[6].label = CostTable::tr("ms, all rows");
    rows[7].label = CostTable::tr("ms, one step");
    rows[0].tip = CostTable::tr("All weights of the model");
    rows[1].tip = CostTable::tr("W_Q, W_K, W_V, W_O and what the kind of attention adds to them");
    rows[2].tip =
        CostTable::tr("Attention maps of this layer: MHA has one a head, IHA P · P tiles");
    rows[3].tip = CostTable::tr("Allowed (query, key) pairs of all maps of all layers");
    rows[4].tip =
        CostTable::tr("Two for each multiply-add of a pass over all rows; norms left out");
    rows[5].tip = CostTable::tr("Keys and values of these tokens in 32-bit numbers, as cached");
    rows[6].tip = CostTable::tr("One forward pass over all rows, every map kept, on this computer");
    rows[7].tip = CostTable::tr("Median of a decoding step with the key/value cache");
    bool stepped = false;
    for (int side = 0; side < 2; ++side) {
        const ColumnRunPtr& column = columns.at(side);
        const auto put = [&](std::size_t row, const QString& text) {
            (side == 0 ? rows[row].left : rows[row].right) = text;
        };
        if (!column) {
            for (std::size_t row = 0; row < rows.size(); ++row) put(row, QStringLiteral("–"));
            continue;
        }
        const ChainRun& run = *column->run;
        if (run.model->filter) {
            const std::int64_t tiles = static_cast<std::int64_t>(column->heads()) *
                                       column->pseudos(layer) * column->pseudos(layer);
            put(0, countText(run.model->weights.parameterCount()));
            put(1, countText(run.model->weights.parameterCount()));
            put(2, countText(tiles));
            put(3, countText(tiles * run.rows * run.rows));
            put(4, QStringLiteral("–"));
            put(5, CostTable::tr("none"));
            put(6, millisecondsText(run.milliseconds));
            put(7, QStringLiteral("–"));
            continue;
        }
        const int shown = column->clampedLayer(layer);
        const Cost cost = costOf(column->config(), run.rows, shown);
        put(0, countText(cost.parameters));
        put(1, countText(cost.attentionParameters));
        put(2, countText(cost.patterns));
        put(3, countText(cost.scoreEntries));
        put(4, flopsText(cost.flops));
        put(5, column->config().causal() ? bytesText(cost.cacheBytes) : CostTable::tr("none"));
        put(6, millisecondsText(run.milliseconds));
        put(7, run.stepMilliseconds > 0 ? millisecondsText(run.stepMilliseconds)
                                        : QStringLiteral("–"));
        stepped = stepped || run.stepMilliseconds > 0;
        const QString who = side == 0 ? CostTable::tr("left") : CostTable::tr("right");
        rows[2].tip += QStringLiteral("\n") + patternFormula(who, *column, layer);
        if (column->config().layers[static_cast<std::size_t>(shown)].kind != AttentionKind::mha)
            rows[1].tip += QStringLiteral("\n") +
                           QString::fromStdString(mixingParameterFormula(column->config(), shown));
    }
    if (!stepped) rows.pop_back();
    return rows;
}

}  // namespace headloom
