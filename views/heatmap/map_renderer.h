#pragma once

#include "views/heatmap/colour_scale.h"
#include "views/heatmap/map_sheet.h"
#include "views/heatmap/pixel_mapping.h"
#include "views/theme/colour_table.h"

#include <QRgb>

#include <cstdint>
#include <vector>

class QPainter;

namespace headloom {

/// Colours of the cells that do not come from the table, and of what surrounds them.
struct CellColours {
    ColourTable table;
    QRgb ground = 0;  ///< between tiles
    QRgb masked = 0, sink = 0, notFinite = 0;
    QRgb hatchGround = 0, hatchLine = 0;
    QRgb cellLine = 0;
};

/// All that the pixels of the cells depend on. Marks, captions and numbers are drawn over them by
/// MapOverlay.
struct MapScene {
    const MapSheet& sheet;
    const ColourScale& scale;
    const PixelMapping& mapping;
    const CellColours& colours;
    const std::vector<ValueMapping>& mappings;  ///< of every tile, from valueMappingsOf
    double pixelRatio = 1;  ///< device pixels to a design pixel: width of lines and hatching
    /// Differs whenever anything above but the mapping does.
    std::uint64_t generation = 0;

    /// Width of the line between cells; 0 where cells are too small for one.
    int cellLineWidth() const;
    /// Distance and width of the hatching's lines.
    int hatchPeriod() const, hatchWidth() const;
    /// Cells to a side of the blocks that stand in for cells smaller than a pixel, a power of two.
    /// Of the blocks which a pixel touches the strongest is shown, so that one bright cell among
    /// thousands never disappears.
    int block() const;
};

/// Every tile's own way from value to colour. Looks at every value unless the scale has a shared
/// maximum, so keep it as long as neither data nor scale change.
std::vector<ValueMapping> valueMappingsOf(const MapSheet& sheet, const ColourScale& scale);

/// Draws the cells of a sheet. Two implementations: RasterRenderer is the reference, GlRenderer
/// must agree with it.
class MapRenderer {
  public:
    virtual ~MapRenderer() = default;
    /// Fills the mapping's area. The painter's unit is the device pixel.
    virtual void draw(QPainter& painter, const MapScene& scene) = 0;
};

}  // namespace headloom
