#pragma once

#include "views/plots/curve_plot.h"
#include "views/viewmodels/theory_cpm3_model.h"

#include <QColor>

namespace headloom {

// What the CPM-3 part says, and the curve that it draws.

/// Whether the counts tell j1 and j2 apart, and why; in bold where they do not.
QString cpm3Order(const Cpm3Task& task);
/// Heads, and what is known of their number; without a run the name alone.
QString cpm3Facts(const Cpm3Run* run, bool interleaved, const QColor& colour);
/// What the stage that is looked at does, with the numbers of the chosen token.
QString cpm3StageWords(const TheoryCpm3Model& model);
/// Whether all three counts are the same, and what they are for a token.
QString cpm3Agreement(const Cpm3Run& run, int token);
/// Heads of both over N, with the N on screen marked.
PlotContent cpm3HeadCurves(int nTokens, const Theme& theme);

}  // namespace headloom
