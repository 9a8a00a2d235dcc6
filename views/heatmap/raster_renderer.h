#pragma once

#include "views/heatmap/map_renderer.h"
#include "views/heatmap/tile_codes.h"

#include <QImage>

#include <array>

namespace headloom {

/// Draws cells into an image on the CPU. The pixel reference, the way to offscreen, print and
/// export, and the default where OpenGL is only software.
class RasterRenderer : public MapRenderer {
  public:
    void draw(QPainter& painter, const MapScene& scene) override;
    /// The picture of the area alone, for tests and export.
    const QImage& render(const MapScene& scene);

  private:
    struct Axis;
    void drawTile(const MapScene& scene, int tile, const Axis& across, const Axis& down);

    std::vector<TileCodes> tiles_;
    std::vector<ValueMapping> mappings_;
    std::array<QRgb, cellCodes> colours_{};
    std::vector<CellCode> line_;  // one row of codes, pooled, while it is drawn
    std::vector<CellCode> row_;   // one row of codes, a pixel each
    QImage frame_;
    std::uint64_t generation_ = 0;  // of the scene in the frame; 0: none
    PixelMapping mapping_;          // of the scene in the frame
};

}  // namespace headloom
