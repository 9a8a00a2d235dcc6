#pragma once

#include "views/heatmap/heatmap_view.h"
#include "views/panels/loom_sheets.h"

namespace headloom {

class ExploreViewModel;

/// The large maps of a column, tied to the shared selection: pointing at a cell moves the one
/// cursor, a click opens a map, and what the other column does shows here.
class LoomMap : public HeatmapView {
    Q_OBJECT
  public:
    LoomMap(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent = nullptr);

    void setContent(LoomSheet content);
    const LoomSheet& content() const { return content_; }

  private:
    void followCell();
    void followOpen();
    void followWeight();
    void openTile(int tile);

    ExploreViewModel* model_;
    Side side_;
    LoomSheet content_;
};

}  // namespace headloom
