#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QLabel;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace headloom {

class CheckpointHead;
class CheckpointViewModel;
class ReportPane;
class TensorList;

/// The Checkpoint page: the tensors on the left; on the right the chosen one, the heads, or the
/// report. A file dropped on it is opened.
class CheckpointPanel : public QWidget {
    Q_OBJECT
  public:
    enum Pane { tensor, heads, report };

    CheckpointPanel(CheckpointViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    CheckpointHead& head() { return *head_; }
    TensorList& list() { return *list_; }
    ReportPane& reportPane() { return *report_; }
    Pane pane() const;
    void setPane(Pane pane);
    void resetLayout();

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QWidget* paneSwitch();
    void refresh();
    void restyle();

    CheckpointViewModel* model_;
    const Theme* theme_;
    CheckpointHead* head_;
    TensorList* list_;
    ReportPane* report_;
    QToolButton* buttons_[3];
    QStackedWidget *panes_, *body_;
    QSplitter* splitter_;
    QLabel* hint_;
    QWidget* switch_;
};

}  // namespace headloom
