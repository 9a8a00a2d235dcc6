#pragma once

#include "views/theme/theme.h"

#include <QWidget>

namespace headloom {

/// How the lines of arms of one kind are told apart: solid, dashed, dotted, dash-dotted.
Qt::PenStyle dashStyle(int dash);

/// A short piece of an arm's line, as a legend has it.
class LineSample : public QWidget {
    Q_OBJECT
  public:
    explicit LineSample(const Theme& theme, QWidget* parent = nullptr);
    void setLine(bool interleaved, int dash);
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    const Theme& theme_;
    bool interleaved_ = false;
    int dash_ = 0;
};

}  // namespace headloom
