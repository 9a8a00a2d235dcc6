#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/many_model.h"

#include <QWidget>

#include <array>

class QComboBox;
class QLabel;
class QProgressBar;
class QSpinBox;
class QTableView;
class QToolButton;

namespace headloom {

class ExploreViewModel;

/// The instrument that averages over many prompts what the others say of one: what, over which
/// prompts, and a table of every head, tile or part with mean and spread. A click or Enter opens
/// its map.
class ManyPanel : public QWidget {
    Q_OBJECT
  public:
    ManyPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    ManyModel& many() { return many_; }
    QTableView& table() { return *table_; }
    /// Averages over the prompts of a file, as the user would choose it in a dialog.
    void setFile(const QString& path);
    void exportTo(const QString& path);
    QSize sizeHint() const override;

  signals:
    void failed(const QString& sentence);
    void done(const QString& sentence);

  private:
    QLayout* questions();
    QLayout* prompts();
    /// Whether the prompts are those of a file.
    bool readsFile() const { return fromFile_ || !many_.hasTask(); }
    void chooseFile();
    void askWhereToExport();
    void startOrStop();
    void refresh();
    void refreshPrompts();
    void refreshMeasures();
    void fitNames();
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    ManyModel many_;
    Side side_ = Side::right;
    bool fromFile_ = false;  ///< wished: a model without examples has no choice
    QString file_;
    std::array<QToolButton*, 2> sides_;
    QToolButton* headsOnly_;
    QComboBox *what_, *parts_, *over_;
    QSpinBox* examples_;
    QToolButton *choose_, *start_;
    QProgressBar* progress_;
    QLabel *hint_, *about_;
    QComboBox* measure_;
    QToolButton* export_;
    QTableView* table_;
};

}  // namespace headloom
