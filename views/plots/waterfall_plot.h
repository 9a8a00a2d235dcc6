#pragma once

#include "views/theme/theme.h"

#include <QWidget>

#include <vector>

namespace headloom {

/// Numbers that add up to one: each bar begins where the one before it ends.
struct WaterfallContent {
    struct Step {
        QString label;
        double value = 0;
    };
    std::vector<Step> steps;
    QString totalLabel;  ///< of the last bar, which stands on zero
    double total = 0;
};

/// Shows a waterfall, a line a number. The arrow keys walk; Return or a click chooses a line.
class WaterfallPlot : public QWidget {
    Q_OBJECT
  public:
    explicit WaterfallPlot(const Theme& theme, QWidget* parent = nullptr);

    void setContent(WaterfallContent content);
    const WaterfallContent& content() const { return content_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  signals:
    void stepChosen(int index);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    int lines() const { return static_cast<int>(content_.steps.size()) + 1; }
    int lineAt(const QPointF& point) const;
    void setCursorLine(int line);
    QString describe(int line) const;
    void paintLine(QPainter& painter, int line, double from, double to) const;
    struct Scale {
        double low = 0, high = 1, left = 0, width = 1;
        double at(double value) const { return left + (value - low) / (high - low) * width; }
    };
    Scale scale() const;

    const Theme& theme_;
    WaterfallContent content_;
    int cursor_ = -1;
};

}  // namespace headloom
