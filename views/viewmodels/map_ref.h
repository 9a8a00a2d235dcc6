#pragma once

#include "core/models/mixing_tensor.h"

namespace headloom {

/// The two columns. Colours say what attention a column has, never which side it is on.
enum class Side { left, right };
constexpr int indexOf(Side side) {
    return side == Side::left ? 0 : 1;
}
constexpr Side bothSides[] = {Side::left, Side::right};

/// One map of a layer: the tile (head, p, r), or the effective map M[head, source] (iha.md 4).
struct MapRef {
    bool effective = false;
    int head = 0;      ///< tile: its head; effective map: the target head g
    int p = 0, r = 0;  ///< query pseudo and key pseudo; 0 for effective maps and MHA
    int source = 0;    ///< effective maps only: the source head m

    static MapRef tile(int head, int p = 0, int r = 0) { return {false, head, p, r, 0}; }
    static MapRef effectiveMap(int target, int source) { return {true, target, 0, 0, source}; }
    friend bool operator==(const MapRef&, const MapRef&) = default;
};

/// One number on the screen.
struct CellRef {
    Side side = Side::left;
    MapRef map;
    int query = 0, key = 0;
    friend bool operator==(const CellRef&, const CellRef&) = default;
};

/// One mixing weight: alpha[source, head, pseudo], or R[head, source * P + pseudo].
struct WeightRef {
    Side side = Side::right;
    MixingTensor matrix = MixingTensor::alphaQ;
    int head = 0;  ///< the target head
    int source = 0;
    int pseudo = 0;
    friend bool operator==(const WeightRef&, const WeightRef&) = default;
};

}  // namespace headloom
