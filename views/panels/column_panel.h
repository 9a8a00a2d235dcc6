#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/map_ref.h"

#include <QFrame>

class QComboBox;
class QLabel;
class QToolButton;

namespace headloom {

class ExploreViewModel;
class ElidedLabel;
class HeadGridView;
class HeadStrip;
class LoadBanner;
class LoomMap;
class MixingPanel;
struct ColourScale;

/// One column of the loom: which model stands there, its maps, and for IHA every head in small and
/// the mixing weights. A model file may be dropped on it.
class ColumnPanel : public QFrame {
    Q_OBJECT
  public:
    ColumnPanel(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent = nullptr);

    /// Shows the present step with maps and masses.
    void refresh();
    /// The largest value of any map here: for one scale over both columns.
    float largest(bool hideSink) const;
    void setScale(const ColourScale& scale);
    LoomMap& map() { return *map_; }
    HeadGridView& grid() { return *grid_; }

  signals:
    void openRequested(headloom::Side side);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void fillChoices();
    QString choiceTip() const;
    bool showsGrid() const;
    void showInCard(bool grid);
    void chooseModel(int index);
    void fitStrip();
    void restyle();

    ExploreViewModel* model_;
    Side side_;
    const Theme* theme_;
    QLabel* mark_;
    QComboBox* choice_;
    QToolButton* open_;
    QToolButton *trained_, *again_;  ///< there while there is something to reset, to decode anew
    ElidedLabel* summary_;
    LoadBanner* banner_;
    QFrame* card_;
    LoomMap* map_;
    HeadGridView* grid_;
    HeadStrip* strip_;
    MixingPanel* mixing_;
};

}  // namespace headloom
