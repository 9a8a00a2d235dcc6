#pragma once

#include "views/heatmap/map_renderer.h"
#include "views/theme/theme.h"

#include <QMargins>

#include <vector>

namespace headloom {

/// Token labels left of and above the tiles. They stay in place while the tiles are panned. Where
/// cells are too small for every label, only the rows and columns in question are labelled: the
/// current row, the cursor, the linked token.
class MapAxes {
  public:
    MapAxes(const Theme& theme, const MapSheet& sheet, double pixelRatio);

    /// Room that labels and titles take, in device pixels.
    QMargins room() const;
    void draw(QPainter& painter, const PixelMapping& mapping) const;

  private:
    struct Direction;
    void drawQueries(QPainter& painter, const PixelMapping& mapping) const;
    void drawKeys(QPainter& painter, const PixelMapping& mapping) const;
    /// Rows or columns in question, the most important first.
    std::vector<int> marked(bool query) const;
    QFont font(TextRole role) const;

    const Theme& theme_;
    const MapSheet& sheet_;
    double ratio_;
    int lineHeight_ = 0, capHeight_ = 0, titleHeight_ = 0, queryWidth_ = 0, keyWidth_ = 0;
};

}  // namespace headloom
