#pragma once

#include "views/panels/theory_part.h"
#include "views/viewmodels/theory_look_back_model.h"

#include <vector>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace headloom {

class ColourBar;
class TheoryChoice;
class TheoryLookBackColumn;
class TheorySlider;

/// "Two heads, four jobs": the trained arms of the look-back bank side by side on one example,
/// their maps as shifted diagonals with the offsets that each carries.
class TheoryLookBackPane : public TheoryPart {
    Q_OBJECT
  public:
    explicit TheoryLookBackPane(const Theme& theme, QWidget* parent = nullptr);

    TheoryLookBackModel& model() { return model_; }
    TheoryLookBackColumn& column(int arm) { return *columns_.at(static_cast<std::size_t>(arm)); }
    void step(int by) override;  ///< examples

  protected:
    void begin() override;

  private:
    QWidget* controls();
    void refreshAsked();
    void refreshOpened();
    void refreshMaps();
    void restyle();

    TheoryLookBackModel model_;
    TheoryChoice* view_;
    TheorySlider* example_;
    QToolButton* train_;
    QLabel *tokens_, *problem_, *pointed_, *verdict_, *claim_;
    QHBoxLayout* arms_;
    std::vector<TheoryLookBackColumn*> columns_;
    ColourBar* scale_;
};

}  // namespace headloom
