#pragma once

#include "views/heatmap/map_sheet.h"
#include "views/viewmodels/map_ref.h"

#include <vector>

namespace headloom {

class ExploreViewModel;

/// A sheet and which map each of its tiles is.
struct LoomSheet {
    MapSheet sheet;
    std::vector<MapRef> refs;

    /// Tile of a map; -1: not on this sheet.
    int tileOf(const MapRef& map) const;
};

/// What the large view of a column shows: the H maps of an MHA layer, the P x P tiles of the open
/// head of an IHA layer, or the H x H effective maps. `wide`: the view is wider than it is high.
LoomSheet mainSheet(const ExploreViewModel& model, Side side, bool wide);
/// The tiles of one head, for its small picture: no text.
LoomSheet headSheet(const ExploreViewModel& model, Side side, int head);

}  // namespace headloom
