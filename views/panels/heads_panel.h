#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/heads_model.h"

#include <QWidget>

#include <array>

class QLabel;
class QTableView;
class QToolButton;

namespace headloom {

class ExploreViewModel;
class SimilarityPane;

/// The instrument that finds heads: all heads and tiles of a column's model by what they do, and
/// below how alike the patterns of the layer in view are. A click or Enter opens a map.
class HeadsPanel : public QWidget {
    Q_OBJECT
  public:
    HeadsPanel(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    HeadsModel& heads() { return heads_; }
    QTableView& table() { return *table_; }
    const SimilarityPane& similarity() const { return *similarity_; }
    QSize sizeHint() const override;

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    void openRow(int row);
    void followOpen();
    void refresh();
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    HeadsModel heads_;
    std::array<QToolButton*, 2> sides_;
    QToolButton* headsOnly_;
    QLabel* hint_;
    QTableView* table_;
    SimilarityPane* similarity_;
};

}  // namespace headloom
