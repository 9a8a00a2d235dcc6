#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/map_ref.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QSpinBox;
class QToolButton;

namespace headloom {

class ExploreViewModel;

/// Mixing that everybody knows, set at once, or any point between two of them on a slider.
class MixingControls : public QWidget {
    Q_OBJECT
  public:
    MixingControls(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    /// The column whose model is changed.
    void setSide(Side side);

  private:
    void fillMatrices();
    void apply(int percent);
    void applyAt(int percent, int gesture);
    void setPercent(int percent);
    void refresh();
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    Side side_ = Side::right;
    QComboBox *from_, *to_;
    QComboBox *matrix_, *layers_;
    QSpinBox *seed_, *percent_;
    QSlider* slider_;
    QToolButton* reset_;
    QLabel *of_, *hint_;
    QWidget* controls_;
    int gesture_ = 0;
};

}  // namespace headloom
