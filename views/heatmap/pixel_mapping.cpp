#include "views/heatmap/pixel_mapping.h"

#include <algorithm>
#include <cmath>

namespace headloom {
namespace {

int roundToInt(double value) {
    return static_cast<int>(std::floor(value + 0.5));
}

/// Shift that brings low..high into from..to, low first where it does not fit.
double shiftInto(double low, double high, double from, double to) {
    if (low < from) return from - low;
    if (high > to) return std::max(to - high, from - low);
    return 0;
}

}  // namespace

void PixelMapping::takeShape(const MapSheet& sheet) {
    tileRows = sheet.tileRows;
    tileColumns = sheet.tileColumns;
    queries = sheet.queries;
    keys = sheet.keys;
}

double PixelMapping::width() const {
    return tileColumns * (keys * cell + gap) - gap;
}

double PixelMapping::height() const {
    return tileRows * (queries * cell + band + gap) - gap;
}

double PixelMapping::fittedCell() const {
    if (tileRows == 0 || tileColumns == 0 || queries == 0 || keys == 0) return 1;
    const double across = area.width() - (tileColumns - 1) * gap;
    const double down = area.height() - tileRows * band - (tileRows - 1) * gap;
    // a view too small for its gaps still needs a length to divide by
    return std::max(0.01, std::min(across / (tileColumns * keys), down / (tileRows * queries)));
}

void PixelMapping::fit() {
    cell = fittedCell();
    clampPan();
}

void PixelMapping::clampPan() {
    // what is narrower than the area stands in its middle, what is lower at its top, under the
    // heading of the card around it
    left = width() <= area.width() ? area.left() + (area.width() - width()) / 2
                                   : std::clamp(left, area.left() + area.width() - width(),
                                                static_cast<double>(area.left()));
    top = height() <= area.height() ? area.top()
                                    : std::clamp(top, area.top() + area.height() - height(),
                                                 static_cast<double>(area.top()));
}

void PixelMapping::zoomAt(const QPointF& pixel, double factor, double largestCell) {
    const double smallest = fittedCell();
    const double next = std::clamp(cell * factor, smallest, std::max(smallest, largestCell));
    if (next == cell) return;
    // Gaps and bands keep their size, so the point is held within its tile, not within the sheet.
    const auto hold = [&](double at, double start, int cells, double fixed, double before) {
        const double pitch = cells * cell + fixed;
        const double tile = std::floor((at - start) / pitch);
        const double inside = std::clamp(at - start - tile * pitch - before, 0.0, cells * cell);
        const double rest = at - start - tile * pitch - inside;
        return at - tile * (cells * next + fixed) - inside * next / cell - rest;
    };
    left = hold(pixel.x(), left, keys, gap, 0);
    top = hold(pixel.y(), top, queries, gap + band, band);
    cell = next;
    clampPan();
}

void PixelMapping::panBy(double dx, double dy) {
    left += dx;
    top += dy;
    clampPan();
}

void PixelMapping::reveal(const MapCell& target) {
    const QRect rect = cellRect(target);
    panBy(shiftInto(rect.left(), rect.right() + 1, area.left(), area.right() + 1),
          shiftInto(rect.top(), rect.bottom() + 1, area.top(), area.bottom() + 1));
}

PixelMapping PixelMapping::scaledBy(double factor) const {
    PixelMapping scaled = *this;
    scaled.area =
        QRect(QPoint(roundToInt(area.left() * factor), roundToInt(area.top() * factor)),
              QSize(roundToInt(area.width() * factor), roundToInt(area.height() * factor)));
    scaled.gap = roundToInt(gap * factor);
    scaled.band = roundToInt(band * factor);
    scaled.cell = cell * factor;
    scaled.left = left * factor;
    scaled.top = top * factor;
    return scaled;
}

int PixelMapping::firstPixel(int index) const {
    return static_cast<int>(std::ceil(index * cell - 0.5));
}

QRect PixelMapping::tileRect(int tile) const {
    const int column = tile % tileColumns, row = tile / tileColumns;
    return QRect(roundToInt(left + column * (keys * cell + gap)),
                 roundToInt(top + row * (queries * cell + band + gap)) + band, firstPixel(keys),
                 firstPixel(queries));
}

QRect PixelMapping::bandRect(int tile) const {
    const QRect cells = tileRect(tile);
    return QRect(cells.left(), cells.top() - band, cells.width(), band);
}

QRect PixelMapping::cellRect(const MapCell& target) const {
    const QPoint corner = tileRect(target.tile).topLeft();
    const int x = firstPixel(target.key), y = firstPixel(target.query);
    return QRect(corner.x() + x, corner.y() + y, firstPixel(target.key + 1) - x,
                 firstPixel(target.query + 1) - y);
}

QRect PixelMapping::rowRect(int tile, int query) const {
    const QRect cells = tileRect(tile);
    const int y = firstPixel(query);
    return QRect(cells.left(), cells.top() + y, cells.width(), firstPixel(query + 1) - y);
}

std::optional<int> PixelMapping::tileAt(const QPointF& pixel) const {
    if (tileRows == 0 || tileColumns == 0) return std::nullopt;
    if (!QRectF(area).contains(pixel)) return std::nullopt;
    const int column = static_cast<int>(std::floor((pixel.x() - left) / (keys * cell + gap)));
    const int row = static_cast<int>(std::floor((pixel.y() - top) / (queries * cell + band + gap)));
    // Tiles start on whole pixels, so the first one that comes to mind may be a neighbour's.
    for (int r = row - 1; r <= row + 1; ++r) {
        for (int c = column - 1; c <= column + 1; ++c) {
            if (r < 0 || c < 0 || r >= tileRows || c >= tileColumns) continue;
            const int tile = r * tileColumns + c;
            const QRectF whole = QRectF(bandRect(tile).united(tileRect(tile)));
            if (pixel.x() >= whole.left() && pixel.x() < whole.right() &&
                pixel.y() >= whole.top() && pixel.y() < whole.bottom()) {
                return tile;
            }
        }
    }
    return std::nullopt;
}

std::optional<MapCell> PixelMapping::cellAt(const QPointF& pixel) const {
    const std::optional<int> tile = tileAt(pixel);
    if (!tile) return std::nullopt;
    const QRect cells = tileRect(*tile);
    const int x = static_cast<int>(std::floor(pixel.x())) - cells.left();
    const int y = static_cast<int>(std::floor(pixel.y())) - cells.top();
    if (y < 0) return std::nullopt;  // on the caption
    return MapCell{*tile, std::min(static_cast<int>((y + 0.5) / cell), queries - 1),
                   std::min(static_cast<int>((x + 0.5) / cell), keys - 1)};
}

}  // namespace headloom
