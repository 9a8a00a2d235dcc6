#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/map_ref.h"

#include <QFrame>

class QProgressBar;
class QToolButton;

namespace headloom {

class ElidedLabel;
class ExploreViewModel;

/// How far the model that is being read for a column has come, or a long run, and the button that
/// gives it up. Hidden while there is neither.
class LoadBanner : public QFrame {
    Q_OBJECT
  public:
    LoadBanner(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent = nullptr);

  private:
    double runningHere() const;
    void refresh();
    void restyle();

    ExploreViewModel* model_;
    Side side_;
    const Theme* theme_;
    ElidedLabel* words_;
    QProgressBar* bar_;
    QToolButton* cancel_;
};

}  // namespace headloom
