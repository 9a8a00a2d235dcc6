#pragma once

#include "views/heatmap/map_renderer.h"
#include "views/heatmap/tile_texts.h"
#include "views/theme/theme.h"

namespace headloom {

/// Draws what lies over the cells, the same way over either renderer: outlines, rings, captions,
/// numbers in cells. The painter's unit is the device pixel.
class MapOverlay {
  public:
    /// `texts` keeps what is laid out from one drawing to the next.
    MapOverlay(const Theme& theme, const MapScene& scene, TileTexts& texts)
        : theme_(theme), scene_(scene), texts_(texts) {}

    /// `plain` leaves text out: small previews, whose text nobody could read.
    void draw(QPainter& painter, bool plain) const;
    /// A hairline about every tile, for a ground that zero could be mistaken for.
    void drawOutlines(QPainter& painter) const;

  private:
    void drawLinkedToken(QPainter& painter, int tile) const;
    void drawCurrentRow(QPainter& painter, int tile) const;
    void drawEvidence(QPainter& painter, int tile) const;
    void drawCursor(QPainter& painter, int tile) const;
    void drawFrames(QPainter& painter) const;
    void drawCaptionInside(QPainter& painter, int tile) const;
    void drawCaptionAbove(QPainter& painter, int tile) const;
    void drawNumbers(QPainter& painter) const;
    QFont font(TextRole role) const;
    int line() const;  ///< width of a thin line in device pixels

    const Theme& theme_;
    const MapScene& scene_;
    TileTexts& texts_;
};

/// Draws a frame of `width` pixels just outside `inner`.
void frameAround(QPainter& painter, const QRect& inner, int width, const QColor& colour);

}  // namespace headloom
