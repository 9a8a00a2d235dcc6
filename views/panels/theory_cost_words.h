#pragma once

#include "views/plots/curve_plot.h"
#include "views/viewmodels/theory_cost_model.h"

namespace headloom {

/// "score entries", and what is counted in it.
QString costName(CostQuantity quantity);
QString costMeaning(CostQuantity quantity);

/// "83.89 M": four digits, and the power of a thousand. Below 10 000 all digits.
QString costNumber(std::int64_t value);

/// The formula of every arm in names, in the user's numbers and worked out, with the pairs that it
/// stands on; rich text.
QString costFormulas(const std::vector<CostArm>& arms, CostQuantity quantity);
/// What follows from the sizes: width, window, layers of each kind.
QString costFacts(const CostSizes& sizes);

/// The chosen quantity of all arms over N, both axes logarithmic, with the user's N marked.
PlotContent costCurves(const TheoryCostModel& model, const Theme& theme);

}  // namespace headloom
