#pragma once

#include "views/plots/curve_plot.h"
#include "views/viewmodels/theory_bank_model.h"
#include "views/viewmodels/theory_filter_model.h"

namespace headloom {

/// Parameters of both constructions over k, both axes logarithmic, for the N and d of the model;
/// says where another becomes the smaller one.
PlotContent parameterCurves(const TheoryBankModel& model, const Theme& theme);

/// Both formulas in names, in the model's numbers and worked out; rich text, empty where there is
/// no such bank.
QString parameterFormulas(const TheoryBankModel& model);

/// "0.0250 ± 0.0017", two deviations; where no signal differs from another, that it is so.
QString boundWords(const FewHeads& few);

/// What MHA misses over its heads: the bound, the fit that ran with the band it may be in, and what
/// was trained, with the band on as many samples as that is measured on.
PlotContent fewHeadsCurve(const TheoryBankModel& model, const TheoryFilterModel& trained,
                          const Theme& theme);

}  // namespace headloom
