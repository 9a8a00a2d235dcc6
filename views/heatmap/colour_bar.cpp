#include "views/heatmap/colour_bar.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace headloom {

ColourBar::ColourBar(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Colour scale"));
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void ColourBar::setMapping(const ValueMapping& mapping) {
    if (mapping == mapping_) return;
    mapping_ = mapping;
    setAccessibleDescription(
        tr("from %1 to %2").arg(mapping.isSigned ? -mapping.maximum : 0).arg(mapping.maximum));
    update();
}

void ColourBar::setCaption(const QString& caption) {
    caption_ = caption;
    update();
}

QSize ColourBar::sizeHint() const {
    const QFontMetrics metrics(theme_.font(TextRole::tiny));
    return QSize(theme_.pixels(240), metrics.height() + theme_.pixels(13));
}

QSize ColourBar::minimumSizeHint() const {
    return QSize(theme_.pixels(110), sizeHint().height());
}

void ColourBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme_.font(TextRole::small));
    const int captionWidth =
        caption_.isEmpty() ? 0
                           : painter.fontMetrics().horizontalAdvance(caption_) + theme_.pixels(12);
    const QFontMetricsF metrics(theme_.font(TextRole::tiny));
    // half of the outermost labels hangs over the ends of the bar
    const double overhang = metrics.horizontalAdvance("−0.000") / 2;
    const QRectF bar(captionWidth + overhang, theme_.px(1),
                     std::max(1.0, width() - captionWidth - 2 * overhang), theme_.px(9));
    painter.setPen(theme_.colours().textSoft);
    painter.drawText(
        QRectF(0, bar.center().y() - metrics.height(), captionWidth, 2 * metrics.height()),
        Qt::AlignLeft | Qt::AlignVCenter, caption_);
    const ColourTable& table = mapping_.isSigned ? theme_.diverging() : theme_.shares();
    QLinearGradient gradient(bar.topLeft(), bar.topRight());
    for (int i = 0; i <= 32; ++i) {
        gradient.setColorAt(i / 32.0,
                            QColor(table.entries[static_cast<std::size_t>(std::min(255, i * 8))]));
    }
    painter.setPen(QPen(theme_.colours().border, 1));
    painter.setBrush(gradient);
    painter.drawRoundedRect(bar, theme_.px(2), theme_.px(2));
    painter.setFont(theme_.font(TextRole::tiny));
    double free = -1e9;
    const std::vector<ScaleTick> ticks =
        ticksOf(mapping_, static_cast<int>(bar.width() / theme_.px(38)));
    for (const ScaleTick& tick : ticks) {
        const double x = bar.left() + tick.position * bar.width();
        const double half = metrics.horizontalAdvance(tick.label) / 2;
        // the maximum has the last word, so whatever would touch it stays silent
        const double last = bar.right() - metrics.horizontalAdvance(ticks.back().label) / 2;
        const bool isLast = &tick == &ticks.back();
        if (x - half < free || (!isLast && x + half + theme_.px(4) > last)) continue;
        free = x + half + theme_.px(4);
        painter.setPen(theme_.colours().borderStrong);
        painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + theme_.px(3)));
        painter.setPen(theme_.colours().textSoft);
        painter.drawText(
            QRectF(x - half - 2, bar.bottom() + theme_.px(2), 2 * half + 4, metrics.height()),
            Qt::AlignCenter, tick.label);
    }
}

}  // namespace headloom
