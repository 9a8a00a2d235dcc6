#include "views/panels/head_strip.h"

#include "views/panels/head_card.h"
#include "views/viewmodels/explore_view_model.h"

#include <QScrollBar>

#include <algorithm>

namespace headloom {

HeadStrip::HeadStrip(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent)
    : QScrollArea(parent), model_(&model), side_(side), theme_(&theme), inside_(new QWidget) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidget(inside_);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Heads"));
    connect(&theme, &Theme::changed, this, &HeadStrip::fit);
}

void HeadStrip::refresh() {
    const ColumnHead head = model_->head(side_);
    const int wanted = head.iha ? head.heads : 0;
    while (static_cast<int>(cards_.size()) > wanted) {
        delete cards_.back();
        cards_.pop_back();
    }
    const bool grown = static_cast<int>(cards_.size()) < wanted;
    for (HeadCard* card : cards_) card->refresh();
    while (static_cast<int>(cards_.size()) < wanted) {
        cards_.push_back(
            new HeadCard(*model_, side_, static_cast<int>(cards_.size()), *theme_, inside_));
        cards_.back()->show();
    }
    if (grown) fit();
}

void HeadStrip::setScale(const ColourScale& scale) {
    for (HeadCard* card : cards_) card->setScale(scale);
}

float HeadStrip::largest(bool hideSink) const {
    float most = 0;
    for (const HeadCard* card : cards_) most = std::max(most, largestOf(card->sheet(), hideSink));
    return most;
}

void HeadStrip::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    fit();
}

void HeadStrip::fit() {
    if (cards_.empty()) return;
    const int gap = theme_->pixels(8);
    const auto count = static_cast<int>(cards_.size());
    const int width = viewport()->width();
    const int share = (viewport()->height() - (count - 1) * gap) / count;
    const int height = std::clamp(share, theme_->pixels(84), width + theme_->pixels(90));
    for (int i = 0; i < count; ++i)
        cards_[static_cast<std::size_t>(i)]->setGeometry(0, i * (height + gap), width, height);
    inside_->resize(width, count * height + (count - 1) * gap);
}

}  // namespace headloom
