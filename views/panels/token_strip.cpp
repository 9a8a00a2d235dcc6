#include "views/panels/token_strip.h"

#include "views/panels/side_colour.h"
#include "views/viewmodels/explore_view_model.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>

namespace headloom {

TokenStrip::TokenStrip(ExploreViewModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent), model_(&model), theme_(&theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Prompt"));
    connect(&model, &ExploreViewModel::runsChanged, this, &TokenStrip::refresh);
    connect(&model.selection(), &Selection::stepChanged, this, &TokenStrip::refresh);
    connect(&model.selection(), &Selection::hoveredTokenChanged, this,
            qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        layOut();
        update();
    });
}

QSize TokenStrip::sizeHint() const {
    return {theme_->pixels(640), theme_->pixels(34)};
}

QSize TokenStrip::minimumSizeHint() const {
    return {theme_->pixels(120), theme_->pixels(34)};
}

void TokenStrip::refresh() {
    chips_ = model_->tokens();
    layOut();
    QStringList said;
    for (const TokenChip& chip : chips_)
        if (!chip.later) said << chip.text;
    setAccessibleDescription(tr("%1; the last is the current token").arg(said.join(u' ')));
    update();
}

void TokenStrip::layOut() {
    places_.clear();
    const auto measure = [&](TextRole role, double least, double padding, double gap) {
        const QFontMetricsF metrics(theme_->font(role));
        places_.clear();
        double x = theme_->px(2);
        for (std::size_t i = 0; i < chips_.size(); ++i) {
            const double text = std::max(metrics.horizontalAdvance(chips_[i].text),
                                         metrics.horizontalAdvance(chips_[i].other));
            const double chip = std::max(theme_->px(least), text + 2 * theme_->px(padding));
            if (i > 0 && chips_[i - 1].given && !chips_[i].given) x += theme_->px(10);
            places_.emplace_back(x, theme_->px(3), chip, theme_->px(28));
            x += chip + theme_->px(gap);
        }
        return x;
    };
    small_ = false;
    width_ = measure(TextRole::token, 20, 9, 5);
    if (width_ > width()) width_ = measure(TextRole::token, 18, 4, 3);
    if (width_ > width()) {
        small_ = true;
        width_ = measure(TextRole::tokenSmall, 13, 2.5, 2);
    }
    double wanted = scroll_;
    for (std::size_t i = 0; i < chips_.size(); ++i) {
        if (!chips_[i].current) continue;
        const double margin = theme_->px(60);
        wanted = std::min(wanted, places_[i].left() - margin);
        wanted = std::max(wanted, places_[i].right() + margin - width());
    }
    scroll_ = std::clamp(wanted, 0.0, std::max(0.0, width_ - width()));
}

int TokenStrip::chipAt(const QPointF& point) const {
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (places_[i].translated(-scroll_, 0).contains(point)) return static_cast<int>(i);
    return -1;
}

void TokenStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(-scroll_, 0);
    for (int i = 0; i < static_cast<int>(chips_.size()); ++i) drawChip(painter, i);
}

void TokenStrip::drawChip(QPainter& painter, int index) const {
    const auto at = static_cast<std::size_t>(index);
    const TokenChip& chip = chips_[at];
    const ThemeColours& colours = theme_->colours();
    const bool hovered = model_->selection().hoveredToken() == index;
    const QRectF box = places_[at];
    const double line = theme_->px(chip.current ? 2 : 1.4);
    QColor ground = hovered ? colours.hover : colours.raised;
    if (chip.evidence) ground = colours.accentWash;
    QPen frame = Qt::NoPen;
    if (chip.evidence) frame = QPen(colours.accent, line);
    if (chip.current) frame = QPen(colours.outline, line);
    if (chip.later) ground.setAlphaF(hovered ? 0.9F : 0.45F);
    painter.setPen(frame);
    painter.setBrush(ground);
    const double inset = line / 2;
    const double radius = small_ ? theme_->px(3) : theme_->radius();
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), radius, radius);
    const bool whole = chip.other.isEmpty() && !small_;
    painter.setFont(theme_->font(whole ? TextRole::token : TextRole::tokenSmall));
    painter.setPen(chip.later ? colours.textFaint : colours.text);
    if (chip.other.isEmpty()) {
        painter.drawText(box, Qt::AlignCenter, chip.text);
        return;
    }
    // The two models wrote different tokens here: the left one's above the right one's.
    const double half = box.height() / 2;
    painter.setPen(sideColour(*model_, *theme_, Side::left));
    painter.drawText(box.adjusted(0, theme_->px(1), 0, -half), Qt::AlignCenter, chip.text);
    painter.setPen(sideColour(*model_, *theme_, Side::right));
    painter.drawText(box.adjusted(0, half, 0, -theme_->px(1)), Qt::AlignCenter, chip.other);
}

void TokenStrip::mouseMoveEvent(QMouseEvent* event) {
    model_->selection().setHoveredToken(chipAt(event->position()));
}

void TokenStrip::leaveEvent(QEvent*) {
    model_->selection().setHoveredToken(-1);
}

void TokenStrip::focusOutEvent(QFocusEvent* event) {
    model_->selection().setHoveredToken(-1);
    QWidget::focusOutEvent(event);
}

void TokenStrip::mousePressEvent(QMouseEvent* event) {
    const int index = chipAt(event->position());
    const bool chain = index >= 0 && !chips_[static_cast<std::size_t>(index)].given;
    if (event->button() != Qt::LeftButton) return;
    if (!chain) {
        emit editRequested();
        return;
    }
    const std::vector<ChainStep>& steps = model_->steps();
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].row == index) model_->goToStep(static_cast<int>(i));
}

void TokenStrip::wheelEvent(QWheelEvent* event) {
    const QPoint turned = event->angleDelta();
    const int delta = turned.x() != 0 ? turned.x() : turned.y();
    scroll_ = std::clamp(scroll_ - delta * theme_->px(0.4), 0.0, std::max(0.0, width_ - width()));
    update();
}

void TokenStrip::keyPressEvent(QKeyEvent* event) {
    Selection& selection = model_->selection();
    const int last = static_cast<int>(chips_.size()) - 1;
    const int token = selection.hoveredToken();
    switch (event->key()) {
        case Qt::Key_Left:
            return selection.setHoveredToken(std::max(0, token - 1));
        case Qt::Key_Right:
            return selection.setHoveredToken(std::min(last, token + 1));
        case Qt::Key_Escape:
            return selection.setHoveredToken(-1);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit editRequested();
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void TokenStrip::resizeEvent(QResizeEvent*) {
    layOut();
}

}  // namespace headloom
