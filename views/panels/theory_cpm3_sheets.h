#pragma once

#include "views/heatmap/map_sheet.h"
#include "views/heatmap/matrix_view.h"
#include "views/viewmodels/theory_cpm3_model.h"

namespace headloom {

// The pictures of the CPM-3 part, of a model that has a run.

/// The shifts of a construction; or the matrix of a later stage as one map.
MapSheet cpm3Maps(const TheoryCpm3Model& model, bool interleaved);
/// The matrix of the stages after the shift, in numbers.
MatrixSheet cpm3Matrix(const TheoryCpm3Model& model, bool interleaved);
/// What both constructions count, and what all pairs give, for every token.
MatrixSheet cpm3Counts(const Cpm3Run& run, int token);

}  // namespace headloom
