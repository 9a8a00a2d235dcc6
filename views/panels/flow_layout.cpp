#include "views/panels/flow_layout.h"

#include <QWidget>

#include <algorithm>

namespace headloom {

FlowLayout::~FlowLayout() {
    qDeleteAll(items_);
}

QLayoutItem* FlowLayout::takeAt(int index) {
    return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const {
    return arrange(QRect(0, 0, width, 0), false);
}

QSize FlowLayout::sizeHint() const {
    int width = 0, height = 0;
    for (const QLayoutItem* item : items_) {
        width += item->sizeHint().width() + spacing();
        height = std::max(height, item->sizeHint().height());
    }
    const QMargins edge = contentsMargins();
    return {width + edge.left() + edge.right(), height + edge.top() + edge.bottom()};
}

QSize FlowLayout::minimumSize() const {
    QSize most;
    for (const QLayoutItem* item : items_) most = most.expandedTo(item->minimumSize());
    const QMargins edge = contentsMargins();
    return most + QSize(edge.left() + edge.right(), edge.top() + edge.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

QSize FlowLayout::wantedSize(QLayoutItem* item) const {
    const QSize hint = item->sizeHint();
    const bool isGreedy = greedy_ && item->widget() == greedy_;
    return isGreedy ? QSize(item->minimumSize().width(), hint.height()) : hint;
}

int FlowLayout::arrange(const QRect& rect, bool place) const {
    const QRect inner = rect.marginsRemoved(contentsMargins());
    int y = inner.top();
    for (qsizetype first = 0; first < items_.size();) {
        int used = 0, height = 0;
        qsizetype end = first;
        while (end < items_.size()) {
            const QSize hint = wantedSize(items_[end]);
            const int wanted = used + (end > first ? spacing() : 0) + hint.width();
            if (end > first && wanted > inner.width()) break;
            used = wanted;
            height = std::max(height, hint.height());
            ++end;
        }
        int x = inner.left();
        for (qsizetype i = first; i < end; ++i) {
            QSize size = wantedSize(items_[i]);
            if (items_[i]->widget() == greedy_)
                size.setWidth(std::min(items_[i]->maximumSize().width(),
                                       size.width() + std::max(0, inner.width() - used)));
            if (place)
                items_[i]->setGeometry(QRect(QPoint(x, y + (height - size.height()) / 2), size));
            x += size.width() + spacing();
        }
        first = end;
        y += height + (first < items_.size() ? spacing() / 2 : 0);
    }
    return y - rect.top() + contentsMargins().bottom();
}

}  // namespace headloom
