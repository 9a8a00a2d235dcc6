#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/matrix_shown.h"

#include <QWidget>

class QLabel;

namespace headloom {

class ColourBar;
class HeatmapView;

/// A matrix as a signed heat map with its colour scale; the value under the pointer stands in the
/// line of the title.
class MatrixPicture : public QWidget {
    Q_OBJECT
  public:
    explicit MatrixPicture(const Theme& theme, QWidget* parent = nullptr);

    /// A matrix without values shows the hint instead.
    void show(const QString& title, const MatrixShown& matrix, const QString& hint);
    const HeatmapView& map() const { return *map_; }
    using QWidget::show;

  private:
    void restyle();

    const Theme* theme_;
    QLabel *title_, *value_, *note_;
    HeatmapView* map_;
    ColourBar* scale_;
};

}  // namespace headloom
