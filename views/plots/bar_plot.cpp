#include "views/plots/bar_plot.h"

#include "views/plots/plot_axis.h"
#include "views/theme/focus_ring.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace headloom {

BarPlot::BarPlot(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void BarPlot::setContent(BarContent content) {
    content_ = std::move(content);
    cursor_ = -1;
    setAccessibleName(content_.title);
    setAccessibleDescription(content_.bins.empty() ? content_.hint : QString());
    update();
}

QString BarPlot::readout() const {
    if (cursor_ < 0) return {};
    const double width = (content_.high - content_.low) / static_cast<double>(content_.bins.size());
    const double from = content_.low + width * cursor_;
    return tr("%1 to %2: %3")
        .arg(QString::number(from, 'g', 4), QString::number(from + width, 'g', 4),
             QLocale(QLocale::English)
                 .toString(
                     static_cast<qlonglong>(content_.bins[static_cast<std::size_t>(cursor_)])));
}

QSize BarPlot::sizeHint() const {
    return {theme_.pixels(300), theme_.pixels(150)};
}

QSize BarPlot::minimumSizeHint() const {
    return {theme_.pixels(180), theme_.pixels(110)};
}

QRectF BarPlot::inner() const {
    return QRectF(rect()).adjusted(theme_.px(8), theme_.px(24), -theme_.px(8), -theme_.px(22));
}

void BarPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColours& colours = theme_.colours();
    const QRectF head(theme_.px(4), theme_.px(2), width() - theme_.px(12), theme_.px(18));
    painter.setFont(theme_.font(TextRole::smallStrong));
    painter.setPen(colours.text);
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, content_.title);
    painter.setFont(theme_.font(TextRole::small));
    painter.setPen(colours.textSoft);
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, readout());
    if (content_.bins.empty()) {
        painter.drawText(inner(), Qt::AlignCenter | Qt::TextWordWrap, content_.hint);
        return;
    }
    paintBars(painter, inner());
    paintAxes(painter, inner());
    paintFocusRing(painter, *this, theme_);
}

void BarPlot::paintBars(QPainter& painter, const QRectF& inner) const {
    const std::int64_t most = *std::max_element(content_.bins.begin(), content_.bins.end());
    if (most == 0) return;
    const double width = inner.width() / static_cast<double>(content_.bins.size());
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < content_.bins.size(); ++i) {
        if (content_.bins[i] == 0) continue;
        const double share = static_cast<double>(content_.bins[i]) / static_cast<double>(most);
        // a bin with anything in it is seen
        const double height = std::max(theme_.px(1.5), share * inner.height());
        const bool isRead = static_cast<int>(i) == cursor_;
        painter.setBrush(isRead ? theme_.colours().accent : theme_.colours().textSoft);
        painter.drawRect(QRectF(inner.left() + static_cast<double>(i) * width,
                                inner.bottom() - height, std::max(1.0, width - 1), height));
    }
}

void BarPlot::paintAxes(QPainter& painter, const QRectF& inner) const {
    const ThemeColours& colours = theme_.colours();
    painter.setPen(QPen(colours.borderStrong, 1));
    painter.drawLine(inner.bottomLeft(), inner.bottomRight());
    painter.setFont(theme_.font(TextRole::tiny));
    const QFontMetricsF metrics(painter.font());
    if (!(content_.high > content_.low)) {
        painter.setPen(colours.textSoft);
        painter.drawText(QPointF(inner.left(), inner.bottom() + metrics.height()),
                         tr("every number is %1").arg(plotNumber(content_.low)));
        return;
    }
    const PlotAxis axis{content_.low, content_.high, false};
    for (const PlotTick& tick : axis.ticks(static_cast<int>(inner.width() / theme_.px(70)))) {
        const double x = inner.left() + axis.share(tick.value) * inner.width();
        painter.setPen(QPen(colours.borderStrong, 1));
        painter.drawLine(QPointF(x, inner.bottom()), QPointF(x, inner.bottom() + theme_.px(4)));
        painter.setPen(colours.textSoft);
        const double half = metrics.horizontalAdvance(tick.label) / 2;
        const double left = std::clamp(x - half, 0.0, std::max(0.0, width() - 2 * half));
        painter.drawText(QPointF(left, inner.bottom() + theme_.px(4) + metrics.height()),
                         tick.label);
    }
}

void BarPlot::setCursorBin(int bin) {
    if (content_.bins.empty()) bin = -1;
    bin = std::min(bin, static_cast<int>(content_.bins.size()) - 1);
    if (bin == cursor_) return;
    cursor_ = bin;
    setAccessibleDescription(readout());
    update();
}

void BarPlot::mouseMoveEvent(QMouseEvent* event) {
    const QRectF at = inner();
    const double share = (event->position().x() - at.left()) / at.width();
    setCursorBin(share < 0 || share > 1
                     ? -1
                     : static_cast<int>(share * static_cast<double>(content_.bins.size())));
}

void BarPlot::leaveEvent(QEvent*) {
    if (!hasFocus()) setCursorBin(-1);
}

void BarPlot::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(content_.bins.size()) - 1;
    if (event->modifiers() & Qt::ControlModifier) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left:
            return setCursorBin(std::max(0, cursor_ - 1));
        case Qt::Key_Right:
            return setCursorBin(cursor_ + 1);
        case Qt::Key_Home:
            return setCursorBin(0);
        case Qt::Key_End:
            return setCursorBin(last);
        default:
            QWidget::keyPressEvent(event);
    }
}

void BarPlot::focusOutEvent(QFocusEvent* event) {
    setCursorBin(-1);
    QWidget::focusOutEvent(event);
}

}  // namespace headloom
