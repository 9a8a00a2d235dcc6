#include "views/panels/theory_number.h"

#include "views/panels/slider_line.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QLayout>
#include <QSignalBlocker>
#include <QSlider>

#include <cmath>

namespace headloom {

namespace {

constexpr int decimals = 2, sliderSteps = 100;  // of the slider, a unit

}  // namespace

TheoryNumber::TheoryNumber(const QString& title, const QString& tip, double slidTo, double most,
                           const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(&theme),
      caption_(new QLabel(title)),
      slider_(new QSlider(Qt::Horizontal)),
      number_(new QDoubleSpinBox) {
    laySliderLine(*this, caption_, slider_, number_, tip);
    const int end = static_cast<int>(std::lround(slidTo * sliderSteps));
    slider_->setRange(-end, end);
    slider_->setSingleStep(sliderSteps / 20);
    slider_->setPageStep(sliderSteps / 2);
    number_->setDecimals(decimals);
    number_->setRange(-most, most);
    number_->setSingleStep(0.05);
    number_->setLocale(QLocale::c());
    connect(slider_, &QSlider::valueChanged, this, [this](int place) {
        setValue(static_cast<double>(place) / sliderSteps);
        emit changed(value());
    });
    connect(number_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        setValue(value);
        emit changed(value);
    });
    connect(&theme, &Theme::changed, this, &TheoryNumber::restyle);
    restyle();
}

QString TheoryNumber::title() const {
    return caption_->text();
}

QString TheoryNumber::valueText() const {
    return number_->text();
}

double TheoryNumber::value() const {
    return number_->value();
}

void TheoryNumber::setValue(double value) {
    const QSignalBlocker quietSlider(slider_), quietNumber(number_);
    slider_->setValue(static_cast<int>(std::lround(value * sliderSteps)));
    number_->setValue(value);
}

void TheoryNumber::restyle() {
    layout()->setSpacing(theme_->pixels(8));
}

}  // namespace headloom
