#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QSpinBox;

namespace headloom {

class ExploreViewModel;

/// The prompt that parts are patched from: an example by its number, or text.
class OtherPromptRow : public QWidget {
    Q_OBJECT
  public:
    OtherPromptRow(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

  private:
    void choose(int example, const QString& text);
    void refresh();
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    QSpinBox* example_;
    QLineEdit* text_;
    QLabel* problem_;
    int gesture_ = 0;  ///< of stepping through examples
};

}  // namespace headloom
