#include "views/panels/line_sample.h"

#include <QPainter>

namespace headloom {

Qt::PenStyle dashStyle(int dash) {
    static constexpr Qt::PenStyle styles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine,
                                              Qt::DashDotLine};
    return styles[dash % 4];
}

LineSample::LineSample(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void LineSample::setLine(bool interleaved, int dash) {
    interleaved_ = interleaved;
    dash_ = dash;
    update();
}

QSize LineSample::sizeHint() const {
    return {theme_.pixels(24), theme_.pixels(12)};
}

void LineSample::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColours& colours = theme_.colours();
    painter.setPen(QPen(interleaved_ ? colours.iha : colours.mha, theme_.px(2), dashStyle(dash_),
                        Qt::FlatCap));
    painter.drawLine(QPointF(0, height() / 2.0), QPointF(width(), height() / 2.0));
}

}  // namespace headloom
