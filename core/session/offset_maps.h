#pragma once

#include "core/analysis/offset_profile.h"
#include "core/session/chain_run.h"

#include <string>
#include <vector>

namespace headloom {

/// Which maps of a layer are read for the offsets that they carry.
enum class OffsetMaps {
    effective,  ///< M[target, source], signed (iha.md 4); of MHA those on the diagonal
    queries,    ///< a pseudo-query's map: its tiles summed over the key families; of MHA a head's
    tiles       ///< one by one
};
std::string_view nameOf(OffsetMaps kind);  // "effective", "queries", "tiles"
std::vector<OffsetMaps> offsetMaps();
Result<OffsetMaps> offsetMapsFrom(std::string_view name);

/// A map of a layer as it is read.
struct OffsetMap {
    int layer = 0, head = 0;
    int p = 0, r = 0;  ///< of a tile; of a pseudo-query p alone
    int source = 0;    ///< of an effective map
    std::string name;  ///< "L0.M[1,0]", "L0H1.q0", "L0H1.q0k1"; without pseudo-heads "L0H1"
    Tensor values;     ///< [N, N] float32, host
    bool isSigned = false;
};

/// The maps of all layers of a run which holds them all, and for effective ones those as well.
/// A layer that has no effective maps gives none.
std::vector<OffsetMap> mapsFor(const ChainRun& run, OffsetMaps kind);

/// Rows of an example that have a target.
std::vector<int> rowsWithTarget(const Example& example, int nSlots);

}  // namespace headloom
