#include "views/plots/waterfall_plot.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr double lineHeight = 19, labelWidth = 84, numberWidth = 58;

/// Always with its sign, which the colour must not say alone.
QString signedNumber(double value) {
    const QString text = QString::number(std::abs(value), 'f', std::abs(value) < 100 ? 2 : 0);
    if (text.toDouble() == 0) return text;
    return (value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + text;
}

}  // namespace

WaterfallPlot::WaterfallPlot(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void WaterfallPlot::setContent(WaterfallContent content) {
    const bool sameHeight = content.steps.size() == content_.steps.size();
    content_ = std::move(content);
    cursor_ = std::min(cursor_, lines() - 1);
    if (!sameHeight) updateGeometry();
    update();
}

QSize WaterfallPlot::sizeHint() const {
    return {theme_.pixels(280), theme_.pixels(lineHeight * lines() + 4)};
}

QSize WaterfallPlot::minimumSizeHint() const {
    return {theme_.pixels(labelWidth + numberWidth + 60), sizeHint().height()};
}

WaterfallPlot::Scale WaterfallPlot::scale() const {
    Scale made;
    made.low = made.high = 0;
    double sum = 0;
    const auto reach = [&made](double value) {
        made.low = std::min(made.low, value);
        made.high = std::max(made.high, value);
    };
    for (const WaterfallContent::Step& step : content_.steps) reach(sum += step.value);
    reach(content_.total);
    if (!(made.high > made.low)) made.high = made.low + 1;
    made.left = theme_.px(labelWidth);
    made.width = std::max(1.0, width() - theme_.px(labelWidth + numberWidth));
    return made;
}

void WaterfallPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Scale scale = this->scale();
    painter.setPen(QPen(theme_.colours().borderStrong, theme_.px(1)));
    const double zero = scale.at(0);
    painter.drawLine(QPointF(zero, 0), QPointF(zero, height()));
    double sum = 0;
    for (int line = 0; line + 1 < lines(); ++line) {
        const double next = sum + content_.steps[static_cast<std::size_t>(line)].value;
        paintLine(painter, line, sum, next);
        sum = next;
    }
    paintLine(painter, lines() - 1, 0, content_.total);
}

void WaterfallPlot::paintLine(QPainter& painter, int line, double from, double to) const {
    const ThemeColours& colours = theme_.colours();
    const bool isTotal = line + 1 == lines();
    const double top = theme_.px(lineHeight) * line, height = theme_.px(lineHeight);
    if (line == cursor_) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colours.hover);
        painter.drawRoundedRect(QRectF(0, top, width(), height), theme_.px(4), theme_.px(4));
    }
    const Scale scale = this->scale();
    const auto& entries = theme_.diverging().entries;
    QColor fill = isTotal ? colours.textSoft : QColor(to >= from ? entries[216] : entries[40]);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    const double left = scale.at(std::min(from, to)), right = scale.at(std::max(from, to));
    painter.drawRect(QRectF(left, top + theme_.px(4), std::max(theme_.px(1), right - left),
                            height - theme_.px(8)));
    painter.setFont(theme_.font(isTotal ? TextRole::smallStrong : TextRole::small));
    painter.setPen(isTotal ? colours.text : colours.textSoft);
    const QString label =
        isTotal ? content_.totalLabel : content_.steps[static_cast<std::size_t>(line)].label;
    const QRectF name(theme_.px(4), top, theme_.px(labelWidth - 10), height);
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(label, Qt::ElideRight, name.width()));
    painter.setPen(colours.text);
    painter.drawText(
        QRectF(width() - theme_.px(numberWidth), top, theme_.px(numberWidth - 4), height),
        Qt::AlignRight | Qt::AlignVCenter, signedNumber(isTotal ? to : to - from));
}

QString WaterfallPlot::describe(int line) const {
    if (line < 0 || line >= lines()) return {};
    if (line + 1 == lines())
        return tr("%1: %2").arg(content_.totalLabel, QString::number(content_.total, 'f', 4));
    const WaterfallContent::Step& step = content_.steps[static_cast<std::size_t>(line)];
    return tr("%1: %2").arg(step.label, QString::number(step.value, 'f', 4));
}

int WaterfallPlot::lineAt(const QPointF& point) const {
    const int line = static_cast<int>(std::floor(point.y() / theme_.px(lineHeight)));
    return line >= 0 && line < lines() ? line : -1;
}

void WaterfallPlot::setCursorLine(int line) {
    if (line == cursor_) return;
    cursor_ = line;
    setAccessibleDescription(describe(line));
    setToolTip(describe(line));
    update();
}

void WaterfallPlot::mouseMoveEvent(QMouseEvent* event) {
    setCursorLine(lineAt(event->position()));
}

void WaterfallPlot::mousePressEvent(QMouseEvent* event) {
    const int line = lineAt(event->position());
    if (event->button() == Qt::LeftButton && line >= 0 && line + 1 < lines()) emit stepChosen(line);
}

void WaterfallPlot::leaveEvent(QEvent*) {
    if (!hasFocus()) setCursorLine(-1);
}

void WaterfallPlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Up:
            return setCursorLine(std::max(0, cursor_ - 1));
        case Qt::Key_Down:
            return setCursorLine(std::min(lines() - 1, cursor_ + 1));
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (cursor_ >= 0 && cursor_ + 1 < lines()) emit stepChosen(cursor_);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void WaterfallPlot::focusOutEvent(QFocusEvent* event) {
    setCursorLine(-1);
    QWidget::focusOutEvent(event);
}

}  // namespace headloom
