#pragma once

#include "views/theme/theme.h"

#include <QFrame>

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace headloom {

class TrainCurves;
class TrainSetup;
class TrainViewModel;

/// The Train page beside the maps: set-up, transport, curves, kept moments and the verdict.
class TrainPanel : public QFrame {
    Q_OBJECT
  public:
    TrainPanel(TrainViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    TrainCurves& curves() { return *curves_; }
    void askWhereToSave();
    void askWhereToExport();

  private:
    void startOrStop();
    void refresh();
    void refreshRuns();
    void restyle();

    TrainViewModel* model_;
    const Theme* theme_;
    TrainSetup* setup_;
    QPushButton* start_;
    QToolButton *reset_, *rewind_, *open_, *save_, *export_;
    QLabel *status_, *moment_, *verdict_;
    TrainCurves* curves_;
    QComboBox* run_;
};

}  // namespace headloom
