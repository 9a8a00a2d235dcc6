#include "views/panels/theory_slider.h"

#include "views/panels/slider_line.h"

#include <QLabel>
#include <QLayout>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>

#include <algorithm>

namespace headloom {

TheorySlider::TheorySlider(const QString& title, const QString& tip, int least, int most,
                           const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(&theme),
      caption_(new QLabel(title)),
      slider_(new QSlider(Qt::Horizontal)),
      number_(new QSpinBox) {
    laySliderLine(*this, caption_, slider_, number_, tip);
    slider_->setRange(least, most);
    number_->setRange(least, most);
    number_->setLocale(QLocale::English);  // as every count is written
    number_->setGroupSeparatorShown(true);
    connect(slider_, &QSlider::valueChanged, this, [this](int place) {
        setValue(slidTo(place));
        emit changed(value());
    });
    connect(number_, &QSpinBox::valueChanged, this, [this](int value) {
        setValue(value);
        emit changed(value);
    });
    connect(&theme, &Theme::changed, this, &TheorySlider::restyle);
    restyle();
}

QString TheorySlider::title() const {
    return caption_->text();
}

QString TheorySlider::valueText() const {
    return number_->text();
}

int TheorySlider::value() const {
    return number_->value();
}

void TheorySlider::setValue(int value) {
    const QSignalBlocker quietSlider(slider_), quietNumber(number_);
    slider_->setValue(placeOf(value));
    number_->setValue(value);
}

int TheorySlider::slidTo(int place) const {
    return stops_.empty() ? place : stops_[static_cast<std::size_t>(place)];
}

int TheorySlider::placeOf(int value) const {
    if (stops_.empty()) return value;
    const auto after = std::upper_bound(stops_.begin(), stops_.end(), value);
    return std::max(0, static_cast<int>(after - stops_.begin()) - 1);
}

void TheorySlider::setStops(std::vector<int> stops) {
    if (stops == stops_) return;
    const QSignalBlocker quietSlider(slider_);
    stops_ = std::move(stops);
    slider_->setRange(0, static_cast<int>(stops_.size()) - 1);
    slider_->setPageStep(1);
    slider_->setValue(placeOf(value()));
}

void TheorySlider::setLeastWords(const QString& words) {
    number_->setSpecialValueText(words);
}

void TheorySlider::setMost(int most) {
    const QSignalBlocker quietSlider(slider_), quietNumber(number_);
    slider_->setMaximum(most);
    number_->setMaximum(most);
}

void TheorySlider::setMostTyped(int most) {
    number_->setMaximum(most);
}

void TheorySlider::restyle() {
    layout()->setSpacing(theme_->pixels(8));
    caption_->setMinimumWidth(theme_->pixels(92));
}

}  // namespace headloom
