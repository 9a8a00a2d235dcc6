#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/change_effect.h"
#include "views/viewmodels/part_ranking.h"

#include <QScrollArea>

#include <vector>

class QToolButton;

namespace headloom {

class ElidedLabel;
class ExploreViewModel;
class MixingControls;
class OffControls;
class RankingTable;

/// The instrument for changing a model: its mixing, what is switched off, what that does to the
/// answers, which part matters most, and every edit so far.
class ChangePanel : public QScrollArea {
    Q_OBJECT
  public:
    ChangePanel(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    ChangeEffect& effect() { return effect_; }
    PartRanking& ranking() { return ranking_; }
    Side side() const { return effect_.side(); }
    void setSide(Side side);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    void refresh();
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    ChangeEffect effect_;
    PartRanking ranking_;
    QToolButton *left_, *right_;
    MixingControls* mixing_;
    OffControls* off_;
    RankingTable* rank_;
    bool chosen_ = false;  ///< by the user, so that it is not chosen for them
};

}  // namespace headloom
