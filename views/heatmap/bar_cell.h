#pragma once

#include "views/theme/theme.h"

#include <QStyledItemDelegate>
#include <QWidget>

namespace headloom {

/// Whose number it is, and so its colour.
enum class BarKind { mha, iha, accent, neutral };

/// A share as a bar with its number, as tables show it.
struct BarCell {
    double value = 0;  ///< length of the bar as a share of `maximum`; NaN: no bar
    double maximum = 1;
    QString text;  ///< the number, right-aligned
    BarKind kind = BarKind::neutral;
    bool isFaint = false;  ///< of secondary importance
};

QColor barColour(const ThemeColours& colours, BarKind kind);

/// Paints the number at the right end and the bar growing leftwards from it, so that numbers stay
/// in one column. Logical pixels. `textWidth` is the room kept for numbers; 0: as this one needs.
void paintBar(QPainter& painter, const QRectF& rect, const BarCell& cell, const Theme& theme,
              double textWidth = 0);

/// One bar on its own.
class BarView : public QWidget {
    Q_OBJECT
  public:
    explicit BarView(const Theme& theme, QWidget* parent = nullptr);
    void setCell(const BarCell& cell);
    const BarCell& cell() const { return cell_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    const Theme& theme_;
    BarCell cell_;
};

/// Draws bars in any item view. The model gives the number's text as DisplayRole and these roles;
/// items without `barValueRole` are drawn as usual.
class BarDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    static constexpr int barValueRole = Qt::UserRole + 100;    ///< double
    static constexpr int barMaximumRole = Qt::UserRole + 101;  ///< double; absent: 1
    static constexpr int barKindRole = Qt::UserRole + 102;     ///< int of BarKind; absent: neutral

    explicit BarDelegate(const Theme& theme, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  private:
    const Theme& theme_;
};

}  // namespace headloom
