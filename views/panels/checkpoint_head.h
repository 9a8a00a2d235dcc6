#pragma once

#include "views/theme/theme.h"

#include <QFrame>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace headloom {

class CheckpointViewModel;
class ElidedLabel;

/// The top of the Checkpoint page: which file, what it is, what it takes, and what can be done.
class CheckpointHead : public QFrame {
    Q_OBJECT
  public:
    CheckpointHead(CheckpointViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    void askForFile();
    void askWhereToExport();
    void askForIha();

  private:
    void connectAll();
    void fillChoices();
    void refresh();
    void restyle();

    CheckpointViewModel* model_;
    const Theme* theme_;
    QComboBox* choice_;
    QToolButton *open_, *left_, *right_, *export_, *iha_, *cancel_;
    QPushButton* load_;
    ElidedLabel *summary_, *memory_;
    QLabel* told_;
    QProgressBar* progress_;
};

}  // namespace headloom
