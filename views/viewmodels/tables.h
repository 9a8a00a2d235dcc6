#pragma once

#include "views/viewmodels/comparison_model.h"
#include "views/viewmodels/map_ref.h"

#include <vector>

namespace headloom {

struct ColumnPair;

/// Where the tables look: one layer and row, and the open map of each column.
struct TablePlace {
    int layer = 0;
    int row = 0;
    MapRef left, right;
};

/// The `count` most probable answers of both models at a row, as probabilities at `temperature`.
/// With several slots: one line a slot, with each model's answer to it.
std::vector<ComparisonRow> answerRows(const ColumnPair& columns, int row, double temperature,
                                      int count, const std::vector<QString>& slotNames = {});

/// Attention of the row on the evidence: best head (and pseudo-query) and how many it was chosen
/// from, mean of the layer, where, and the open map. Empty where the step has no evidence.
std::vector<ComparisonRow> evidenceRows(const ColumnPair& columns, const TablePlace& place);

/// The open tile of each column in the current row: masses, evidence, entropy, largest cell.
std::vector<ComparisonRow> tileRows(const ColumnPair& columns, const TablePlace& place);

/// What both models cost on this sequence: by formula, and as measured.
std::vector<ComparisonRow> costRows(const ColumnPair& columns, int layer);

}  // namespace headloom
