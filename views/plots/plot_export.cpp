#include "views/plots/plot_export.h"

#include <QBuffer>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace headloom {

namespace {

constexpr QSizeF plotSize{640, 300};

QString quoted(QString text) {
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QLatin1String("\"\"")) +
           QLatin1Char('"');
}

QByteArray table(const std::vector<const CurvePlot*>& plots) {
    QString lines = QStringLiteral("plot,series,x,mean,low,high\n");
    for (const CurvePlot* plot : plots)
        for (const PlotSeries& series : plot->content().series)
            for (const PlotPoint& point : series.points)
                lines += QStringLiteral("%1,%2,%3,%4,%5,%6\n")
                             .arg(quoted(plot->content().title), quoted(series.name))
                             .arg(point.x, 0, 'g', 9)
                             .arg(point.y, 0, 'g', 9)
                             .arg(point.low, 0, 'g', 9)
                             .arg(point.high, 0, 'g', 9);
    return lines.toUtf8();
}

/// Names of the lines, which the window shows in its set-up: one below the other, under the plots.
class Legend {
  public:
    Legend(const std::vector<const CurvePlot*>& plots, const Theme& theme) : theme_(theme) {
        if (!plots.empty()) series_ = &plots.front()->content().series;
    }
    double height() const { return series_ ? lineHeight * (double(series_->size()) + 0.5) : 0; }
    void draw(QPainter& painter, double top) const {
        if (!series_) return;
        painter.setFont(theme_.font(TextRole::small));
        for (const PlotSeries& one : *series_) {
            const double middle = top + lineHeight / 2;
            painter.setPen(QPen(one.colour, 2, one.dash, Qt::FlatCap));
            painter.drawLine(QPointF(left, middle), QPointF(left + sample, middle));
            painter.setPen(theme_.colours().text);
            painter.drawText(
                QRectF(left + sample + 8, top, plotSize.width() - left - sample - 8, lineHeight),
                Qt::AlignLeft | Qt::AlignVCenter, one.name);
            top += lineHeight;
        }
    }

  private:
    static constexpr double lineHeight = 20, left = 46, sample = 32;
    const Theme& theme_;
    const std::vector<PlotSeries>* series_ = nullptr;
};

QSizeF sizeOf(const std::vector<const CurvePlot*>& plots, const Theme& theme) {
    return {plotSize.width(),
            plotSize.height() * double(plots.size()) + Legend(plots, theme).height()};
}

void drawAll(QPainter& painter, const std::vector<const CurvePlot*>& plots, const Theme& theme) {
    painter.fillRect(QRectF(QPointF(), sizeOf(plots, theme)), theme.colours().window);
    double y = 0;
    for (const CurvePlot* plot : plots) {
        plot->draw(painter, QRectF(QPointF(0, y), plotSize), false);
        y += plotSize.height();
    }
    Legend(plots, theme).draw(painter, y);
}

QByteArray svg(const std::vector<const CurvePlot*>& plots, const Theme& theme) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    const QSizeF size = sizeOf(plots, theme);
    generator.setSize(size.toSize());
    generator.setViewBox(QRectF(QPointF(), size));
    generator.setTitle(QStringLiteral("Headloom: learning curves"));
    QPainter painter(&generator);
    drawAll(painter, plots, theme);
    painter.end();
    return buffer.data();
}

QByteArray pdf(const std::vector<const CurvePlot*>& plots, const Theme& theme) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(96);
        const QSizeF size = sizeOf(plots, theme);
        writer.setPageSize(QPageSize(size * 0.75, QPageSize::Point));  // 96 pixels are 72 points
        writer.setPageMargins(QMarginsF());
        writer.setTitle(QStringLiteral("Headloom: learning curves"));
        QPainter painter(&writer);
        drawAll(painter, plots, theme);
    }
    return buffer.data();
}

}  // namespace

Result<void> exportPlots(const std::vector<const CurvePlot*>& plots, const Theme& theme,
                         const QString& path) {
    const QString name = path.toLower();
    QByteArray bytes;
    if (name.endsWith(QLatin1String(".csv")))
        bytes = table(plots);
    else if (name.endsWith(QLatin1String(".svg")))
        bytes = svg(plots, theme);
    else if (name.endsWith(QLatin1String(".pdf")))
        bytes = pdf(plots, theme);
    else
        return fail(Error::Kind::badInput, path.toStdString(),
                    "the ending names no kind of file that curves can be written as",
                    "use .svg, .pdf or .csv");
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return fail(Error::Kind::ioFailure, path.toStdString(),
                    "the curves could not be written: " + file.errorString().toStdString(),
                    "name a file in a folder that can be written to");
    return {};
}

}  // namespace headloom
