#include "views/theme/focus_ring.h"

#include "views/theme/theme.h"

#include <QPainter>
#include <QWidget>

namespace headloom {

void paintFocusRing(QPainter& painter, const QWidget& widget, const Theme& theme) {
    if (!widget.hasFocus()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.colours().accent, theme.px(1)));
    painter.setBrush(Qt::NoBrush);
    const double radius = theme.px(4);
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
}

}  // namespace headloom
