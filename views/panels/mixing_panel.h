#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/mixing_sheet.h"

#include <QFrame>

#include <vector>

class QLabel;

namespace headloom {

class ExploreViewModel;
class MatrixView;

/// alpha_Q, alpha_K, alpha_V and R of the open head. The columns that make the open tile are lit;
/// a click on a weight lights the tiles that it feeds instead.
class MixingPanel : public QFrame {
    Q_OBJECT
  public:
    MixingPanel(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent = nullptr);

  private:
    void refresh();
    void highlight();
    void choose(int matrix, int row, int column);
    void restyle();

    ExploreViewModel* model_;
    Side side_;
    const Theme* theme_;
    std::vector<MixingSheet> sheets_;
    std::vector<MatrixView*> views_;
};

}  // namespace headloom
