#pragma once

#include "views/panels/theory_part.h"
#include "views/viewmodels/theory_cpm3_model.h"

class QLineEdit;
class QStackedWidget;
class QToolButton;

namespace headloom {

class CurvePlot;
class HeatmapView;
class MatrixView;
class TheorySlider;

/// CPM-3: sequence and factors above; the stage that is looked at in both constructions, side by
/// side; the counts beside those of all pairs, and the heads over N, below.
class TheoryCpm3Pane : public TheoryPart {
    Q_OBJECT
  public:
    explicit TheoryCpm3Pane(const Theme& theme, QWidget* parent = nullptr);

    TheoryCpm3Model& model() { return model_; }
    HeatmapView& maps(bool interleaved) { return *arms_[interleaved ? 1 : 0].maps; }
    MatrixView& matrix(bool interleaved) { return *arms_[interleaved ? 1 : 0].matrix; }
    MatrixView& counts() { return *counts_; }
    CurvePlot& heads() { return *heads_; }
    void step(int by) override;

  protected:
    void begin() override;

  private:
    /// One construction: its facts, and the maps or the matrix of the stage.
    struct Arm {
        QLabel* facts;
        QStackedWidget* shown;
        HeatmapView* maps;
        MatrixView* matrix;
    };
    QWidget* controls();
    QWidget* stages();
    QWidget* armColumn(bool interleaved);
    void refreshAsked();
    void refreshRun();
    void refreshFacts(bool interleaved);
    void refreshCounts();
    void refreshPlace();
    void restyle();

    TheoryCpm3Model model_;
    QLineEdit* sequence_;
    TheorySlider *tokens_, *g_, *m_;
    QLabel *problem_, *order_, *words_, *pointed_;
    QToolButton* stages_[3];
    Arm arms_[2];
    MatrixView* counts_;
    QLabel* agreement_;
    CurvePlot* heads_;
};

}  // namespace headloom
