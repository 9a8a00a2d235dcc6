#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/map_ref.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QProgressBar;
class QToolButton;
class QTreeWidget;

namespace headloom {

class ExploreViewModel;
class OtherPromptRow;
class PartRanking;

/// "Which tile matters most here?": each part off alone, the one that costs most first. Return or a
/// double click switches a part off for good.
class RankingTable : public QWidget {
    Q_OBJECT
  public:
    RankingTable(PartRanking& ranking, ExploreViewModel& model, const Theme& theme,
                 QWidget* parent = nullptr);

    void setSide(Side side) { side_ = side; }

  private:
    void start();
    void refresh();
    void restyle();

    PartRanking* ranking_;
    ExploreViewModel* model_;
    const Theme* theme_;
    Side side_ = Side::right;
    QComboBox *kind_, *instead_, *scope_, *steps_;
    OtherPromptRow* other_;
    QToolButton* start_;
    QProgressBar* progress_;
    QLabel* text_;
    QTreeWidget* parts_;
};

}  // namespace headloom
