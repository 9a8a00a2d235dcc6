#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/why_model.h"

#include <QScrollArea>

#include <vector>

class QCheckBox;
class QLabel;
class QToolButton;
class QTreeWidget;

namespace headloom {

class ExploreViewModel;
class MatrixView;
class WaterfallPlot;

/// The instrument that answers why: the score of a cell as the exact sum of its terms, the answer's
/// logit as the sum of what the parts add, and the answer at every depth of the model.
class WhyPanel : public QScrollArea {
    Q_OBJECT
  public:
    WhyPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    WhyModel& why() { return why_; }

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    void refreshCell();
    void refreshLogit();
    void refreshSides();
    void openPart(int line);
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    WhyModel why_;
    QLabel *cellText_, *shares_;
    MatrixView* terms_;
    WaterfallPlot* termSum_;
    QToolButton *left_, *right_;
    QCheckBox* tiles_;
    QLabel *logitText_, *lensHeading_ = nullptr;
    WaterfallPlot* parts_;
    std::vector<LogitPart> lines_;  ///< what the lines of parts_ are
    QTreeWidget* lens_;
};

}  // namespace headloom
