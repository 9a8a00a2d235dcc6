#pragma once

#include "views/panels/theory_part.h"
#include "views/viewmodels/theory_cost_model.h"

#include <vector>

class QComboBox;
class QTreeWidget;

namespace headloom {

class CurvePlot;
class TheoryChoice;
class TheorySlider;

/// "Cost": sizes above; the table of arms; the formulas and the curves over N of the chosen
/// quantity below.
class TheoryCostPane : public TheoryPart {
    Q_OBJECT
  public:
    explicit TheoryCostPane(const Theme& theme, QWidget* parent = nullptr);

    TheoryCostModel& model() { return model_; }
    CurvePlot& curves() { return *curves_; }
    QTreeWidget& table() { return *table_; }
    void step(int by) override;  ///< through the quantities

  private:
    QWidget* controls();
    void makeTable();
    QWidget* curveColumn();
    void change();
    void refresh();
    void refreshTable();
    void restyle();

    struct Size {
        TheorySlider* slider;
        std::int64_t CostSizes::*field;
    };
    TheoryCostModel model_;
    std::vector<Size> sizes_;
    QComboBox* presets_;
    TheoryChoice *collapse_, *pairs_, *quantity_;
    QLabel *problem_, *facts_, *formulas_, *pointed_;
    QTreeWidget* table_;
    CurvePlot* curves_;
};

}  // namespace headloom
