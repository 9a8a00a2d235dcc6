#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QTreeView;

namespace headloom {

class CheckpointViewModel;

/// The tensors of a checkpoint as a tree, with a field that searches them.
class TensorList : public QWidget {
    Q_OBJECT
  public:
    TensorList(CheckpointViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    /// Chooses a tensor and brings it into view, whatever is searched for.
    void reveal(int entry);
    void startSearch();
    QTreeView& view() { return *view_; }

  signals:
    /// A tensor was clicked, or Enter pressed on it: the user wants to see it.
    void tensorWanted();

  private:
    void refresh();
    void search(const QString& text);
    void follow();
    void want(const QModelIndex& index);
    void restyle();

    CheckpointViewModel* model_;
    const Theme* theme_;
    QLineEdit* search_;
    QLabel* count_;
    QTreeView* view_;
};

}  // namespace headloom
