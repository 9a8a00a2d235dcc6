#pragma once

#include "views/theme/theme.h"

#include <QWidget>

#include <vector>

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

    QString title() const;
    int value() const;
    QString valueText() const;  ///< as the box says it
    void setValue(int value);   ///< emits nothing
    void setMost(int most);     ///< emits nothing
    /// Numbers above the slider's last can be typed.
    void setMostTyped(int most);
    /// The slider goes through these, which rise, and nothing between: typed is what lies between.
    void setStops(std::vector<int> stops);
    /// What the box says instead of the least number.
    void setLeastWords(const QString& words);

  signals:
    void changed(int value);

  private:
    void restyle();
    int slidTo(int place) const;
    int placeOf(int value) const;

    const Theme* theme_;
    std::vector<int> stops_;  ///< none: the slider goes through all numbers
    QLabel* caption_;
    QSlider* slider_;
    QSpinBox* number_;
};

}  // namespace headloom
