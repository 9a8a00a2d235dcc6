#pragma once

#include "views/theme/theme.h"

#include <QScrollArea>

class QLabel;

namespace headloom {

class BarPlot;
class CheckpointViewModel;
class CurvePlot;
class FactList;
class MatrixPicture;
class PartChooser;
class StopButton;
class TensorViewModel;

/// What is known of the tensor that is chosen in the tree.
class TensorPane : public QScrollArea {
    Q_OBJECT
  public:
    TensorPane(CheckpointViewModel& model, const Theme& theme, QWidget* parent = nullptr);

  private:
    void refresh();
    void refreshSpectrum();
    void restyle();

    CheckpointViewModel* model_;
    TensorViewModel* tensor_;
    const Theme* theme_;
    QLabel *name_, *hint_, *rank_;
    StopButton* stop_;
    QWidget* inside_;
    FactList *facts_, *statistics_;
    PartChooser* part_;
    BarPlot* histogram_;
    CurvePlot* spectrum_;
    MatrixPicture* picture_;
};

}  // namespace headloom
