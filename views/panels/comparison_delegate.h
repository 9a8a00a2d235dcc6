#pragma once

#include "views/theme/theme.h"

#include <QStyledItemDelegate>

namespace headloom {

/// Paints a ComparisonModel: numbers right-aligned with a bar in the model's colour before them,
/// the true answer in strong type, a wrong one in red.
class ComparisonDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    explicit ComparisonDelegate(const Theme& theme, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

  private:
    const Theme* theme_;
};

}  // namespace headloom
