#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/map_ref.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QSpinBox;

namespace headloom {

class ExploreViewModel;
class OtherPromptRow;

/// What is switched off in a model, with a line to switch more off: any part by its name, at every
/// token or at one, by nothing or by what stands there in another prompt.
class OffControls : public QWidget {
    Q_OBJECT
  public:
    OffControls(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    void setSide(Side side);

  private:
    void switchOff();
    void switchOn();
    void refresh();
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    Side side_ = Side::right;
    QLineEdit* part_;
    QComboBox* instead_;
    QSpinBox* row_;
    QCheckBox* renormalise_;
    OtherPromptRow* other_;
    QListWidget* list_;
    QLabel* problem_;
};

}  // namespace headloom
