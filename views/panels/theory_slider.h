#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QLabel;
class QSlider;
class QSpinBox;

namespace headloom {

/// A whole number to slide or to type. What is typed may be allowed to go beyond the slider.
class TheorySlider : public QWidget {
    Q_OBJECT
  public:
    TheorySlider(const QString& title, const QString& tip, int least, int most, const Theme& theme,
                 QWidget* parent = nullptr);

    int value() const;
    void setValue(int value);  ///< emits nothing
    void setMost(int most);    ///< emits nothing
    /// Numbers above the slider's last can be typed.
    void setMostTyped(int most);

  signals:
    void changed(int value);

  private:
    void restyle();

    const Theme* theme_;
    QLabel* caption_;
    QSlider* slider_;
    QSpinBox* number_;
};

}  // namespace headloom
