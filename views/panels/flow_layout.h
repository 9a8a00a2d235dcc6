#pragma once

#include <QLayout>
#include <QList>

namespace headloom {

/// Lays items out in a line and goes on in the next one where the width does not suffice, so that a
/// bar of controls never decides how narrow the window may be.
class FlowLayout : public QLayout {
    Q_OBJECT
  public:
    using QLayout::QLayout;
    ~FlowLayout() override;

    /// This item is content with its minimum and takes what is left of its line, up to its maximum.
    void setGreedy(QWidget* widget) { greedy_ = widget; }

    void addItem(QLayoutItem* item) override { items_ << item; }
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override { return items_.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

  private:
    /// Places the items (or only measures); returns the height used, margins included.
    int arrange(const QRect& rect, bool place) const;

    QSize wantedSize(QLayoutItem* item) const;

    QList<QLayoutItem*> items_;
    QWidget* greedy_ = nullptr;
};

}  // namespace headloom
