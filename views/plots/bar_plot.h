#pragma once

#include "views/theme/theme.h"

#include <QWidget>

#include <cstdint>
#include <vector>

namespace headloom {

/// A histogram: equal bins from low to high.
struct BarContent {
    QString title;
    double low = 0, high = 0;
    std::vector<std::int64_t> bins;
    QString hint;  ///< said where there are no bins
};

/// Shows a histogram. The pointer, or the arrow keys, read a bin.
class BarPlot : public QWidget {
    Q_OBJECT
  public:
    explicit BarPlot(const Theme& theme, QWidget* parent = nullptr);

    void setContent(BarContent content);
    const BarContent& content() const { return content_; }
    /// The bin under the cursor in words; empty: no cursor.
    QString readout() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    QRectF inner() const;
    void paintBars(QPainter& painter, const QRectF& inner) const;
    void paintAxes(QPainter& painter, const QRectF& inner) const;
    void setCursorBin(int bin);

    const Theme& theme_;
    BarContent content_;
    int cursor_ = -1;
};

}  // namespace headloom
