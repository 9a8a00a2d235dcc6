#pragma once

#include "views/theme/theme.h"

#include <QFrame>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace headloom {

class ColourBar;
class ExploreViewModel;

/// How the maps are shown: layer, tiles or effective maps, raw or by row, scale, curve, sink.
class ViewBar : public QFrame {
    Q_OBJECT
  public:
    ViewBar(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    ColourBar& colourBar() { return *colours_; }

  private:
    QToolButton* segment(const QString& text, const QString& tip);
    void read();
    void write();
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    QLabel* layerCaption_;
    QSpinBox* layer_;
    QToolButton *overview_, *layerHeads_, *oneHead_;
    QComboBox* measure_;
    QToolButton *tiles_, *effective_, *raw_, *byRow_, *shared_, *perMap_;
    QComboBox* curve_;
    QCheckBox* sink_;
    ColourBar* colours_;
};

}  // namespace headloom
