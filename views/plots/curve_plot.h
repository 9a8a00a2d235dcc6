#pragma once

#include "views/plots/plot_axis.h"
#include "views/theme/theme.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace headloom {

/// One reading: the middle and the range around it.
struct PlotPoint {
    double x = 0, y = 0, low = 0, high = 0;
};

/// A line with the band it lies in. The dash tells lines of one colour apart.
struct PlotSeries {
    QString name;
    QColor colour;
    Qt::PenStyle dash = Qt::SolidLine;
    std::vector<PlotPoint> points;  ///< rising in x
};

/// A level drawn across the plot, with its name.
struct PlotLevel {
    double y = 0;
    QString name;
    double low = 0, high = 0;  ///< a band around it; equal: none
};

/// A place drawn from the bottom to the top of the plot, with what happens there.
struct PlotPlace {
    double x = 0;
    QString name;
};

/// What a plot shows.
struct PlotContent {
    QString title, xTitle;
    std::vector<PlotSeries> series;
    std::vector<PlotLevel> levels;
    std::vector<PlotPlace> places;  ///< rising in x
    std::vector<double> marks;      ///< ticks under the plot: places that can be chosen
    std::optional<double> chosen;
    double xEnd = 0;                    ///< the x axis reaches from 0, or less, at least so far
    bool logarithmic = false;           ///< the y axis
    bool logarithmicX = false;          ///< the x axis, from the first point on; needs x > 0
    std::optional<double> yLow, yHigh;  ///< fixed ends of the y axis
    QString hint;                       ///< said where there is no curve yet
    bool legend = false;                ///< names the curves, in the upper left of the plot
    bool counts = false;  ///< whole numbers, with nothing between the points of the first curve
};

/// Curves over a common axis. The pointer, or the arrow keys, read all of them at one place; a
/// click or Return chooses that place.
class CurvePlot : public QWidget {
    Q_OBJECT
  public:
    explicit CurvePlot(const Theme& theme, QWidget* parent = nullptr);

    void setContent(PlotContent content);
    const PlotContent& content() const { return content_; }
    /// Draws the plot into any painter: the screen, an SVG or a PDF file.
    void draw(QPainter& painter, const QRectF& rect, bool withCursor) const;
    /// The values under the cursor in words; empty: no cursor.
    QString readout() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  signals:
    void chosen(double x);
    void readoutChanged();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    struct Frame {
        QRectF inner;
        PlotAxis x, y;
        QPointF at(double px, double py) const;
    };
    Frame frameIn(const QRectF& rect) const;
    void drawGrid(QPainter& painter, const Frame& frame) const;
    void drawPlaces(QPainter& painter, const Frame& frame) const;
    void drawSeries(QPainter& painter, const Frame& frame, const PlotSeries& series) const;
    /// The values under the cursor in the colours of their lines, in the line of the title.
    void drawReadings(QPainter& painter, QRectF head) const;
    QString placeText() const;
    void drawLegend(QPainter& painter, const Frame& frame) const;
    /// Where the cursor comes to stand for a wanted place: on a point, where there are only points.
    double standing(const Frame& frame, double x) const;
    /// The cursor after a key that moves it; `by` is -1 or 1.
    double stepped(const Frame& frame, int by) const;
    void drawCursor(QPainter& painter, const Frame& frame) const;
    void setCursorAt(std::optional<double> x);

    const Theme& theme_;
    PlotContent content_;
    std::optional<double> cursor_;
};

/// The reading at or before x; null before the series begins and after it ends.
const PlotPoint* pointAt(const PlotSeries& series, double x);

}  // namespace headloom
