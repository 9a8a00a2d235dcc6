#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QToolButton;
class QTreeView;

namespace headloom {

class CheckpointViewModel;
class ElidedLabel;
class StopButton;

/// What opening a checkpoint found, and the doctor afterwards. A line about a tensor chooses it.
class ReportPane : public QWidget {
    Q_OBJECT
  public:
    ReportPane(CheckpointViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    void copy();

  signals:
    void tensorWanted(int entry);

  private:
    void refresh();
    void openGroups();
    void askForLogits();
    void restyle();

    CheckpointViewModel* model_;
    const Theme* theme_;
    QToolButton *copy_, *compare_;
    StopButton* examine_;
    ElidedLabel* hint_;
    QTreeView* lines_;
};

}  // namespace headloom
