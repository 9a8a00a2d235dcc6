#include "views/panels/comparison_delegate.h"

#include "views/heatmap/bar_cell.h"
#include "views/viewmodels/comparison_model.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace headloom {

ComparisonDelegate::ComparisonDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent), theme_(&theme) {}

void ComparisonDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const {
    const ThemeColours& colours = theme_->colours();
    const bool marked = index.data(ComparisonModel::markedRole).toBool();
    const bool wrong = index.data(ComparisonModel::wrongRole).toBool();
    const QString text = index.data(Qt::DisplayRole).toString();
    const QRectF box = QRectF(option.rect).adjusted(theme_->px(4), 0, -theme_->px(4), 0);
    const QFont font = theme_->font(marked ? TextRole::strong : TextRole::body);
    const QFontMetricsF metrics(font);

    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QVariant bar = index.data(ComparisonModel::barRole);
    if (bar.isValid() && bar.toDouble() >= 0) {
        BarCell cell;
        cell.value = bar.toDouble();
        cell.kind =
            index.data(ComparisonModel::interleavedRole).toBool() ? BarKind::iha : BarKind::mha;
        const double number = std::max(metrics.horizontalAdvance(QStringLiteral("0.00")),
                                       metrics.horizontalAdvance(text));
        paintBar(*painter, box, cell, *theme_, number);
    }
    painter->setFont(font);
    const bool label = index.column() == ComparisonModel::labelColumn;
    painter->setPen(wrong ? colours.danger : label && !marked ? colours.textSoft : colours.text);
    const QString shown = metrics.elidedText(text, Qt::ElideRight, box.width());
    painter->drawText(box, (label ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, shown);
    painter->restore();
}

}  // namespace headloom
