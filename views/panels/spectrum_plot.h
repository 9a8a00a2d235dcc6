#pragma once

#include "views/plots/curve_plot.h"

namespace headloom {

/// One matrix's singular values, largest first.
struct Spectrum {
    QString name;
    std::vector<double> values;
};

/// Singular values over their number; matrices are told apart by dashes and names.
PlotContent spectrumContent(const QString& title, const std::vector<Spectrum>& spectra,
                            const Theme& theme, const QString& hint);

}  // namespace headloom
