#pragma once

#include "views/viewmodels/map_ref.h"

#include <memory>
#include <vector>

namespace headloom {

struct ColumnPair;
struct ColumnRun;

/// One map as numbers, ready to be drawn: nothing is copied, `values` keeps the run alive.
struct MapView {
    MapRef ref;
    std::shared_ptr<const float> values;  ///< [rows, cols]
    int rows = 0, cols = 0;
    int maskedFrom = 0;   ///< key - query from here on is masked (1: causal, 0: the diagonal too)
    int window = 0;       ///< masked where query - key >= window; 0: no window
    double mass = 0;      ///< tiles: mean of the row sums over rows 0..row
    double rowMass = 0;   ///< tiles: sum of the current row
    double evidence = 0;  ///< tiles: attention of the current row on the evidence
};

/// The maps of one head of a layer: P x P tiles, row by row (MHA: one).
std::vector<MapView> tileViews(const ColumnRun& column, int layer, int head, int row);
/// Masses of the tiles of a head over rows 0..row, [p * P + r], whether or not its maps are held;
/// empty where they are not known, and of linear scores, which have none.
std::vector<double> tileMasses(const ColumnRun& column, int layer, int head, int row);
/// The H x H effective maps of a layer, row by row: target heads down, source heads across. Empty
/// where they were not asked for.
std::vector<MapView> effectiveViews(const ColumnRun& column, int layer);

/// The same map with every row divided by its sum (rows of mass 0 stay 0): a copy, for showing.
MapView renormalised(const MapView& view);

/// Whether no query may see this cell.
bool isMasked(const ColumnRun& column, int layer, const CellRef& cell);
/// Value of a cell; NaN where there is none.
double valueAt(const ColumnRun& column, int layer, const CellRef& cell);

}  // namespace headloom
