#pragma once

#include "views/heatmap/map_sheet.h"
#include "views/heatmap/matrix_view.h"
#include "views/plots/curve_plot.h"
#include "views/viewmodels/theory_containment_model.h"

namespace headloom {

// What the containment part says and shows, of a model that has a run.

/// Whether this IHA is MHA, and by how much it is not.
QString containmentVerdict(const ContainmentRun& run);
/// Why, by the rules.
QString containmentReason(const ContainmentCase& asked);
/// All masks and positions down, copies across, the shown case framed.
MatrixSheet containmentTable(const TheoryContainmentModel& model);
/// MHA's maps above, what the heads of IHA read below.
MapSheet containmentMaps(const ContainmentRun& run);
/// IHA less MHA, head by head.
MapSheet containmentDifference(const TheoryContainmentModel& model);
/// v tanh(s) beside what MHA gives and what the printed sign gives, with a mark at the place that
/// is read; empty without a witness.
PlotContent witnessCurve(const TheoryContainmentModel& model, const Theme& theme);
/// What all three give at the place that is read.
QString witnessReading(const TheoryContainmentModel& model);

}  // namespace headloom
