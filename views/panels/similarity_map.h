#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/similarity_shown.h"

#include <QWidget>

class QLabel;

namespace headloom {

class ColourBar;
class HeatmapView;
struct MapSheet;

/// The matrix of how alike patterns are, with its colour scale and, above it, where the lines are
/// drawn or the pair under the pointer.
class SimilarityMap : public QWidget {
    Q_OBJECT
  public:
    /// Lines of a figure's provenance, for what is shown at present; asked on a worker.
    using Provenance = std::function<std::vector<std::string>()>;

    explicit SimilarityMap(const Theme& theme, QWidget* parent = nullptr);

    void show(SimilarityShown shown, Provenance provenance);
    using QWidget::show;
    const HeatmapView& map() const { return *map_; }
    QString note() const;
    /// Error: nothing is shown.
    Result<Exportable> exportable() const;

  signals:
    void patternChosen(int layer, const headloom::Pattern& pattern);

  private:
    MapSheet sheet() const;
    void restyle();

    const Theme* theme_;
    SimilarityShown shown_;
    Provenance provenance_;
    QLabel* note_;
    HeatmapView* map_;
    ColourBar* scale_;
};

}  // namespace headloom
