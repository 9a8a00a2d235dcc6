#include "views/panels/glyphs.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>

namespace headloom {

namespace {

/// A triangle in a 16 x 16 box that points right (or left), and a bar where it stops.
QPainterPath triangle(double from, double to) {
    QPainterPath path;
    path.moveTo(from, 3);
    path.lineTo(to, 8);
    path.lineTo(from, 13);
    path.closeSubpath();
    return path;
}

QPainterPath bar(double x, double width) {
    QPainterPath path;
    path.addRoundedRect(QRectF(x, 3, width, 10), 0.8, 0.8);
    return path;
}

QPainterPath arrow(double y, double from, double to) {
    const double head = from < to ? -3.2 : 3.2;
    QPainterPath path;
    path.moveTo(from, y);
    path.lineTo(to, y);
    path.moveTo(to + head, y - 3);
    path.lineTo(to, y);
    path.lineTo(to + head, y + 3);
    return path;
}

void drawStroked(QPainter& painter, Glyph glyph) {
    QPainterPath path;
    switch (glyph) {
        case Glyph::edit:
            path.moveTo(3, 13);
            path.lineTo(3.6, 10.2);
            path.lineTo(10.8, 3);
            path.lineTo(13, 5.2);
            path.lineTo(5.8, 12.4);
            path.closeSubpath();
            break;
        case Glyph::open:
            path.moveTo(2.5, 12.5);
            path.lineTo(2.5, 4);
            path.lineTo(6.5, 4);
            path.lineTo(8, 5.8);
            path.lineTo(13.5, 5.8);
            path.lineTo(13.5, 12.5);
            path.closeSubpath();
            break;
        case Glyph::fresh:
            path.arcMoveTo(3, 3, 10, 10, 60);
            path.arcTo(3, 3, 10, 10, 60, 290);
            path.moveTo(13.2, 2.6);
            path.lineTo(13.2, 6.4);
            path.lineTo(9.4, 6.4);
            break;
        case Glyph::swap:
            path.addPath(arrow(5.4, 2.5, 13.5));
            path.addPath(arrow(10.8, 13.5, 2.5));
            break;
        default:
            break;
    }
    painter.drawPath(path);
}

QPainterPath filled(Glyph glyph) {
    switch (glyph) {
        case Glyph::first:
            return bar(3, 1.8) + triangle(13, 6);
        case Glyph::back:
            return triangle(12, 4.5);
        case Glyph::play:
            return triangle(4.5, 13);
        case Glyph::pause:
            return bar(4.2, 2.6) + bar(9.2, 2.6);
        case Glyph::forward:
            return triangle(4, 11.5);
        case Glyph::last:
            return triangle(3, 10) + bar(11.2, 1.8);
        default:
            return {};
    }
}

QPixmap picture(Glyph glyph, const QColor& colour, int pixels) {
    const double ratio = qGuiApp->devicePixelRatio();
    QPixmap pixmap(QSize(pixels, pixels) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(pixels / 16.0, pixels / 16.0);
    const QPainterPath shape = filled(glyph);
    if (!shape.isEmpty()) {
        painter.fillPath(shape, colour);
    } else {
        painter.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        drawStroked(painter, glyph);
    }
    return pixmap;
}

}  // namespace

QIcon glyphIcon(Glyph glyph, const Theme& theme) {
    QIcon icon;
    const int pixels = theme.pixels(16);
    icon.addPixmap(picture(glyph, theme.colours().text, pixels), QIcon::Normal);
    icon.addPixmap(picture(glyph, theme.colours().textFaint, pixels), QIcon::Disabled);
    return icon;
}

}  // namespace headloom
