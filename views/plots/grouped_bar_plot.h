#pragma once

#include "views/plots/plot_axis.h"
#include "views/theme/theme.h"

#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

namespace headloom {

/// How a bar is filled, which tells bars of one colour apart, and all without their colours.
enum class BarFill { solid, hollow, rows, columns, grid };

/// The bars of one name, one a group.
struct BarSeries {
    QString name;
    QColor colour;
    BarFill fill = BarFill::solid;
    std::vector<double> values;      ///< [group], from 0 up
    std::vector<double> deviations;  ///< [group], drawn as whiskers; 0: none, empty: none at all
};

/// Bars side by side in named groups, standing on zero.
struct GroupedBars {
    QString title, unit;
    QStringList groups;
    std::vector<BarSeries> series;
};

/// Shows grouped bars with their legend. The pointer, or the arrow keys, read a bar.
class GroupedBarPlot : public QWidget {
    Q_OBJECT
  public:
    explicit GroupedBarPlot(const Theme& theme, QWidget* parent = nullptr);

    void setContent(GroupedBars content);
    const GroupedBars& content() const { return content_; }
    /// Draws it into any painter: the screen or a file.
    void draw(QPainter& painter, const QRectF& rect, bool withCursor) const;
    /// The bar under the cursor in words; empty: no cursor.
    QString readout() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  signals:
    void readoutChanged();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    struct Bar {
        int group = 0, series = 0;
        bool operator==(const Bar&) const = default;
    };
    struct Frame {
        QRectF inner;
        PlotAxis y;
        double groupWidth = 0, barWidth = 0;
        QRectF bar(const Bar& which, double value) const;
    };
    Frame frameIn(const QRectF& rect) const;
    double valueOf(const Bar& bar) const;
    double deviationOf(const Bar& bar) const;
    int barCount() const;
    Bar barAt(int place) const;  ///< from left to right
    void drawAxes(QPainter& painter, const Frame& frame) const;
    void drawBar(QPainter& painter, const Frame& frame, const Bar& bar) const;
    void drawLegend(QPainter& painter, const QRectF& rect) const;
    void setCursorBar(std::optional<int> place);

    const Theme& theme_;
    GroupedBars content_;
    std::optional<int> cursor_;  ///< the bars from left to right
};

}  // namespace headloom
