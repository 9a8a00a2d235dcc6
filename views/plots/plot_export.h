#pragma once

#include "core/base/error.h"
#include "views/plots/curve_plot.h"

namespace headloom {

/// Plots one below the other as a picture. The name's ending decides: .svg or .pdf as vectors,
/// .csv as numbers (plot, series, x, mean, low, high). Atomic. Errors: another ending, a file that
/// cannot be written.
Result<void> exportPlots(const std::vector<const CurvePlot*>& plots, const Theme& theme,
                         const QString& path);

}  // namespace headloom
