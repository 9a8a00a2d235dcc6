#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLabel;

namespace headloom {

class ColourBar;
class HeadsModel;
class HeatmapView;
struct MapSheet;
struct SimilarityShown;

/// How alike the patterns of the layer in view are: "64 tiles, 11 distinct", and the matrix of
/// their cosines, in which clusters stand together. A click opens the map of its row.
class SimilarityPane : public QWidget {
    Q_OBJECT
  public:
    SimilarityPane(HeadsModel& heads, const Theme& theme, QWidget* parent = nullptr);

    const HeatmapView& map() const { return *map_; }
    QString sentence() const;

  private:
    void refresh();
    void showSheet(const SimilarityShown& shown);
    void describe(int row, int column, float cosine);
    void restyle();

    HeadsModel* heads_;
    const Theme* theme_;
    QLabel* sentence_;
    QLabel* note_;  ///< where the lines are drawn, or the pair under the pointer
    QComboBox* kind_;
    QDoubleSpinBox* similar_;
    HeatmapView* map_;
    ColourBar* scale_;
};

}  // namespace headloom
