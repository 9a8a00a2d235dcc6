#pragma once

#include "views/theme/theme.h"

#include <QWidget>

#include <vector>

class QLabel;
class QToolButton;

namespace headloom {

class CheckpointViewModel;

/// Asks what a checkpoint of interleaved heads does not say: which axis of its alphas is the source
/// head. Hidden for all others.
class AlphaOrderRow : public QWidget {
    Q_OBJECT
  public:
    AlphaOrderRow(CheckpointViewModel& model, const Theme& theme, QWidget* parent = nullptr);

  private:
    void refresh();
    void restyle();

    CheckpointViewModel* model_;
    const Theme* theme_;
    QLabel* question_;
    std::vector<QToolButton*> answers_;
    QToolButton* both_;
};

}  // namespace headloom
