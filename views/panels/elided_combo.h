#pragma once

#include <QComboBox>

namespace headloom {

/// A combo box that ends a text too long for it with an ellipsis; styled by a sheet, Qt's own cuts
/// it off in the middle of a letter.
class ElidedCombo : public QComboBox {
    Q_OBJECT
  public:
    using QComboBox::QComboBox;
    /// One that is content with little room, in a narrow form.
    static ElidedCombo* narrow(const QString& accessibleName);

  protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace headloom
