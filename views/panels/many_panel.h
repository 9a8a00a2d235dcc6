#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/flow_model.h"
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
class SimilarityMap;

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
    /// By the end of its name: .csv has all averages, .svg and .png the picture that is shown.
    void exportTo(const QString& path);
    const SimilarityMap& similarity() const { return *similarity_; }
    QSize sizeHint() const override;

  signals:
    void failed(const QString& sentence);
    void done(const QString& sentence);
    /// The lines of what is listed, for the prompt in view.
    void flowWanted(headloom::Side side, headloom::FlowModel::Maps maps);
    void pictureWanted(const headloom::Exportable& picture, const QString& path);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QLayout* questions();
    QLayout* prompts();
    /// Whether the prompts are those of a file.
    bool readsFile() const { return fromFile_ || !many_.hasTask(); }
    void chooseFile();
    void askWhereToExport();
    void startOrStop();
    void openRow(int row);
    void refresh();
    void refreshPrompts();
    void refreshMeasures();
    void refreshSimilarity();
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
    SimilarityMap* similarity_;
};

}  // namespace headloom
