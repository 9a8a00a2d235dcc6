#pragma once

#include "views/theme/theme.h"

#include <QWidget>

#include <vector>

namespace headloom {

/// What a map takes from how far back, for OffsetBars.
struct OffsetBarsContent {
    QString verdict;  ///< "carries 3 back: 60 %"
    QString name;     ///< of the map, for the reading and screen readers
    std::vector<double>
        weights;            ///< own token, 1 back, .., signed; the last is all that is further
    int strong = -1;        ///< the bar that is carried; -1: none
    bool isSigned = false;  ///< zero is in the middle
    double most = 1;        ///< length of a full bar, either way
    QColor colour;
};

/// The profile of a map in small: a bar an offset about a zero line, and a line that says what it
/// comes to. The pointer, or the left and right keys, read a bar.
class OffsetBars : public QWidget {
    Q_OBJECT
  public:
    explicit OffsetBars(const Theme& theme, QWidget* parent = nullptr);

    void setContent(OffsetBarsContent content);
    const OffsetBarsContent& content() const { return content_; }
    /// The bar under the pointer or the keys, in words; empty: none.
    QString readout() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  signals:
    void pointed(const QString& words);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    int count() const { return static_cast<int>(content_.weights.size()); }
    QRectF inner() const;
    QString label(int bar) const;
    void paintBars(QPainter& painter) const;
    void setCursorBar(int bar);

    const Theme* theme_;
    OffsetBarsContent content_;
    int cursor_ = -1;
};

}  // namespace headloom
