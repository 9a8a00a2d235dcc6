#include "views/heatmap/map_sheet.h"

#include <QCoreApplication>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace headloom {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("MapSheet", text);
}

/// "“c” (18)", or "18" where tokens have no labels.
QString position(const QStringList& labels, int index) {
    if (index >= labels.size()) return QString::number(index);
    return QStringLiteral("“%1” (%2)").arg(labels[index]).arg(index);
}

/// "3", or "12–15" of cells that stand for several.
QString span(int index, int block) {
    if (block == 1) return QString::number(index);
    return QStringLiteral("%1–%2").arg(index * block).arg(index * block + block - 1);
}

QString describeElement(const MapSheet& sheet, const MapCell& cell) {
    const CellReading found = readCell(sheet, cell);
    const QString value = found.kind == CellKind::value ? QString::number(found.value, 'g', 5)
                                                        : tr("not a finite number");
    return (sheet.matrixBlock == 1 ? tr("row %1, column %2: %3")
                                   : tr("rows %1, columns %2: at most %3"))
        .arg(span(cell.query, sheet.matrixBlock), span(cell.key, sheet.matrixBlock), value);
}

QString reading(const CellReading& cell) {
    switch (cell.kind) {
        case CellKind::value:
            return QString::number(cell.value, 'f', 4);
        case CellKind::masked:
            return tr("masked, this token may not look there");
        case CellKind::pending:
            return tr("not yet, this step is still to come");
        case CellKind::notFinite:
            return tr("not a finite number");
        case CellKind::absent:
            break;
    }
    return tr("no data");
}

}  // namespace

KeyRange MapTile::openKeys(int query, int keys) const {
    // 64 bits, because `nothingMasked` is as large as an int gets
    const std::int64_t end = std::int64_t{query} + maskedFrom;
    const std::int64_t begin = window > 0 ? std::int64_t{query} - window + 1 : 0;
    KeyRange range;
    range.end = static_cast<int>(std::clamp<std::int64_t>(end, 0, keys));
    range.begin = static_cast<int>(std::clamp<std::int64_t>(begin, 0, range.end));
    return range;
}

bool MapSheet::contains(const MapCell& cell) const {
    return cell.tile >= 0 && cell.tile < tileCount() && cell.query >= 0 && cell.query < queries &&
           cell.key >= 0 && cell.key < keys;
}

CellReading readCell(const MapSheet& sheet, const MapCell& cell) {
    if (!sheet.contains(cell)) return {};
    const MapTile& tile = sheet.tiles[static_cast<std::size_t>(cell.tile)];
    if (!tile.values) return {};
    if (tile.isMasked(cell.query, cell.key)) return {CellKind::masked, 0};
    if (cell.query >= sheet.knownRows()) return {CellKind::pending, 0};
    const float value = tile.values.get()[cell.query * tile.rowStride + cell.key];
    return {std::isfinite(value) ? CellKind::value : CellKind::notFinite, value};
}

QString describeCell(const MapSheet& sheet, const MapCell& cell) {
    if (!sheet.contains(cell)) return {};
    if (sheet.matrixBlock > 0) return describeElement(sheet, cell);
    const QString caption = sheet.tiles[static_cast<std::size_t>(cell.tile)].caption;
    return (caption.isEmpty() ? QString() : caption + QStringLiteral(" · ")) +
           tr("from %1 to %2: %3")
               .arg(position(sheet.queryLabels, cell.query), position(sheet.keyLabels, cell.key),
                    reading(readCell(sheet, cell)));
}

float largestOf(const MapSheet& sheet, int tileIndex, bool hideSink) {
    const MapTile& tile = sheet.tiles[static_cast<std::size_t>(tileIndex)];
    if (!tile.values) return 0;
    // The bits of finite floats that are not negative order like the floats, infinities and NaN lie
    // above them all: compared as integers the loop takes several values at a time.
    constexpr std::int32_t infinity = 0x7f800000;
    const std::int32_t magnitude = sheet.isSigned ? 0x7fffffff : -1;
    std::int32_t largest = 0;
    for (int query = 0; query < sheet.knownRows(); ++query) {
        const float* row = tile.values.get() + query * tile.rowStride;
        const KeyRange keys = tile.openKeys(query, sheet.keys);
        for (int key = std::max(keys.begin, hideSink ? 1 : 0); key < keys.end; ++key) {
            const std::int32_t bits = std::bit_cast<std::int32_t>(row[key]) & magnitude;
            largest = std::max(largest, bits < infinity ? bits : 0);
        }
    }
    return std::bit_cast<float>(largest);
}

float largestOf(const MapSheet& sheet, bool hideSink) {
    float largest = 0;
    for (int tile = 0; tile < sheet.tileCount(); ++tile) {
        largest = std::max(largest, largestOf(sheet, tile, hideSink));
    }
    return largest;
}

}  // namespace headloom
