#pragma once

#include <QString>

class QAbstractSpinBox;
class QLabel;
class QSlider;
class QWidget;

namespace headloom {

/// Puts caption, slider and the box to type in beside one another into `line`, named and explained
/// alike.
void laySliderLine(QWidget& line, QLabel* caption, QSlider* slider, QAbstractSpinBox* number,
                   const QString& tip);

}  // namespace headloom
