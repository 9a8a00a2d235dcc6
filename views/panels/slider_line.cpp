#include "views/panels/slider_line.h"

#include <QAbstractSpinBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>

#include <initializer_list>

namespace headloom {

void laySliderLine(QWidget& line, QLabel* caption, QSlider* slider, QAbstractSpinBox* number,
                   const QString& tip) {
    caption->setProperty("role", "soft");
    for (QWidget* one : std::initializer_list<QWidget*>{caption, slider, number})
        one->setToolTip(tip);
    number->setKeyboardTracking(false);
    slider->setAccessibleName(caption->text());
    number->setAccessibleName(
        QCoreApplication::translate("SliderLine", "%1, typed").arg(caption->text()));
    auto* row = new QHBoxLayout(&line);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(caption);
    row->addWidget(slider, 1);
    row->addWidget(number);
}

}  // namespace headloom
