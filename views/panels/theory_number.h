#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QDoubleSpinBox;
class QLabel;
class QSlider;

namespace headloom {

/// A number with two decimals to slide, from -`slidTo` to `slidTo`, or to type, further out: up to
/// `most` either way.
class TheoryNumber : public QWidget {
    Q_OBJECT
  public:
    TheoryNumber(const QString& title, const QString& tip, double slidTo, double most,
                 const Theme& theme, QWidget* parent = nullptr);

    QString title() const;
    double value() const;
    QString valueText() const;    ///< as the box says it
    void setValue(double value);  ///< emits nothing

  signals:
    void changed(double value);

  private:
    void restyle();

    const Theme* theme_;
    QLabel* caption_;
    QSlider* slider_;
    QDoubleSpinBox* number_;
};

}  // namespace headloom
