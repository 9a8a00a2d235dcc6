#pragma once

#include "core/base/error.h"
#include "views/viewmodels/map_ref.h"

#include <QString>

#include <cstdint>

namespace headloom {

struct ColumnRun;

/// What a column's layer is, beside its title: "2 × 2 pseudo-heads, 8 tiles", "4 query heads on 2
/// key/value heads"; nothing for MHA, whose title says it all.
QString kindSummary(const ColumnRun& column, int layer);

/// Names of things on screen, spelled the same everywhere.
QString mapName(const MapRef& map, bool iha);  ///< "head 1, q0→k1", "head 1", "M[0, 1]"
QString shareText(double share);               ///< "0.41"; "< 0.01" is "0.00"
QString countText(std::int64_t count);         ///< "16,384"
QString bytesText(std::int64_t bytes);         ///< "512 B", "9,999 kB", "450 MB", "12.3 GB"
QString millisecondsText(double milliseconds);
QString sentenceOf(const Error& error);

/// A cell of a map whose pieces of words are merged, at the words of the cell's tokens.
QString mergedCellWords(const ColumnRun& column, int layer, int row, const CellRef& cell);
/// A cell in words: "layer 0 · head 1 · tile q0→k1 · from “3” (11) to “5” (8): 0.4137". Rows after
/// `row` have not happened yet and masked cells have no value; both are said instead.
QString cellWords(const ColumnRun& column, int layer, int row, const CellRef& cell);

}  // namespace headloom
