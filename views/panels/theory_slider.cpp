#include "views/panels/theory_slider.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>

namespace headloom {

TheorySlider::TheorySlider(const QString& title, const QString& tip, int least, int most,
                           const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(&theme),
      caption_(new QLabel(title)),
      slider_(new QSlider(Qt::Horizontal)),
      number_(new QSpinBox) {
    caption_->setProperty("role", "soft");
    for (QWidget* one : std::initializer_list<QWidget*>{caption_, slider_, number_})
        one->setToolTip(tip);
    slider_->setRange(least, most);
    number_->setRange(least, most);
    number_->setKeyboardTracking(false);
    slider_->setAccessibleName(title);
    number_->setAccessibleName(tr("%1, typed").arg(title));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(caption_);
    line->addWidget(slider_, 1);
    line->addWidget(number_);
    connect(slider_, &QSlider::valueChanged, this, [this](int value) {
        setValue(value);
        emit changed(value);
    });
    connect(number_, &QSpinBox::valueChanged, this, [this](int value) {
        setValue(value);
        emit changed(value);
    });
    connect(&theme, &Theme::changed, this, &TheorySlider::restyle);
    restyle();
}

int TheorySlider::value() const {
    return number_->value();
}

void TheorySlider::setValue(int value) {
    const QSignalBlocker quietSlider(slider_), quietNumber(number_);
    slider_->setValue(value);
    number_->setValue(value);
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
