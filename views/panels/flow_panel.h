#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/flow_model.h"

#include <QWidget>

#include <array>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QScrollArea;
class QToolButton;

namespace headloom {

class FlowLayout;
class FlowView;

/// The instrument that draws attention as lines between tokens: of any set of heads, tiles or
/// effective maps, or through all layers, with the formula that is used.
class FlowPanel : public QWidget {
    Q_OBJECT
  public:
    FlowPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    FlowModel& flow() { return flow_; }
    FlowView& view() { return *view_; }
    /// Chooses for the user whose lines are drawn, and of what.
    void choose(Side side, FlowModel::Maps maps);
    QSize sizeHint() const override;

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QLayout* controls();
    void refresh();
    void refreshSources(const FlowShown& shown);
    void fitSources();
    void scrollToRow(int row);
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    FlowModel flow_;
    std::array<QToolButton*, 2> sides_;
    QComboBox* maps_;
    QDoubleSpinBox* threshold_;
    QToolButton *allRows_, *allShown_;
    QScrollArea* sourceRoom_;  ///< around sources_: a layer may have many tiles
    QWidget* sources_;
    std::vector<QToolButton*> sourceButtons_;
    QLabel *formula_, *hint_;
    FlowView* view_;
    QScrollArea* scroll_;
    int scrolledTo_ = -1;
};

}  // namespace headloom
