#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLabel;

namespace headloom {

class HeadsModel;
class HeatmapView;
class SimilarityMap;

/// How alike the patterns of the layer in view are: "64 tiles, 11 distinct", and the matrix of
/// their cosines, in which clusters stand together. A click opens the map of its row.
class SimilarityPane : public QWidget {
    Q_OBJECT
  public:
    SimilarityPane(HeadsModel& heads, const Theme& theme, QWidget* parent = nullptr);

    const HeatmapView& map() const;
    QString sentence() const;

  private:
    void refresh();
    void restyle();

    HeadsModel* heads_;
    const Theme* theme_;
    QLabel* sentence_;
    QComboBox* kind_;
    QDoubleSpinBox* similar_;
    SimilarityMap* matrix_;
};

}  // namespace headloom
