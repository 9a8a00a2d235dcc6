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
    /// The strongest of several rows of blocks.
    const CellCode* mergeRows(const CellCode* pooled, int columns, int first, int last);
    void hatch(const MapScene& scene, QRgb* out, int shift) const;

    std::vector<TileCodes> tiles_;
    std::array<QRgb, cellCodes> colours_{};
    std::vector<CellCode> merged_;  // the blocks of one row of pixels, while it is drawn
    std::vector<CellCode> row_;     // the codes of one row of pixels
    QImage frame_;
    QRgb* pixels_ = nullptr;        // of the frame
    qsizetype stride_ = 0;          // pixels from one of its rows to the next
    std::uint64_t generation_ = 0;  // of the scene in the frame; 0: none
    PixelMapping mapping_;          // of the scene in the frame
};

}  // namespace headloom
