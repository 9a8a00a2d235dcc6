#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/comparison_model.h"

#include <QFrame>
#include <QLabel>

#include <functional>

class QTableView;
class QToolButton;
class QVBoxLayout;

namespace headloom {

class ExploreViewModel;

/// One table of the right-hand side with a heading that folds it. It asks for its rows only while
/// it can be seen.
class ComparisonPanel : public QFrame {
    Q_OBJECT
  public:
    using Rows = std::function<std::vector<ComparisonRow>()>;

    /// `rows` is called for what to show; `hint` stands there when it gives none. `steadyRows`:
    /// height in lines that is kept even with fewer, so that nothing below jumps.
    ComparisonPanel(const QString& title, const QString& hint, int steadyRows, Rows rows,
                    ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    /// Text beside the title: what the numbers are of.
    void setSubtitle(const QString& text);
    /// A control in the heading's right corner.
    void setHint(const QString& hint) { hint_->setText(hint); }
    void addControl(QWidget* control);
    void setOpen(bool open);
    bool isOpen() const { return open_; }
    const ComparisonModel& rows() const { return *table_; }

  public slots:
    /// Something the rows depend on has changed.
    void markStale();

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void refresh();
    void restyle();
    void fitHeight();

    ExploreViewModel* model_;
    const Theme* theme_;
    Rows makeRows_;
    int steadyRows_;
    bool stale_ = true;
    bool open_ = true;
    ComparisonModel* table_;
    QToolButton* heading_;
    QLabel* subtitle_;
    QLabel* hint_;
    QWidget* head_;
    QTableView* view_;
};

}  // namespace headloom
