#include "views/panels/spectrum_plot.h"

#include <QCoreApplication>

#include <algorithm>

namespace headloom {

PlotContent spectrumContent(const QString& title, const std::vector<Spectrum>& spectra,
                            const Theme& theme, const QString& hint) {
    constexpr Qt::PenStyle dashes[] = {Qt::SolidLine, Qt::DashLine};
    PlotContent content;
    content.title = title;
    content.xTitle = QCoreApplication::translate("SpectrumPlot", "number, from 0");
    content.yLow = 0;
    content.hint = hint;
    for (const Spectrum& spectrum : spectra) {
        PlotSeries series;
        series.name = spectrum.name;
        series.colour = theme.colours().text;
        series.dash = dashes[content.series.size() % std::size(dashes)];
        for (std::size_t i = 0; i < spectrum.values.size(); ++i) {
            const double value = spectrum.values[i];
            series.points.push_back({static_cast<double>(i), value, value, value});
        }
        content.series.push_back(std::move(series));
    }
    return content;
}

}  // namespace headloom
