#include "views/heatmap/bar_cell.h"

#include <QApplication>
#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headloom {

QColor barColour(const ThemeColours& colours, BarKind kind) {
    switch (kind) {
        case BarKind::mha:
            return colours.mha;
        case BarKind::iha:
            return colours.iha;
        case BarKind::accent:
            return colours.accent;
        case BarKind::neutral:
            break;
    }
    return colours.textSoft;
}

void paintBar(QPainter& painter, const QRectF& rect, const BarCell& cell, const Theme& theme,
              double textWidth) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme.font(TextRole::body));
    const QFontMetricsF metrics(painter.font());
    const double number = std::max(textWidth, metrics.horizontalAdvance(cell.text));
    painter.setPen(cell.isFaint ? theme.colours().textSoft : theme.colours().text);
    painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, cell.text);
    const double room = rect.width() - number - theme.px(6);
    if (room > theme.px(8) && std::isfinite(cell.value) && cell.maximum > 0) {
        const double share = std::clamp(cell.value / cell.maximum, 0.0, 1.0);
        // even a tiny share leaves a mark; zero leaves none
        const double length = share > 0 ? std::max(theme.px(1), share * room) : 0;
        const double height = std::min(theme.px(9), rect.height());
        const QRectF bar(rect.left() + room - length, rect.center().y() - height / 2, length,
                         height);
        QColor colour = barColour(theme.colours(), cell.kind);
        if (cell.isFaint) colour.setAlphaF(0.55f);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        const double radius = std::min(theme.px(2), length / 2);
        painter.drawRoundedRect(bar, radius, radius);
    }
    painter.restore();
}

BarView::BarView(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void BarView::setCell(const BarCell& cell) {
    cell_ = cell;
    setAccessibleName(cell.text);
    update();
}

QSize BarView::sizeHint() const {
    const QFontMetrics metrics(theme_.font(TextRole::body));
    return QSize(theme_.pixels(110), metrics.height() + theme_.pixels(3));
}

QSize BarView::minimumSizeHint() const {
    const QFontMetrics metrics(theme_.font(TextRole::body));
    return QSize(metrics.horizontalAdvance(cell_.text), metrics.height());
}

void BarView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QFontMetricsF metrics(theme_.font(TextRole::body));
    paintBar(painter, QRectF(rect()), cell_, theme_, metrics.horizontalAdvance("0.00"));
}

BarDelegate::BarDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent), theme_(theme) {}

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const QVariant value = index.data(barValueRole);
    if (!value.isValid()) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem empty = option;
    initStyleOption(&empty, index);
    BarCell cell;
    cell.text = empty.text;
    cell.value = value.toDouble();
    const QVariant maximum = index.data(barMaximumRole);
    if (maximum.isValid()) cell.maximum = maximum.toDouble();
    const QVariant kind = index.data(barKindRole);
    if (kind.isValid()) cell.kind = static_cast<BarKind>(kind.toInt());
    empty.text.clear();
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &empty, painter, option.widget);
    const QFontMetricsF metrics(theme_.font(TextRole::body));
    const double pad = theme_.px(6);
    paintBar(*painter, QRectF(option.rect).adjusted(pad, 0, -pad, 0), cell, theme_,
             metrics.horizontalAdvance("0.00"));
}

QSize BarDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.data(barValueRole).isValid()) size.rwidth() += theme_.pixels(56);
    return size;
}

}  // namespace headloom
