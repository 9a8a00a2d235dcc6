#include "views/panels/token_strip.h"

#include "views/panels/side_colour.h"
#include "views/viewmodels/explore_view_model.h"
#include "views/viewmodels/token_search.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace headloom {

TokenStrip::TokenStrip(ExploreViewModel& model, const TokenSearch& search, const Theme& theme,
                       QWidget* parent)
    : QWidget(parent), model_(&model), search_(&search), theme_(&theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Prompt"));
    connect(&model, &ExploreViewModel::runsChanged, this, &TokenStrip::refresh);
    connect(&model.selection(), &Selection::stepChanged, this, &TokenStrip::refresh);
    connect(&model.display(), &DisplayOptions::changed, this, &TokenStrip::refresh);
    connect(&model.selection(), &Selection::hoveredTokenChanged, this,
            qOverload<>(&QWidget::update));
    connect(&search, &TokenSearch::changed, this, &TokenStrip::followSearch);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        widths_.clear();
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
    std::vector<TokenChip> next = model_->tokens();
    const bool ids = model_->display().values().ids && model_->session().readsText();
    const bool samePlaces =
        ids == ids_ && std::equal(next.begin(), next.end(), chips_.begin(), chips_.end(),
                                  [](const TokenChip& a, const TokenChip& b) {
                                      return a.text == b.text && a.other == b.other &&
                                             a.ids == b.ids && a.given == b.given;
                                  });
    chips_ = std::move(next);
    ids_ = ids;
    if (samePlaces)
        scrollToCurrent();
    else
        layOut();
    describe();
    update();
}

/// The last tokens up to the current one: all of a long prompt are too many to be read out.
void TokenStrip::describe() {
    constexpr std::size_t mostSaid = 60;
    std::size_t end = 0;
    while (end < chips_.size() && !chips_[end].later) ++end;
    QStringList said;
    for (std::size_t at = end > mostSaid ? end - mostSaid : 0; at < end; ++at)
        said << chips_[at].text;
    setAccessibleDescription(tr("%1; the last is the current token").arg(said.join(u' ')));
}

double TokenStrip::widthOf(const QString& text, TextRole role) {
    const auto key = std::make_pair(role, text);
    const auto known = widths_.find(key);
    if (known != widths_.end()) return known->second;
    return widths_[key] = QFontMetricsF(theme_->font(role)).horizontalAdvance(text);
}

void TokenStrip::layOut() {
    const auto measure = [&](TextRole role, double least, double padding, double gap) {
        places_.clear();
        double x = theme_->px(2);
        for (std::size_t i = 0; i < chips_.size(); ++i) {
            const TokenChip& chip = chips_[i];
            double text = std::max(widthOf(chip.text, role), widthOf(chip.other, role));
            if (ids_) text = std::max(text, widthOf(chip.ids, TextRole::tiny));
            const double width = std::max(theme_->px(least), text + 2 * theme_->px(padding));
            if (i > 0 && chips_[i - 1].given && !chip.given) x += theme_->px(10);
            places_.emplace_back(x, theme_->px(3), width, theme_->px(28));
            x += width + theme_->px(gap);
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
    scrollToCurrent();
}

void TokenStrip::scrollToCurrent() {
    double wanted = scroll_;
    for (std::size_t i = 0; i < chips_.size(); ++i) {
        if (!chips_[i].current) continue;
        const double margin = theme_->px(60);
        wanted = std::min(wanted, places_[i].left() - margin);
        wanted = std::max(wanted, places_[i].right() + margin - width());
    }
    scroll_ = std::clamp(wanted, 0.0, std::max(0.0, width_ - width()));
}

void TokenStrip::scrollToChip(int chip) {
    if (chip < 0) return;
    const QRectF place = places_[static_cast<std::size_t>(chip)];
    scroll_ = std::max(std::min(scroll_, place.left()), place.right() - width());
}

void TokenStrip::followSearch() {
    if (search_->current() >= 0)
        scrollToChip(
            chipOfToken(search_->matches()[static_cast<std::size_t>(search_->current())].first));
    update();
}

/// The first chip that ends at or after this place of the whole strip.
std::size_t TokenStrip::chipFrom(double x) const {
    const auto found =
        std::lower_bound(places_.begin(), places_.end(), x,
                         [](const QRectF& place, double at) { return place.right() < at; });
    return static_cast<std::size_t>(found - places_.begin());
}

int TokenStrip::chipOfToken(int token) const {
    const auto found = std::find_if(chips_.begin(), chips_.end(), [token](const TokenChip& chip) {
        return token >= chip.first && token <= chip.last;
    });
    return found == chips_.end() ? -1 : static_cast<int>(found - chips_.begin());
}

int TokenStrip::chipAt(const QPointF& point) const {
    const std::size_t at = chipFrom(point.x() + scroll_);
    const bool inside = at < places_.size() && places_[at].contains(point + QPointF(scroll_, 0));
    return inside ? static_cast<int>(at) : -1;
}

void TokenStrip::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(-scroll_, 0);
    const double right = event->rect().right() + 1 + scroll_;
    for (std::size_t i = chipFrom(event->rect().left() + scroll_);
         i < places_.size() && places_[i].left() <= right; ++i)
        drawChip(painter, i);
}

void TokenStrip::drawChip(QPainter& painter, std::size_t at) const {
    const TokenChip& chip = chips_[at];
    const ThemeColours& colours = theme_->colours();
    const int token = model_->selection().hoveredToken();
    const bool hovered = token >= chip.first && token <= chip.last;
    const QRectF box = places_[at];
    const double line = theme_->px(chip.current ? 2 : 1.4);
    QColor ground = hovered ? colours.hover : colours.raised;
    if (chip.evidence) ground = colours.accentWash;
    QPen frame = Qt::NoPen;
    if (chip.implicit) frame = QPen(colours.borderStrong, theme_->px(1.2), Qt::DashLine);
    if (chip.evidence) frame = QPen(colours.accent, line);
    if (chip.current) frame = QPen(colours.outline, line);
    if (chip.later) ground.setAlphaF(hovered ? 0.9F : 0.45F);
    painter.setPen(frame);
    painter.setBrush(ground);
    const double inset = line / 2;
    const double radius = small_ ? theme_->px(3) : theme_->radius();
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), radius, radius);
    if (search_->holds(chip.first, chip.last)) {
        const double bar = theme_->px(3);
        painter.fillRect(QRectF(box.left(), height() - bar, box.width(), bar), colours.text);
    }
    const double half = box.height() / 2;
    const bool whole = chip.other.isEmpty() && !small_ && !ids_;
    painter.setFont(theme_->font(whole ? TextRole::token : TextRole::tokenSmall));
    painter.setPen(chip.later ? colours.textFaint : colours.text);
    if (chip.other.isEmpty() && !ids_) {
        painter.drawText(box, Qt::AlignCenter, chip.text);
        return;
    }
    if (chip.other.isEmpty()) {
        painter.drawText(box.adjusted(0, theme_->px(1), 0, -half), Qt::AlignCenter, chip.text);
        painter.setFont(theme_->font(TextRole::tiny));
        painter.setPen(colours.textSoft);
        painter.drawText(box.adjusted(0, half, 0, -theme_->px(1)), Qt::AlignCenter, chip.ids);
        return;
    }
    // The two models wrote different tokens here: the left one's above the right one's.
    painter.setPen(sideColour(*model_, *theme_, Side::left));
    painter.drawText(box.adjusted(0, theme_->px(1), 0, -half), Qt::AlignCenter, chip.text);
    painter.setPen(sideColour(*model_, *theme_, Side::right));
    painter.drawText(box.adjusted(0, half, 0, -theme_->px(1)), Qt::AlignCenter, chip.other);
}

void TokenStrip::mouseMoveEvent(QMouseEvent* event) {
    const int index = chipAt(event->position());
    model_->selection().setHoveredToken(index < 0 ? -1
                                                  : chips_[static_cast<std::size_t>(index)].first);
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
    const TokenChip& chip = chips_[static_cast<std::size_t>(index)];
    const std::vector<ChainStep>& steps = model_->steps();
    for (std::size_t i = steps.size(); i-- > 0;)
        if (steps[i].row >= chip.first && steps[i].row <= chip.last)
            return model_->goToStep(static_cast<int>(i));
}

bool TokenStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int index = chipAt(help->pos());
    if (index < 0) return QWidget::event(event);
    const QString words = model_->chipText(chips_[static_cast<std::size_t>(index)]);
    QToolTip::showText(help->globalPos(), words, this);
    return true;
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
    const int index = chipOfToken(selection.hoveredToken());
    const auto point = [&](int chip) {
        if (chip < 0 || chip > last) return;
        scrollToChip(chip);
        selection.setHoveredToken(chips_[static_cast<std::size_t>(chip)].first);
    };
    switch (event->key()) {
        case Qt::Key_Left:
            return point(std::max(0, index - 1));
        case Qt::Key_Right:
            return point(std::min(last, index + 1));
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
