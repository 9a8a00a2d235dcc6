#include "views/heatmap/tile_codes.h"

#include <algorithm>
#include <cmath>

namespace headloom {
namespace {

/// With the sign and the curve known when it is compiled, the loop takes several cells at a time.
template <bool isSigned, ScaleCurve curve>
void codesOf(const float* values, int count, float maximum, CellCode* out) {
    const ValueMapping mapping{maximum, curve, isSigned};
    for (int i = 0; i < count; ++i) {
        const bool finite = std::isfinite(values[i]);
        const CellCode code = codeOf(mapping.indexOf(finite ? values[i] : 0.0F), isSigned);
        out[i] = finite ? code : notFiniteCode;
    }
}

template <bool isSigned>
void codesOf(const float* values, int count, const ValueMapping& mapping, CellCode* out) {
    switch (mapping.curve) {
        case ScaleCurve::linear:
            return codesOf<isSigned, ScaleCurve::linear>(values, count, mapping.maximum, out);
        case ScaleCurve::squareRoot:
            return codesOf<isSigned, ScaleCurve::squareRoot>(values, count, mapping.maximum, out);
        case ScaleCurve::logarithmic:
            return codesOf<isSigned, ScaleCurve::logarithmic>(values, count, mapping.maximum, out);
    }
}

}  // namespace

int tableIndexOf(CellCode code, bool isSigned) {
    const int offset = code - firstValueCode;
    if (!isSigned) return offset;
    return offset % 2 == 0 ? 128 + offset / 2 : 128 - offset / 2;
}

void TileCodes::update(const MapSheet& sheet, int index, const ValueMapping& mapping,
                       bool hideSink) {
    const MapTile& tile = sheet.tiles[static_cast<std::size_t>(index)];
    const int known = sheet.knownRows();
    const bool same = !levels_.empty() && values_ == tile.values && rowStride_ == tile.rowStride &&
                      queries_ == sheet.queries && keys_ == sheet.keys &&
                      maskedFrom_ == tile.maskedFrom && window_ == tile.window &&
                      mapping_ == mapping && hideSink_ == hideSink;
    if (same && known == knownRows_) return;
    const int from = same ? std::min(known, knownRows_) : 0;
    const int to = same ? std::max(known, knownRows_) : sheet.queries;
    values_ = tile.values;
    rowStride_ = tile.rowStride;
    queries_ = sheet.queries;
    keys_ = sheet.keys;
    maskedFrom_ = tile.maskedFrom;
    window_ = tile.window;
    mapping_ = mapping;
    hideSink_ = hideSink;
    knownRows_ = known;
    levels_.resize(1);
    levels_[0].resize(static_cast<std::size_t>(queries_) * static_cast<std::size_t>(keys_));
    fillRows(sheet, tile, from, to);
}

void TileCodes::fillRows(const MapSheet& sheet, const MapTile& tile, int from, int to) {
    for (int query = from; query < to; ++query) {
        CellCode* out = levels_[0].data() + static_cast<std::ptrdiff_t>(query) * keys_;
        const KeyRange open = tile.values ? tile.openKeys(query, keys_) : KeyRange{};
        std::fill(out, out + open.begin, maskedCode);
        std::fill(out + open.end, out + keys_, maskedCode);
        if (query >= knownRows_) {
            std::fill(out + open.begin, out + open.end, pendingCode);
            continue;
        }
        const float* row = tile.values.get() + query * tile.rowStride + open.begin;
        const int count = open.end - open.begin;
        if (sheet.isSigned)
            codesOf<true>(row, count, mapping_, out + open.begin);
        else
            codesOf<false>(row, count, mapping_, out + open.begin);
        if (hideSink_ && open.begin == 0 && open.end > 0) out[0] = sinkCode;
    }
}

const CellCode* TileCodes::pooled(int block) {
    std::size_t wanted = 0;
    while ((1 << wanted) < block) ++wanted;
    while (levels_.size() <= wanted) {
        const int fine = 1 << (levels_.size() - 1);
        const int rows = (queries_ + fine - 1) / fine, columns = (keys_ + fine - 1) / fine;
        const int halfRows = (rows + 1) / 2, halfColumns = (columns + 1) / 2;
        const std::vector<CellCode>& from = levels_.back();
        std::vector<CellCode> to(static_cast<std::size_t>(halfRows) *
                                 static_cast<std::size_t>(halfColumns));
        for (int row = 0; row < halfRows; ++row) {
            const CellCode* upper = from.data() + static_cast<std::ptrdiff_t>(2 * row) * columns;
            const CellCode* lower = 2 * row + 1 < rows ? upper + columns : upper;
            CellCode* out = to.data() + static_cast<std::ptrdiff_t>(row) * halfColumns;
            for (int column = 0; column < halfColumns; ++column) {
                const int a = 2 * column, b = std::min(a + 1, columns - 1);
                out[column] = std::max({upper[a], upper[b], lower[a], lower[b]});
            }
        }
        levels_.push_back(std::move(to));
    }
    return levels_[wanted].data();
}

}  // namespace headloom
