#pragma once

#include <QLabel>

namespace headloom {

/// A line of text that gives way: where it does not fit it ends in dots, and the whole is in the
/// tool tip.
class ElidedLabel : public QLabel {
    Q_OBJECT
  public:
    using QLabel::QLabel;

    void setWhole(const QString& text);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void elide();
    QString whole_;
};

}  // namespace headloom
