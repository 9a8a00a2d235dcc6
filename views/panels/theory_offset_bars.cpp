#include "views/panels/theory_offset_bars.h"

#include "views/theme/focus_ring.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headloom {

OffsetBars::OffsetBars(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(&theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void OffsetBars::setContent(OffsetBarsContent content) {
    content_ = std::move(content);
    cursor_ = std::min(cursor_, count() - 1);
    setAccessibleName(tr("Offsets of %1").arg(content_.name));
    setAccessibleDescription(content_.verdict);
    update();
}

QString OffsetBars::label(int bar) const {
    if (bar == 0) return tr("own");
    if (bar + 1 == count()) return tr(">%1").arg(bar - 1);
    return QString::number(bar);
}

QString OffsetBars::readout() const {
    if (cursor_ < 0) return {};
    const QString place = cursor_ == 0             ? tr("its own token")
                          : cursor_ + 1 == count() ? tr("further than %1 back").arg(cursor_ - 1)
                                                   : tr("%1 back").arg(cursor_);
    return tr("%1, %2: %3")
        .arg(content_.name, place,
             QString::number(content_.weights[static_cast<std::size_t>(cursor_)], 'f', 3));
}

QSize OffsetBars::sizeHint() const {
    return {theme_->pixels(140), theme_->pixels(74)};
}

QSize OffsetBars::minimumSizeHint() const {
    return {theme_->pixels(90), theme_->pixels(58)};
}

QRectF OffsetBars::inner() const {
    return QRectF(rect()).adjusted(theme_->px(4), theme_->px(18), -theme_->px(4), -theme_->px(15));
}

void OffsetBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColours& colours = theme_->colours();
    const QRectF head(0, 0, width(), theme_->px(17));
    const bool reading = cursor_ >= 0;
    painter.setFont(theme_->font(content_.strong >= 0 ? TextRole::smallStrong : TextRole::small));
    painter.setPen(content_.strong >= 0 ? colours.text : colours.textSoft);
    const QString said =
        reading ? tr("%1: %2").arg(
                      label(cursor_),
                      QString::number(content_.weights[static_cast<std::size_t>(cursor_)], 'f', 3))
                : content_.verdict;
    painter.drawText(head, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(said, Qt::ElideRight, width()));
    paintBars(painter);
    paintFocusRing(painter, *this, *theme_);
}

void OffsetBars::paintBars(QPainter& painter) const {
    if (count() == 0) return;
    const ThemeColours& colours = theme_->colours();
    const QRectF area = inner();
    const double zero = content_.isSigned ? area.center().y() : area.bottom(),
                 room = content_.isSigned ? area.height() / 2 : area.height(),
                 step = area.width() / count();
    painter.setFont(theme_->font(TextRole::tiny));
    for (int bar = 0; bar < count(); ++bar) {
        const double weight = content_.weights[static_cast<std::size_t>(bar)],
                     share = content_.most > 0 ? std::clamp(weight / content_.most, -1.0, 1.0) : 0,
                     height = share * room;
        QColor colour = content_.colour;
        if (bar != content_.strong) colour = blend(colours.window, colour, 0.55);
        if (bar == cursor_) colour = colours.accent;
        const double left = area.left() + step * bar;
        painter.fillRect(QRectF(left + step * 0.14, std::min(zero, zero - height), step * 0.72,
                                std::max(std::abs(height), 1.0)),
                         colour);
        painter.setPen(bar == content_.strong ? colours.text : colours.textSoft);
        painter.drawText(QRectF(left - step, area.bottom(), 3 * step, theme_->px(15)),
                         Qt::AlignCenter, label(bar));
    }
    painter.setPen(QPen(colours.borderStrong, theme_->px(1)));
    painter.drawLine(QPointF(area.left(), zero), QPointF(area.right(), zero));
}

void OffsetBars::setCursorBar(int bar) {
    const int within = std::clamp(bar, -1, count() - 1);
    if (within == cursor_) return;
    cursor_ = within;
    setAccessibleDescription(cursor_ < 0 ? content_.verdict : readout());
    update();
    emit pointed(readout());
}

void OffsetBars::mouseMoveEvent(QMouseEvent* event) {
    const double share = (event->position().x() - inner().left()) / inner().width();
    setCursorBar(share < 0 || share >= 1 ? -1 : static_cast<int>(share * count()));
}

void OffsetBars::leaveEvent(QEvent*) {
    if (!hasFocus()) setCursorBar(-1);
}

void OffsetBars::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left) return setCursorBar(std::max(0, cursor_ - 1));
    if (event->key() == Qt::Key_Right) return setCursorBar(cursor_ + 1);
    QWidget::keyPressEvent(event);
}

void OffsetBars::focusOutEvent(QFocusEvent* event) {
    setCursorBar(-1);
    QWidget::focusOutEvent(event);
}

}  // namespace headloom
