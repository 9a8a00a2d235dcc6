#include "views/plots/curve_plot.h"

#include "views/theme/focus_ring.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

/// A whole number with its digits in groups, as far as a double tells them apart.
QString countText(double value) {
    constexpr double exact = 9007199254740992.0;  // 2^53
    if (std::abs(value) >= exact) return QString::number(value, 'g', 6);
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(std::llround(value)));
}

}  // namespace

const PlotPoint* pointAt(const PlotSeries& series, double x) {
    const auto after =
        std::upper_bound(series.points.begin(), series.points.end(), x,
                         [](double place, const PlotPoint& point) { return place < point.x; });
    // beyond its end a curve says nothing
    const bool within =
        after != series.points.end() || (!series.points.empty() && x == series.points.back().x);
    return after == series.points.begin() || !within ? nullptr : &*(after - 1);
}

CurvePlot::CurvePlot(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void CurvePlot::setContent(PlotContent content) {
    content_ = std::move(content);
    setAccessibleName(content_.title);
    update();
    if (cursor_) emit readoutChanged();
}

QPointF CurvePlot::Frame::at(double px, double py) const {
    // A value beyond the axis is drawn at its end: SVG files know no clipping.
    const double up = std::clamp(y.share(py), 0.0, 1.0);
    return {inner.left() + x.share(px) * inner.width(), inner.bottom() - up * inner.height()};
}

CurvePlot::Frame CurvePlot::frameIn(const QRectF& rect) const {
    double begin = 1e300, end = content_.xEnd, low = 1e300, high = -1e300;
    const auto hold = [&](double y) {
        if (!std::isfinite(y) || (content_.logarithmic && y <= 0)) return;
        low = std::min(low, y);
        high = std::max(high, y);
    };
    for (const PlotSeries& series : content_.series) {
        for (const PlotPoint& point : series.points) {
            hold(point.low);
            hold(point.high);
        }
        if (series.points.empty()) continue;
        begin = std::min(begin, series.points.front().x);
        end = std::max(end, series.points.back().x);
    }
    if (high < low) low = high = content_.logarithmic ? 1 : 0;
    for (const PlotLevel& level : content_.levels) hold(level.y);
    Frame frame;
    const double top = theme_.px(24), left = theme_.px(46);
    frame.inner = rect.adjusted(left, top, -theme_.px(12), -theme_.px(38));
    frame.x = {std::min(0.0, begin), end > 0 ? end : 1, false};
    if (content_.logarithmicX && begin > 0 && begin < end) frame.x = {begin, end, true};
    frame.y =
        roundAxis(content_.yLow.value_or(low), content_.yHigh.value_or(high), content_.logarithmic);
    if (content_.yLow && !content_.logarithmic) frame.y.low = *content_.yLow;
    if (content_.yHigh) frame.y.high = *content_.yHigh;
    return frame;
}

void CurvePlot::drawGrid(QPainter& painter, const Frame& frame) const {
    const ThemeColours& colours = theme_.colours();
    const QRectF& inner = frame.inner;
    painter.setFont(theme_.font(TextRole::tiny));
    const QFontMetricsF metrics(painter.font());
    for (const PlotTick& tick : frame.y.ticks(static_cast<int>(inner.height() / theme_.px(30)))) {
        const double y = frame.at(0, tick.value).y();
        painter.setPen(QPen(colours.border, 1));
        painter.drawLine(QPointF(inner.left(), y), QPointF(inner.right(), y));
        painter.setPen(colours.textSoft);
        painter.drawText(QRectF(inner.left() - theme_.px(60), y - metrics.height() / 2,
                                theme_.px(55), metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    const int most = static_cast<int>(inner.width() / theme_.px(56));
    for (const PlotTick& tick : frame.x.ticks(most)) {
        const double x = frame.at(tick.value, frame.y.low).x();
        painter.setPen(QPen(colours.borderStrong, 1));
        painter.drawLine(QPointF(x, inner.bottom()), QPointF(x, inner.bottom() + theme_.px(4)));
        painter.setPen(colours.textSoft);
        const double half = metrics.horizontalAdvance(tick.label) / 2 + 2;
        painter.drawText(
            QRectF(x - half, inner.bottom() + theme_.px(8), 2 * half, metrics.height()),
            Qt::AlignCenter, tick.label);
    }
    painter.drawText(QRectF(inner.left(), inner.bottom() + theme_.px(8) + metrics.height(),
                            inner.width(), metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, content_.xTitle);
    painter.setPen(QPen(colours.borderStrong, 1));
    painter.drawLine(inner.bottomLeft(), inner.bottomRight());
    std::vector<QRectF> names;
    for (const PlotLevel& level : content_.levels) {
        const double y = frame.at(0, level.y).y();
        if (y < inner.top() || y > inner.bottom()) continue;
        if (level.high > level.low) {
            const double top = frame.at(0, level.high).y(), bottom = frame.at(0, level.low).y();
            QColor wash = colours.textFaint;
            wash.setAlphaF(0.25F);
            painter.fillRect(QRectF(inner.left(), top, inner.width(), bottom - top) & inner, wash);
        }
        painter.setPen(QPen(colours.textFaint, theme_.px(1), Qt::DashDotLine));
        painter.drawLine(QPointF(inner.left(), y), QPointF(inner.right(), y));
        painter.setPen(colours.textSoft);
        // below the line where there is no room above it
        const bool below = y - metrics.height() < inner.top();
        QRectF box(0, below ? y + 1 : y - metrics.height() - 1,
                   metrics.horizontalAdvance(level.name), metrics.height());
        box.moveRight(inner.right() - 2);
        for (const QRectF& other : names)  // levels may lie closer than their names are high
            if (box.intersects(other)) box.moveRight(other.left() - theme_.px(12));
        names.push_back(box);
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, level.name);
    }
}

/// Names stand below each other at the top, on the side of the line that has more room.
void CurvePlot::drawPlaces(QPainter& painter, const Frame& frame) const {
    const ThemeColours& colours = theme_.colours();
    painter.setFont(theme_.font(TextRole::small));
    const double line = QFontMetricsF(painter.font()).height(), beside = theme_.px(5);
    double top = frame.inner.top() + theme_.px(2);
    for (const PlotPlace& place : content_.places) {
        const double x = frame.at(place.x, frame.y.low).x();
        painter.setPen(QPen(colours.text, theme_.px(1.2), Qt::DashLine));
        painter.drawLine(QPointF(x, frame.inner.top()), QPointF(x, frame.inner.bottom()));
        const bool after = x < frame.inner.center().x();
        const QRectF room =
            after ? QRectF(QPointF(x + beside, top), QPointF(frame.inner.right(), top + line))
                  : QRectF(QPointF(frame.inner.left(), top), QPointF(x - beside, top + line));
        painter.setPen(colours.text);
        painter.drawText(room, (after ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
                         place.name);
        top += line;
    }
}

void CurvePlot::drawSeries(QPainter& painter, const Frame& frame, const PlotSeries& series) const {
    if (series.points.empty()) return;
    QPainterPath line, band;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        const PlotPoint& point = series.points[i];
        const QPointF middle = frame.at(point.x, point.y), top = frame.at(point.x, point.high);
        i == 0 ? line.moveTo(middle) : line.lineTo(middle);
        i == 0 ? band.moveTo(top) : band.lineTo(top);
    }
    for (auto point = series.points.rbegin(); point != series.points.rend(); ++point)
        band.lineTo(frame.at(point->x, point->low));
    band.closeSubpath();
    QColor wash = series.colour;
    wash.setAlphaF(0.16F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(wash);
    painter.drawPath(band);
    painter.setBrush(Qt::NoBrush);
    QPen pen(series.colour, theme_.px(1.8), series.dash, Qt::FlatCap, Qt::RoundJoin);
    painter.setPen(pen);
    painter.drawPath(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(series.colour);
    const PlotPoint& last = series.points.back();
    painter.drawEllipse(frame.at(last.x, last.y), theme_.px(2.6), theme_.px(2.6));
}

void CurvePlot::drawCursor(QPainter& painter, const Frame& frame) const {
    const ThemeColours& colours = theme_.colours();
    const double x = frame.at(*cursor_, frame.y.low).x();
    painter.setPen(QPen(colours.outline, 1));
    painter.drawLine(QPointF(x, frame.inner.top()), QPointF(x, frame.inner.bottom()));
    for (const PlotSeries& series : content_.series) {
        const PlotPoint* point = pointAt(series, *cursor_);
        if (!point) continue;
        painter.setPen(QPen(colours.outline, theme_.px(1)));
        painter.setBrush(series.colour);
        painter.drawEllipse(QPointF(x, frame.at(point->x, point->y).y()), theme_.px(3.5),
                            theme_.px(3.5));
    }
}

void CurvePlot::draw(QPainter& painter, const QRectF& rect, bool withCursor) const {
    const ThemeColours& colours = theme_.colours();
    const Frame frame = frameIn(rect);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme_.font(TextRole::smallStrong));
    painter.setPen(colours.text);
    const QRectF head(rect.left() + theme_.px(4), rect.top() + theme_.px(2),
                      rect.width() - theme_.px(16), theme_.px(18));
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, content_.title);
    if (withCursor && cursor_) drawReadings(painter, head);
    drawGrid(painter, frame);
    painter.save();
    painter.setClipRect(frame.inner.adjusted(-2, -theme_.px(4), theme_.px(4), 1));
    for (const PlotSeries& series : content_.series) drawSeries(painter, frame, series);
    painter.restore();
    drawPlaces(painter, frame);
    if (content_.legend) drawLegend(painter, frame);
    for (const double mark : content_.marks) {
        const bool isChosen = content_.chosen && *content_.chosen == mark;
        const double x = frame.at(mark, frame.y.low).x();
        painter.setPen(
            QPen(isChosen ? colours.accent : colours.textFaint, theme_.px(isChosen ? 3 : 1)));
        painter.drawLine(QPointF(x, frame.inner.bottom()),
                         QPointF(x, frame.inner.bottom() + theme_.px(isChosen ? 8 : 6)));
    }
    const bool empty = std::all_of(content_.series.begin(), content_.series.end(),
                                   [](const PlotSeries& series) { return series.points.empty(); });
    if (empty) {
        painter.setFont(theme_.font(TextRole::body));
        painter.setPen(colours.textSoft);
        painter.drawText(frame.inner, Qt::AlignCenter | Qt::TextWordWrap, content_.hint);
    } else if (withCursor && cursor_) {
        drawCursor(painter, frame);
    }
}

void CurvePlot::drawLegend(QPainter& painter, const Frame& frame) const {
    painter.setFont(theme_.font(TextRole::small));
    const double line = QFontMetricsF(painter.font()).height(), sample = theme_.px(34);
    double top = frame.inner.top() + theme_.px(4);
    for (const PlotSeries& series : content_.series) {
        if (series.points.empty()) continue;
        const double left = frame.inner.left() + theme_.px(8), middle = top + line / 2;
        painter.setPen(QPen(series.colour, theme_.px(1.8), series.dash, Qt::FlatCap));
        painter.drawLine(QPointF(left, middle), QPointF(left + sample, middle));
        painter.setPen(theme_.colours().text);
        painter.drawText(QRectF(left + sample + theme_.px(6), top, frame.inner.width(), line),
                         Qt::AlignLeft | Qt::AlignVCenter, series.name);
        top += line;
    }
}

void CurvePlot::drawReadings(QPainter& painter, QRectF head) const {
    painter.setFont(theme_.font(TextRole::small));
    const QFontMetricsF metrics(painter.font());
    const auto put = [&](const QString& text, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, text);
        head.setRight(head.right() - metrics.horizontalAdvance(text) - theme_.px(8));
    };
    // From the right, so that the place stands first.
    for (auto series = content_.series.rbegin(); series != content_.series.rend(); ++series)
        if (const PlotPoint* point = pointAt(*series, *cursor_))
            put(QString::number(point->y, 'g', 3), series->colour);
    put(placeText(), theme_.colours().text);
}

QString CurvePlot::placeText() const {
    if (cursor_ && content_.counts) return countText(*cursor_);
    const double far = std::max(content_.xEnd, 100.0);
    return cursor_ ? QString::number(*cursor_, 'f', far >= 200 ? 0 : 1) : QString();
}

QString CurvePlot::readout() const {
    if (!cursor_) return {};
    QStringList parts{QStringLiteral("%1 %2").arg(content_.xTitle, placeText())};
    for (const PlotSeries& series : content_.series) {
        const PlotPoint* point = pointAt(series, *cursor_);
        if (!point) continue;
        QString part = QStringLiteral("%1 %2").arg(
            series.name, content_.counts ? countText(point->y) : QString::number(point->y, 'f', 4));
        if (point->low != point->high)
            part += tr(" (%1 to %2)").arg(point->low, 0, 'f', 4).arg(point->high, 0, 'f', 4);
        parts << part;
    }
    return parts.join(QStringLiteral(" · "));
}

double CurvePlot::standing(const Frame& frame, double x) const {
    if (!content_.counts || content_.series.empty()) return x;
    const auto far = [&](const PlotPoint& point) {
        return std::abs(frame.x.share(point.x) - frame.x.share(x));
    };
    const std::vector<PlotPoint>& points = content_.series.front().points;
    const auto nearest =
        std::min_element(points.begin(), points.end(),
                         [&](const PlotPoint& a, const PlotPoint& b) { return far(a) < far(b); });
    return nearest == points.end() ? x : nearest->x;
}

double CurvePlot::stepped(const Frame& frame, int by) const {
    const double from = cursor_.value_or(by < 0 ? frame.x.high : frame.x.low);
    if (!content_.counts || content_.series.empty())
        return frame.x.value(std::clamp(frame.x.share(from) + 0.01 * by, 0.0, 1.0));
    const std::vector<PlotPoint>& points = content_.series.front().points;
    const auto beyond = [&](const PlotPoint& point) {
        return by > 0 ? point.x > from : point.x < from;
    };
    if (by > 0) {
        const auto next = std::find_if(points.begin(), points.end(), beyond);
        return next == points.end() ? from : next->x;
    }
    const auto before = std::find_if(points.rbegin(), points.rend(), beyond);
    return before == points.rend() ? from : before->x;
}

void CurvePlot::setCursorAt(std::optional<double> x) {
    if (x == cursor_) return;
    cursor_ = x;
    update();
    emit readoutChanged();
}

QSize CurvePlot::sizeHint() const {
    return {theme_.pixels(420), theme_.pixels(190)};
}

QSize CurvePlot::minimumSizeHint() const {
    return {theme_.pixels(200), theme_.pixels(104)};
}

void CurvePlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    draw(painter, QRectF(rect()), true);
    paintFocusRing(painter, *this, theme_);
}

void CurvePlot::mouseMoveEvent(QMouseEvent* event) {
    const Frame frame = frameIn(QRectF(rect()));
    const double share = (event->position().x() - frame.inner.left()) / frame.inner.width();
    setCursorAt(standing(frame, frame.x.value(std::clamp(share, 0.0, 1.0))));
}

void CurvePlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    mouseMoveEvent(event);
    emit chosen(*cursor_);
}

void CurvePlot::leaveEvent(QEvent*) {
    setCursorAt(std::nullopt);
}

void CurvePlot::focusOutEvent(QFocusEvent* event) {
    setCursorAt(std::nullopt);
    QWidget::focusOutEvent(event);
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
    const Frame frame = frameIn(QRectF(rect()));
    switch (event->key()) {
        case Qt::Key_Left:
            return setCursorAt(stepped(frame, -1));
        case Qt::Key_Right:
            return setCursorAt(stepped(frame, 1));
        case Qt::Key_Home:
            return setCursorAt(standing(frame, frame.x.low));
        case Qt::Key_End:
            return setCursorAt(standing(frame, frame.x.high));
        case Qt::Key_Escape:
            return setCursorAt(std::nullopt);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (cursor_) emit chosen(*cursor_);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace headloom
