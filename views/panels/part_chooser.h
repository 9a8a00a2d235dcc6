#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSpinBox;

namespace headloom {

class TensorViewModel;

/// Which part of a tensor is looked at: a matrix of a tensor of more axes, or the rows or columns
/// of one head where a user knows how many heads a matrix holds.
class PartChooser : public QWidget {
    Q_OBJECT
  public:
    PartChooser(TensorViewModel& tensor, const Theme& theme, QWidget* parent = nullptr);

  private:
    void refresh();
    void apply();
    void restyle();

    TensorViewModel* tensor_;
    const Theme* theme_;
    QComboBox* along_;
    QLabel *intoLabel_, *indexLabel_;
    QSpinBox *into_, *index_;
};

}  // namespace headloom
