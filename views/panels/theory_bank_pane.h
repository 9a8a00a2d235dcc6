#pragma once

#include "views/panels/theory_part.h"
#include "views/viewmodels/theory_filter_model.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace headloom {

class ColourBar;
class CurvePlot;
class HeatmapView;
class TheoryBankModel;
class TheoryGraphView;
class TheorySlider;

/// The polynomial bank: sizes and graph above; the graph with its spreading signal, and the maps
/// of both constructions; parameters, and what too few heads miss, below.
class TheoryBankPane : public TheoryPart {
    Q_OBJECT
  public:
    TheoryBankPane(TheoryBankModel& model, const Theme& theme, QWidget* parent = nullptr);

    HeatmapView& maps(bool interleaved) { return *maps_[interleaved ? 1 : 0]; }
    TheoryGraphView& graph() { return *graph_; }
    CurvePlot& parameters() { return *parameters_; }
    CurvePlot& fewHeads() { return *fewHeads_; }
    const QLabel& formulas() const { return *formulas_; }
    TheoryFilterModel& filter() { return filter_; }
    void askForGraph();
    void step(int by) override;  ///< hops of the signal

  protected:
    void begin() override;

  private:
    QWidget* controls();
    QWidget* graphColumn();
    QWidget* mapColumn(bool interleaved);
    void refreshAsked();
    void refreshBank();
    void refreshMaps(bool interleaved);
    QLayout* parametersColumn();
    QLayout* fewColumn();
    void refreshFew();
    void refreshTrained();
    void refreshPlace();
    void refreshGraph();
    void setSizes();
    void restyle();

    TheoryBankModel* model_;
    TheoryFilterModel filter_;
    TheorySlider *filters_, *nodes_, *dim_, *few_;
    QComboBox* graphs_;
    QLabel *problem_, *facts_[2], *pointed_, *hops_, *formulas_, *fewFacts_, *trained_;
    QToolButton *back_, *forward_, *train_;
    HeatmapView* maps_[2];
    ColourBar* scale_;
    TheoryGraphView* graph_;
    CurvePlot *parameters_, *fewHeads_;
};

}  // namespace headloom
