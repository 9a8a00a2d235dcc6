#include "views/panels/elided_label.h"

namespace headloom {

void ElidedLabel::setWhole(const QString& text) {
    if (text == whole_) return;
    whole_ = text;
    setAccessibleName(text);
    if (minimumWidth() != maximumWidth()) updateGeometry();
    elide();
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(whole_) + 2, QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {1, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::elide() {
    const QString shown = fontMetrics().elidedText(whole_, Qt::ElideRight, width());
    setText(shown);
    setToolTip(shown == whole_ ? QString() : whole_);
}

}  // namespace headloom
