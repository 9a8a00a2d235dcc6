#pragma once

#include "views/theme/theme.h"

#include <QScrollArea>

class QComboBox;
class QLabel;
class QSpinBox;

namespace headloom {

class CheckpointViewModel;
class CurvePlot;
class HeadViewModel;
class MatrixPicture;
class StopButton;

/// The circuits of one head of a model that runs, as signed heat maps with their singular values.
class HeadPane : public QScrollArea {
    Q_OBJECT
  public:
    HeadPane(CheckpointViewModel& model, const Theme& theme, QWidget* parent = nullptr);

  private:
    QWidget* chooser();
    void refreshChoice();
    void refreshCircuits();
    void choose();
    void restyle();

    CheckpointViewModel* model_;
    HeadViewModel* head_;
    const Theme* theme_;
    QSpinBox *layer_, *which_, *query_, *key_;
    QLabel *queryLabel_, *keyLabel_;
    QComboBox* of_;  ///< before mixing, or a tile
    StopButton* stop_;
    QLabel* words_;
    QWidget *inside_, *chooser_;
    MatrixPicture *qk_, *ov_;
    CurvePlot* spectrum_;
};

}  // namespace headloom
