#pragma once

#include "views/heatmap/colour_scale.h"
#include "views/heatmap/map_sheet.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace headloom {

/// What a cell looks like, as one number that grows with how much it should stand out. The
/// strongest of several cells is then the largest code, also for signed values.
using CellCode = std::int16_t;  // signed: SSE2 has a maximum for these only
constexpr CellCode maskedCode = 0;
constexpr CellCode pendingCode = 1;
constexpr CellCode sinkCode = 2;
constexpr CellCode firstValueCode = 3;
constexpr CellCode notFiniteCode = firstValueCode + 256;
constexpr int cellCodes = notFiniteCode + 1;

/// Code of an index of the colour table: 3 + index, or for signed values 3 + 2 * distance from 128,
/// plus 1 below it.
inline CellCode codeOf(int tableIndex, bool isSigned) {
    if (!isSigned) return static_cast<CellCode>(firstValueCode + tableIndex);
    const int distance = tableIndex - 128;
    return static_cast<CellCode>(firstValueCode + 2 * std::abs(distance) + (distance < 0 ? 1 : 0));
}
/// The index back again.
int tableIndexOf(CellCode code, bool isSigned);

/// One tile turned into codes, kept until its data or its scale change. A step to a later row fills
/// in the new rows only.
class TileCodes {
  public:
    /// Brings the codes up to date. Cheap when nothing has changed.
    void update(const MapSheet& sheet, int tile, const ValueMapping& mapping, bool hideSink);

    /// Codes pooled over blocks of `block` x `block` cells (a power of two): [ceil(queries /
    /// block), ceil(keys / block)], row by row. The strongest cell of a block stands for it.
    const CellCode* pooled(int block);
    int pooledColumns(int block) const { return (keys_ + block - 1) / block; }

  private:
    void fillRows(const MapSheet& sheet, const MapTile& tile, int from, int to);

    std::shared_ptr<const float> values_;  // held, so its address cannot come back with other data
    std::ptrdiff_t rowStride_ = 0;
    int queries_ = 0, keys_ = 0, maskedFrom_ = 0, window_ = 0, knownRows_ = 0;
    ValueMapping mapping_;
    bool hideSink_ = false;
    std::vector<std::vector<CellCode>> levels_;  // levels_[n] is pooled by 2^n; 0 is always there
};

}  // namespace headloom
