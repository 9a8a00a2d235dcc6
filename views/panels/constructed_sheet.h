#pragma once

#include "views/heatmap/map_sheet.h"
#include "views/viewmodels/constructed_tile.h"

#include <functional>

namespace headloom {

/// What a tile is called, and a sentence about it.
struct TileName {
    QString caption, toolTip;
};

/// The maps of a constructed layer: interleaved ones stand head by head in rows, those of MHA
/// (nPseudo 1) in about a square. Each says in its corner which head and keys made it.
MapSheet constructedSheet(const std::vector<ConstructedTile>& tiles, int nTokens, int nPseudo,
                          const std::function<TileName(const ConstructedTile&)>& nameOf);

}  // namespace headloom
