#include "views/plots/grouped_bar_plot.h"

#include "views/theme/focus_ring.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

/// A bar in its fill, as lines that end with it: SVG files know no clipping.
void fillBar(QPainter& painter, const QRectF& bar, const QColor& colour, BarFill fill,
             double spacing) {
    painter.setPen(QPen(colour, spacing / 3));
    painter.setBrush(fill == BarFill::solid ? QBrush(colour) : QBrush(Qt::NoBrush));
    painter.drawRect(bar);
    if (fill == BarFill::rows || fill == BarFill::grid)
        for (double y = bar.bottom() - spacing; y > bar.top(); y -= spacing)
            painter.drawLine(QPointF(bar.left(), y), QPointF(bar.right(), y));
    if (fill == BarFill::columns || fill == BarFill::grid)
        for (double x = bar.left() + spacing; x < bar.right(); x += spacing)
            painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()));
}

QString barNumber(double value) {
    return QString::number(value, 'f', value == std::floor(value) && value >= 100 ? 0 : 1);
}

}  // namespace

GroupedBarPlot::GroupedBarPlot(const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void GroupedBarPlot::setContent(GroupedBars content) {
    content_ = std::move(content);
    setAccessibleName(content_.title);
    setCursorBar(std::nullopt);
    update();
}

double GroupedBarPlot::valueOf(const Bar& bar) const {
    return content_.series[static_cast<std::size_t>(bar.series)]
        .values[static_cast<std::size_t>(bar.group)];
}

double GroupedBarPlot::deviationOf(const Bar& bar) const {
    const auto& deviations = content_.series[static_cast<std::size_t>(bar.series)].deviations;
    return deviations.empty() ? 0 : deviations[static_cast<std::size_t>(bar.group)];
}

int GroupedBarPlot::barCount() const {
    return static_cast<int>(content_.series.size()) * static_cast<int>(content_.groups.size());
}

GroupedBarPlot::Bar GroupedBarPlot::barAt(int place) const {
    const int series = static_cast<int>(content_.series.size());
    return {place / series, place % series};
}

QRectF GroupedBarPlot::Frame::bar(const Bar& which, double value) const {
    const double left = inner.left() + groupWidth * which.group + barWidth * (which.series + 0.5),
                 height = y.share(value) * inner.height(), gap = barWidth * 0.12;
    return {left + gap, inner.bottom() - height, barWidth - 2 * gap, height};
}

GroupedBarPlot::Frame GroupedBarPlot::frameIn(const QRectF& rect) const {
    Frame frame;
    frame.inner = rect.adjusted(theme_.px(40), theme_.px(46), -theme_.px(8), -theme_.px(24));
    double most = 0;
    for (int place = 0; place < barCount(); ++place)
        most = std::max(most, valueOf(barAt(place)) + deviationOf(barAt(place)));
    frame.y = roundAxis(0, most, false);
    frame.groupWidth =
        frame.inner.width() / std::max(1.0, static_cast<double>(content_.groups.size()));
    frame.barWidth = frame.groupWidth / (static_cast<double>(content_.series.size()) + 1);
    return frame;
}

void GroupedBarPlot::drawAxes(QPainter& painter, const Frame& frame) const {
    const ThemeColours& colours = theme_.colours();
    const QRectF& inner = frame.inner;
    painter.setFont(theme_.font(TextRole::tiny));
    const double line = QFontMetricsF(painter.font()).height();
    for (const PlotTick& tick : frame.y.ticks(static_cast<int>(inner.height() / theme_.px(30)))) {
        const double y = inner.bottom() - frame.y.share(tick.value) * inner.height();
        painter.setPen(QPen(colours.border, 1));
        painter.drawLine(QPointF(inner.left(), y), QPointF(inner.right(), y));
        painter.setPen(colours.textSoft);
        painter.drawText(QRectF(inner.left() - theme_.px(40), y - line / 2, theme_.px(35), line),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    painter.setPen(QPen(colours.borderStrong, 1));
    painter.drawLine(inner.bottomLeft(), inner.bottomRight());
    painter.setFont(theme_.font(TextRole::small));
    painter.setPen(colours.text);
    const QFontMetricsF metrics(painter.font());
    double left = inner.left();
    for (const QString& group : content_.groups) {
        painter.drawText(
            QRectF(left, inner.bottom() + theme_.px(4), frame.groupWidth, metrics.height()),
            Qt::AlignCenter, metrics.elidedText(group, Qt::ElideRight, frame.groupWidth));
        left += frame.groupWidth;
    }
}

void GroupedBarPlot::drawBar(QPainter& painter, const Frame& frame, const Bar& bar) const {
    const BarSeries& series = content_.series[static_cast<std::size_t>(bar.series)];
    const ThemeColours& colours = theme_.colours();
    const QRectF box = frame.bar(bar, valueOf(bar));
    fillBar(painter, box, series.colour, series.fill, theme_.px(4));
    const double middle = box.center().x(), deviation = deviationOf(bar);
    double top = box.top();
    if (deviation > 0) {
        const double high = frame.bar(bar, valueOf(bar) + deviation).top(),
                     low = frame.bar(bar, std::max(0.0, valueOf(bar) - deviation)).top(),
                     half = std::min(theme_.px(4), box.width() / 3);
        painter.setPen(QPen(colours.text, theme_.px(1.2)));
        painter.drawLine(QPointF(middle, low), QPointF(middle, high));
        for (const double end : {low, high})
            painter.drawLine(QPointF(middle - half, end), QPointF(middle + half, end));
        top = high;
    }
    painter.setFont(theme_.font(TextRole::tiny));
    const QFontMetricsF metrics(painter.font());
    const QString number = barNumber(valueOf(bar));
    const double width = metrics.horizontalAdvance(number);
    if (width > frame.barWidth) return;
    painter.setPen(colours.text);
    painter.drawText(
        QRectF(middle - width / 2 - 1, top - metrics.height() - 1, width + 2, metrics.height()),
        Qt::AlignCenter, number);
}

void GroupedBarPlot::drawLegend(QPainter& painter, const QRectF& rect) const {
    painter.setFont(theme_.font(TextRole::small));
    const QFontMetricsF metrics(painter.font());
    const double side = theme_.px(11);
    double left = rect.left();
    for (const BarSeries& series : content_.series) {
        fillBar(painter, QRectF(left, rect.center().y() - side / 2, side, side), series.colour,
                series.fill, theme_.px(4));
        left += side + theme_.px(6);
        painter.setPen(theme_.colours().text);
        const double width = metrics.horizontalAdvance(series.name);
        painter.drawText(QRectF(left, rect.top(), width + 2, rect.height()), Qt::AlignVCenter,
                         series.name);
        left += width + theme_.px(16);
    }
}

void GroupedBarPlot::draw(QPainter& painter, const QRectF& rect, bool withCursor) const {
    const ThemeColours& colours = theme_.colours();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF head(rect.left() + theme_.px(4), rect.top() + theme_.px(2),
                      rect.width() - theme_.px(12), theme_.px(18));
    painter.setFont(theme_.font(TextRole::smallStrong));
    painter.setPen(colours.text);
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("%1, %2").arg(content_.title, content_.unit));
    drawLegend(painter, head.translated(0, theme_.px(19)));
    const Frame frame = frameIn(rect);
    if (withCursor && cursor_) {
        const Bar bar = barAt(*cursor_);
        const QRectF box = frame.bar(bar, frame.y.high);
        painter.fillRect(box.adjusted(-1, 0, 1, 0), colours.accentWash);
    }
    drawAxes(painter, frame);
    for (int place = 0; place < barCount(); ++place) drawBar(painter, frame, barAt(place));
    if (withCursor && cursor_) {
        const Bar bar = barAt(*cursor_);
        painter.setPen(QPen(colours.accent, theme_.px(2)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(frame.bar(bar, valueOf(bar)));
    }
}

QString GroupedBarPlot::readout() const {
    if (!cursor_) return {};
    const Bar bar = barAt(*cursor_);
    QString words = QStringLiteral("%1 · %2: %3 %4")
                        .arg(content_.groups[bar.group],
                             content_.series[static_cast<std::size_t>(bar.series)].name,
                             barNumber(valueOf(bar)), content_.unit);
    if (const double deviation = deviationOf(bar); deviation > 0)
        words += tr(" ± %1").arg(barNumber(deviation));
    return words;
}

void GroupedBarPlot::setCursorBar(std::optional<int> place) {
    if (place && barCount() == 0) place.reset();
    if (place) place = std::clamp(*place, 0, barCount() - 1);
    if (place == cursor_) return;
    cursor_ = place;
    setAccessibleDescription(readout());
    update();
    emit readoutChanged();
}

QSize GroupedBarPlot::sizeHint() const {
    return {theme_.pixels(420), theme_.pixels(240)};
}

QSize GroupedBarPlot::minimumSizeHint() const {
    return {theme_.pixels(200), theme_.pixels(160)};
}

void GroupedBarPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    draw(painter, QRectF(rect()), true);
    paintFocusRing(painter, *this, theme_);
}

void GroupedBarPlot::mouseMoveEvent(QMouseEvent* event) {
    const Frame frame = frameIn(QRectF(rect()));
    for (int place = 0; place < barCount(); ++place) {
        const QRectF column = frame.bar(barAt(place), frame.y.high);
        if (event->position().x() >= column.left() && event->position().x() <= column.right())
            return setCursorBar(place);
    }
    setCursorBar(std::nullopt);
}

void GroupedBarPlot::leaveEvent(QEvent*) {
    if (!hasFocus()) setCursorBar(std::nullopt);
}

void GroupedBarPlot::keyPressEvent(QKeyEvent* event) {
    const int inGroup = static_cast<int>(content_.series.size());
    if (event->modifiers() & Qt::ControlModifier) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left:
            return setCursorBar(cursor_ ? *cursor_ - 1 : barCount() - 1);
        case Qt::Key_Right:
            return setCursorBar(cursor_ ? *cursor_ + 1 : 0);
        case Qt::Key_Up:
            return setCursorBar(cursor_ ? *cursor_ - inGroup : 0);
        case Qt::Key_Down:
            return setCursorBar(cursor_ ? *cursor_ + inGroup : 0);
        case Qt::Key_Home:
            return setCursorBar(0);
        case Qt::Key_End:
            return setCursorBar(barCount() - 1);
        case Qt::Key_Escape:
            return setCursorBar(std::nullopt);
        default:
            QWidget::keyPressEvent(event);
    }
}

void GroupedBarPlot::focusOutEvent(QFocusEvent* event) {
    setCursorBar(std::nullopt);
    QWidget::focusOutEvent(event);
}

}  // namespace headloom
