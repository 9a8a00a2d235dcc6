#pragma once

#include "views/panels/theory_part.h"
#include "views/viewmodels/theory_containment_model.h"

namespace headloom {

class ColourBar;
class CurvePlot;
class HeatmapView;
class MatrixView;
class TheoryChoice;
class TheoryNumber;
class TheorySlider;

/// "MHA inside IHA": switches above; the table of all cases with the maps of the chosen one beside
/// it; the witness that IHA is more below.
class TheoryContainmentPane : public TheoryPart {
    Q_OBJECT
  public:
    explicit TheoryContainmentPane(const Theme& theme, QWidget* parent = nullptr);

    TheoryContainmentModel& model() { return model_; }
    MatrixView& table() { return *table_; }
    HeatmapView& maps() { return *maps_; }
    HeatmapView& difference() { return *difference_; }
    CurvePlot& witness() { return *witness_; }
    TheoryNumber& witnessScore() { return *witnessScore_; }
    TheoryNumber& witnessValue() { return *witnessValue_; }
    void step(int by) override;  ///< through the table

  protected:
    void begin() override;

  private:
    QWidget* switches();
    QWidget* mapColumn();
    QLayout* witnessNumbers();
    void change();
    void refreshCase();
    void refreshTable();
    void refreshMaps();
    void refreshWitness();
    void restyle();

    TheoryContainmentModel model_;
    TheoryChoice *mask_, *positions_, *score_, *weight_;
    TheorySlider *pseudo_, *selected_;
    TheoryNumber *witnessScore_, *witnessValue_;
    QLabel *verdict_, *reason_, *pointed_, *witnessReading_, *witnessWords_;
    MatrixView* table_;
    HeatmapView *maps_, *difference_;
    ColourBar *mapScale_, *differenceScale_;
    CurvePlot* witness_;
};

}  // namespace headloom
