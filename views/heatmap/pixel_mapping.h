#pragma once

#include "views/heatmap/map_sheet.h"

#include <QPointF>
#include <QRect>

#include <optional>

namespace headloom {

/// Where the cells of a sheet lie. A plain value without a window; every length is in device
/// pixels, so a picture is crisp at any device-pixel ratio. Cells are square. Tiles start on whole
/// pixels, and a pixel belongs to the cell that holds its centre: this is the rule both renderers
/// follow.
struct PixelMapping {
    int tileRows = 0, tileColumns = 0, queries = 0, keys = 0;
    QRect area;                ///< where tiles may be drawn; the axes lie outside
    int gap = 0;               ///< between tiles; does not grow with the zoom
    int band = 0;              ///< over every tile, for its caption
    double cell = 1;           ///< length of a cell's side
    double left = 0, top = 0;  ///< corner of tile 0's band

    bool operator==(const PixelMapping&) const = default;

    /// Takes the numbers of tiles and cells of a sheet; zoom and pan are kept.
    void takeShape(const MapSheet& sheet);
    /// The cell length at which the whole sheet just fits in the area.
    double fittedCell() const;
    /// Shows the whole sheet, at the top in the middle.
    void fit();
    /// Multiplies the cell length and keeps what is under `pixel` there. The cell stays between the
    /// fitted length and `largestCell`.
    void zoomAt(const QPointF& pixel, double factor, double largestCell);
    void panBy(double dx, double dy);
    /// Pans as little as shows the whole cell.
    void reveal(const MapCell& cell);
    /// Everything multiplied, for a device of another pixel ratio.
    PixelMapping scaledBy(double factor) const;

    QRect tileRect(int tile) const;  ///< the cells of a tile, without its band
    QRect bandRect(int tile) const;  ///< the band over a tile
    QRect cellRect(const MapCell& cell) const;
    QRect rowRect(int tile, int query) const;  ///< one query row across a tile

    /// Tile at a pixel, its band included; nothing in gaps and outside the area.
    std::optional<int> tileAt(const QPointF& pixel) const;
    std::optional<MapCell> cellAt(const QPointF& pixel) const;

    /// First pixel, counted from the tile's corner, of cell `index` along one axis.
    int firstPixel(int index) const;
    /// Size of the whole sheet.
    double width() const, height() const;

  private:
    void clampPan();
};

}  // namespace headloom
