#include "views/viewmodels/words.h"

#include "views/viewmodels/chain_steps.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/map_view.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace headloom {

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Words)
};

QString tokenAt(const ColumnRun& column, int position) {
    const auto at = static_cast<std::size_t>(position);
    const std::vector<int>& tokens = column.run->tokens;
    if (at >= tokens.size()) return {};
    return visibleToken(QString::fromStdString(column.run->model->vocabulary.text(tokens[at])));
}
}  // namespace

QString mapName(const MapRef& map, bool iha) {
    if (map.effective) return Words::tr("M[%1, %2]").arg(map.head).arg(map.source);
    if (!iha) return Words::tr("head %1").arg(map.head);
    return Words::tr("head %1, q%2→k%3").arg(map.head).arg(map.p).arg(map.r);
}

QString shareText(double share) {
    return QString::number(share, 'f', 2);
}

QString countText(std::int64_t count) {
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(count));
}

QString bytesText(std::int64_t bytes) {
    if (bytes < 10'000) return Words::tr("%1 B").arg(countText(bytes));
    if (bytes < 10'000'000) return Words::tr("%1 kB").arg(countText(bytes / 1000));
    if (bytes < 10'000'000'000) return Words::tr("%1 MB").arg(countText(bytes / 1'000'000));
    return Words::tr("%1 GB").arg(static_cast<double>(bytes) / 1e9, 0, 'f', 1);
}

QString sentenceOf(const Error& error) {
    return QString::fromStdString(error.sentence());
}

QString millisecondsText(double milliseconds) {
    return Words::tr("%1 ms").arg(milliseconds, 0, 'f', milliseconds < 1 ? 2 : 1);
}

QString kindSummary(const ColumnRun& column, int layer) {
    const int heads = column.heads(), pseudos = column.pseudos(layer);
    switch (column.config().layers[static_cast<std::size_t>(column.clampedLayer(layer))].kind) {
        case AttentionKind::mha:
            break;
        case AttentionKind::iha:
            return Words::tr("%1 × %2 pseudo-heads, %3 tiles")
                .arg(heads)
                .arg(pseudos)
                .arg(heads * pseudos * pseudos);
        case AttentionKind::ihaLite:
            return Words::tr("q, k and v mixed across %1 heads").arg(heads);
        case AttentionKind::talkingHeads:
            return Words::tr("each map: weights mixed across %1 heads, signed").arg(heads);
        case AttentionKind::differential:
            return Words::tr("each map: the difference of two softmaxes, signed");
    }
    const int groups = column.config().kvHeads();
    if (groups == heads) return {};
    return groups == 1 ? Words::tr("%1 query heads on 1 key/value head").arg(heads)
                       : Words::tr("%1 query heads on %2 key/value heads").arg(heads).arg(groups);
}

namespace {

QString mapPlace(const ColumnRun& column, int layer, const MapRef& map) {
    const int shown = column.clampedLayer(layer);
    if (map.effective)
        return Words::tr("layer %1 · effective map M[%2, %3]")
            .arg(shown)
            .arg(map.head)
            .arg(map.source);
    if (column.iha(layer))
        return Words::tr("layer %1 · head %2 · tile q%3→k%4")
            .arg(shown)
            .arg(map.head)
            .arg(map.p)
            .arg(map.r);
    return Words::tr("layer %1 · head %2").arg(shown).arg(map.head);
}

/// “Lily” (7–8)
QString wordAt(const ColumnRun& column, int token) {
    const WordGroups& groups = column.words;
    const int word = groups.wordOf[static_cast<std::size_t>(token)];
    const int first = groups.first[static_cast<std::size_t>(word)], last = groups.last(word);
    const QString text = groups.texts[static_cast<std::size_t>(word)];
    return first == last ? Words::tr("“%1” (%2)").arg(text).arg(first)
                         : Words::tr("“%1” (%2–%3)").arg(text).arg(first).arg(last);
}

}  // namespace

QString mergedCellWords(const ColumnRun& column, int layer, int row, const CellRef& cell) {
    const double value = mergedValue(column, layer, row, cell, column.words);
    if (std::isnan(value)) return {};
    const int begin = column.words.first[static_cast<std::size_t>(
        column.words.wordOf[static_cast<std::size_t>(cell.query)])];
    return Words::tr("%1 · from %2 to %3: %4")
        .arg(mapPlace(column, layer, cell.map), wordAt(column, cell.query),
             wordAt(column, cell.key),
             begin > row ? Words::tr("a later step") : QString::number(value, 'f', 4));
}

QString cellWords(const ColumnRun& column, int layer, int row, const CellRef& cell) {
    const double value = valueAt(column, layer, cell);
    if (std::isnan(value)) return {};
    return Words::tr("%1 · from “%2” (%3) to “%4” (%5): %6")
        .arg(mapPlace(column, layer, cell.map), tokenAt(column, cell.query))
        .arg(cell.query)
        .arg(tokenAt(column, cell.key))
        .arg(cell.key)
        .arg(cell.query > row                ? Words::tr("a later step")
             : isMasked(column, layer, cell) ? Words::tr("masked")
                                             : QString::number(value, 'f', 4));
}

}  // namespace headloom
