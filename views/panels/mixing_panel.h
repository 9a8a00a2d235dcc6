#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/map_ref.h"
#include "views/viewmodels/mixing_sheet.h"

#include <QFrame>

#include <vector>

class QLabel;

namespace headloom {

class ExploreViewModel;
struct MatrixSheet;
class MatrixView;

/// alpha_Q, alpha_K, alpha_V and R of the open head. The columns that make the open tile are lit;
/// a click on a weight lights the tiles that it feeds instead, and a drag changes it.
class MixingPanel : public QFrame {
    Q_OBJECT
  public:
    MixingPanel(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent = nullptr);

  private:
    void refresh();
    void highlight(const MixingSheet& mixing, MatrixSheet& drawn) const;
    void choose(int matrix, int row, int column);
    void edit(int matrix, int row, int column, float value, bool continues);
    void restyle();

    ExploreViewModel* model_;
    Side side_;
    const Theme* theme_;
    std::vector<MixingSheet> sheets_;
    std::vector<MatrixView*> views_;
    int gesture_ = 0;  ///< of the drag under way
};

}  // namespace headloom
