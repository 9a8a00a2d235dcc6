#include "views/panels/chain_track.h"

#include "views/panels/side_colour.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/words.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <utility>

namespace headloom {

ChainTrack::ChainTrack(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(&model), theme_(&theme) {
    setMouseTracking(true);
    setAccessibleName(tr("Chain"));
    connect(&model, &ExploreViewModel::runsChanged, this, &ChainTrack::refresh);
    connect(&model.selection(), &Selection::stepChanged, this, &ChainTrack::follow);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        refresh();
    });
    refresh();
}

QSize ChainTrack::sizeHint() const {
    return {theme_->pixels(640), qRound(3 * rowHeight() + theme_->px(6))};
}

QSize ChainTrack::minimumSizeHint() const {
    return {theme_->pixels(160), sizeHint().height()};
}

void ChainTrack::refresh() {
    layOut();
    follow();
    update();
}

void ChainTrack::follow() {
    const double before = scroll_;
    scrollToCurrent();
    const int old = std::exchange(current_, model_->stepIndex());
    if (scroll_ != before) {
        update();
    } else {
        // Shaping the text of every step takes longer than all the maps: only two steps change.
        for (const int step : {old, current_})
            if (step >= 0) update(place(step).toAlignedRect());
    }
    if (current_ < 0) return;
    const ChainStep& step = model_->steps()[static_cast<std::size_t>(current_)];
    setAccessibleDescription(tr("Step %1 of %2: left says %3, right says %4")
                                 .arg(current_)
                                 .arg(model_->steps().size())
                                 .arg(step.marks[0].token, step.marks[1].token));
}

void ChainTrack::layOut() {
    const QFontMetricsF tokens(theme_->font(TextRole::token));
    const QFontMetricsF numbers(theme_->font(TextRole::small));
    double widest = tokens.horizontalAdvance(QStringLiteral("0"));
    for (const ChainStep& step : model_->steps()) {
        widest = std::max(widest, tokens.horizontalAdvance(step.truth));
        for (const ChainMark& mark : step.marks)
            widest = std::max(widest, tokens.horizontalAdvance(mark.token));
    }
    tokenWidth_ = widest;
    const double number = numbers.horizontalAdvance(QStringLiteral("0.00"));
    const auto count = static_cast<double>(model_->steps().size());
    const double roomy = tokenWidth_ + number + theme_->px(24);
    const double tight = tokenWidth_ + number + theme_->px(20);
    cellWidth_ = count > 0 ? std::clamp(width() / count, tight, roomy) : roomy;
}

void ChainTrack::scrollToCurrent() {
    const double all = static_cast<double>(model_->steps().size()) * cellWidth_;
    if (const int current = model_->stepIndex(); current >= 0) {
        const double left = current * cellWidth_;
        scroll_ = std::min(scroll_, left - cellWidth_);
        scroll_ = std::max(scroll_, left + 2 * cellWidth_ - width());
    }
    scroll_ = std::clamp(scroll_, 0.0, std::max(0.0, all - width()));
}

QRectF ChainTrack::place(int step) const {
    return {step * cellWidth_ - scroll_, 0, cellWidth_, static_cast<double>(height())};
}

int ChainTrack::stepAt(const QPointF& point) const {
    if (cellWidth_ <= 0) return -1;
    const int step = static_cast<int>((point.x() + scroll_) / cellWidth_);
    return step >= 0 && step < static_cast<int>(model_->steps().size()) ? step : -1;
}

void ChainTrack::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (model_->steps().empty()) {
        painter.setFont(theme_->font(TextRole::body));
        painter.setPen(theme_->colours().textSoft);
        painter.drawText(rect(), Qt::AlignVCenter, tr("The chain appears when a model has run"));
        return;
    }
    for (int step = 0; step < static_cast<int>(model_->steps().size()); ++step)
        if (place(step).intersects(event->rect())) drawStep(painter, step);
}

void ChainTrack::drawStep(QPainter& painter, int index) const {
    const ChainStep& step = model_->steps()[static_cast<std::size_t>(index)];
    const ThemeColours& colours = theme_->colours();
    const QRectF box = place(index);
    const double inset = theme_->px(1.5);
    const bool current = step.row == model_->selection().step();
    if (!current && index > 0) {
        const double y = box.bottom() - theme_->px(8);
        painter.setPen(QPen(colours.border, theme_->px(1)));
        painter.drawLine(QPointF(box.left(), theme_->px(8)), QPointF(box.left(), y));
    }
    if (current || index == hovered_) {
        const double line = theme_->px(1.6);
        painter.setPen(current ? QPen(colours.accent, line) : QPen(Qt::NoPen));
        painter.setBrush(current ? colours.accentWash : colours.raised);
        painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), theme_->radius(),
                                theme_->radius());
    }
    const QRectF inner = box.adjusted(theme_->px(8), theme_->px(3), -theme_->px(7), 0);
    QRectF line(inner.left(), inner.top(), inner.width(), rowHeight());
    painter.setFont(theme_->font(TextRole::token));
    painter.setPen(colours.textSoft);
    painter.drawText(QRectF(line.left(), line.top(), tokenWidth_, line.height()), Qt::AlignCenter,
                     step.truth.isEmpty() ? QStringLiteral("·") : step.truth);
    line.translate(0, rowHeight());
    drawMark(painter, step.marks[0], line, sideColour(*model_, *theme_, Side::left));
    line.translate(0, rowHeight());
    drawMark(painter, step.marks[1], line, sideColour(*model_, *theme_, Side::right));
}

void ChainTrack::drawMark(QPainter& painter, const ChainMark& mark, const QRectF& box,
                          const QColor& colour) const {
    const ThemeColours& colours = theme_->colours();
    if (!mark.present) return;
    const QRectF token(box.left(), box.top(), tokenWidth_, box.height());
    painter.setFont(theme_->font(TextRole::token));
    painter.setPen(mark.dimmed ? colours.textFaint : mark.wrong ? colours.danger : colour);
    painter.drawText(token, Qt::AlignCenter, mark.token);
    if (mark.wrong) {
        // Underlined as well as red: the mark must not rest on colour alone.
        painter.setPen(QPen(colours.danger, theme_->px(1.6)));
        const double y = token.bottom() - theme_->px(2.5);
        painter.drawLine(QPointF(token.left() - theme_->px(1), y),
                         QPointF(token.right() + theme_->px(1), y));
    }
    painter.setFont(theme_->font(TextRole::small));
    painter.setPen(mark.dimmed ? colours.textFaint : colours.textSoft);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, shareText(mark.probability));
}

void ChainTrack::mouseMoveEvent(QMouseEvent* event) {
    const int step = stepAt(event->position());
    if (step == hovered_) return;
    hovered_ = step;
    update();
}

void ChainTrack::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

void ChainTrack::mousePressEvent(QMouseEvent* event) {
    const int step = stepAt(event->position());
    if (step >= 0 && event->button() == Qt::LeftButton) model_->goToStep(step);
}

void ChainTrack::wheelEvent(QWheelEvent* event) {
    if (event->angleDelta().y() < 0 || event->angleDelta().x() < 0)
        model_->goForward();
    else
        model_->goBack();
}

void ChainTrack::resizeEvent(QResizeEvent*) {
    layOut();
    scrollToCurrent();
}

bool ChainTrack::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int index = stepAt(help->pos());
    if (index < 0) return QWidget::event(event);
    const ChainStep& step = model_->steps()[static_cast<std::size_t>(index)];
    QStringList lines{step.note.isEmpty() ? tr("step %1: token %2 is fed").arg(index).arg(step.row)
                                          : step.note};
    if (!step.truth.isEmpty()) lines << tr("true answer: %1").arg(step.truth);
    for (const Side side : bothSides) {
        const ChainMark& mark = step.marks[static_cast<std::size_t>(indexOf(side))];
        const QString who = side == Side::left ? tr("left") : tr("right");
        if (mark.present)
            lines << tr("%1 says %2 with probability %3%4")
                         .arg(who, mark.token)
                         .arg(mark.probability, 0, 'f', 4)
                         .arg(mark.wrong    ? tr(": wrong")
                              : mark.dimmed ? tr(": follows from a wrong symbol")
                                            : QString());
        else
            lines << tr("%1: its chain has ended").arg(who);
    }
    QToolTip::showText(help->globalPos(), lines.join(u'\n'), this);
    return true;
}

}  // namespace headloom
