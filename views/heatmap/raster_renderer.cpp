#include "views/heatmap/raster_renderer.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headloom {

/// Which blocks of cells the pixels of a tile touch along one direction. All tiles start on a
/// whole pixel, so one such list serves them all.
struct RasterRenderer::Axis {
    std::vector<int> first, last;  // block range of every pixel; equal unless cells are small
    std::vector<char> line;        // the pixel belongs to the line between cells

    Axis(const MapScene& scene, int cells) {
        const double cell = scene.mapping.cell;
        const int pixels = scene.mapping.firstPixel(cells);
        const int block = scene.block();
        const int lineWidth = scene.cellLineWidth();
        const int lastCell = cells - 1;
        first.reserve(static_cast<std::size_t>(pixels));
        last.reserve(static_cast<std::size_t>(pixels));
        for (int pixel = 0; pixel < pixels; ++pixel) {
            if (cell >= 1) {
                const int at = std::min(static_cast<int>((pixel + 0.5) / cell), lastCell);
                first.push_back(at);
                last.push_back(at);
                line.push_back(at > 0 && pixel - scene.mapping.firstPixel(at) < lineWidth);
            } else {
                const int from = static_cast<int>(pixel / cell);
                const int to = static_cast<int>(std::ceil((pixel + 1) / cell)) - 1;
                first.push_back(std::min(from, lastCell) / block);
                last.push_back(std::min(to, lastCell) / block);
                line.push_back(0);
            }
        }
    }
};

void RasterRenderer::draw(QPainter& painter, const MapScene& scene) {
    painter.drawImage(scene.mapping.area.topLeft(), render(scene));
}

const QImage& RasterRenderer::render(const MapScene& scene) {
    const bool sameScene = generation_ == scene.generation && generation_ != 0;
    if (sameScene && mapping_ == scene.mapping) return frame_;
    const MapSheet& sheet = scene.sheet;
    const CellColours& colours = scene.colours;
    if (!sameScene) {
        tiles_.resize(static_cast<std::size_t>(sheet.tileCount()));
        colours_[maskedCode] = colours.masked;
        colours_[pendingCode] = colours.hatchGround;
        colours_[sinkCode] = colours.sink;
        colours_[notFiniteCode] = colours.notFinite;
        for (int code = firstValueCode; code < notFiniteCode; ++code) {
            const int index = tableIndexOf(static_cast<CellCode>(code), sheet.isSigned);
            colours_[static_cast<std::size_t>(code)] =
                colours.table.entries[static_cast<std::size_t>(std::clamp(index, 0, 255))];
        }
    }
    generation_ = scene.generation;
    mapping_ = scene.mapping;
    const QRect area = scene.mapping.area;
    if (frame_.size() != area.size()) frame_ = QImage(area.size(), QImage::Format_RGB32);
    if (frame_.isNull()) return frame_;
    frame_.fill(colours.ground);
    pixels_ = reinterpret_cast<QRgb*>(frame_.bits());
    stride_ = frame_.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    if (sheet.isEmpty()) return frame_;
    const Axis across(scene, sheet.keys), down(scene, sheet.queries);
    for (int tile = 0; tile < sheet.tileCount(); ++tile) {
        if (!scene.mapping.tileRect(tile).intersects(area)) continue;
        const auto index = static_cast<std::size_t>(tile);
        tiles_[index].update(sheet, tile, scene.mappings[index], scene.scale.hideSink);
        drawTile(scene, tile, across, down);
    }
    return frame_;
}

const CellCode* RasterRenderer::mergeRows(const CellCode* pooled, int columns, int first,
                                          int last) {
    const CellCode* merged = pooled + static_cast<std::ptrdiff_t>(first) * columns;
    for (int row = first + 1; row <= last; ++row) {
        const CellCode* more = pooled + static_cast<std::ptrdiff_t>(row) * columns;
        for (int i = 0; i < columns; ++i) {
            merged_[static_cast<std::size_t>(i)] = std::max(merged[i], more[i]);
        }
        merged = merged_.data();
    }
    return merged;
}

void RasterRenderer::drawTile(const MapScene& scene, int tile, const Axis& across,
                              const Axis& down) {
    const QRect area = scene.mapping.area;
    const QRect cells = scene.mapping.tileRect(tile);
    const QRect seen = cells & area;
    const int block = scene.block();
    TileCodes& codes = tiles_[static_cast<std::size_t>(tile)];
    const CellCode* pooled = codes.pooled(block);
    const int columns = codes.pooledColumns(block);
    const auto pixels = static_cast<std::size_t>(seen.width());
    const auto skipped = static_cast<std::size_t>(seen.left() - cells.left());
    const int* first = across.first.data() + skipped;
    const int* last = across.last.data() + skipped;
    const char* line = across.line.data() + skipped;
    const bool hasLines = scene.cellLineWidth() > 0;
    merged_.resize(static_cast<std::size_t>(columns));
    row_.resize(pixels);
    const QRgb* drawn = nullptr;  // a finished row of pixels, for those that look the same
    int drawnFirst = -1, drawnLast = -1;
    for (int y = seen.top(); y <= seen.bottom(); ++y) {
        const auto at = static_cast<std::size_t>(y - cells.top());
        QRgb* out = pixels_ + (y - area.top()) * stride_ + (seen.left() - area.left());
        if (down.line[at]) {
            std::fill_n(out, pixels, scene.colours.cellLine);
            continue;
        }
        if (drawn && down.first[at] == drawnFirst && down.last[at] == drawnLast) {
            std::memcpy(out, drawn, pixels * sizeof(QRgb));
            continue;
        }
        const CellCode* source = mergeRows(pooled, columns, down.first[at], down.last[at]);
        if (scene.mapping.cell >= 1) {
            for (std::size_t i = 0; i < pixels; ++i) row_[i] = source[first[i]];
        } else {
            // a pixel is wider than half a block, so it touches three of them at most
            for (std::size_t i = 0; i < pixels; ++i) {
                row_[i] =
                    std::max({source[first[i]], source[(first[i] + last[i]) / 2], source[last[i]]});
            }
        }
        for (std::size_t i = 0; i < pixels; ++i) out[i] = colours_[row_[i]];
        // hatched rows differ from pixel row to pixel row
        const bool hatched = (down.last[at] + 1) * block > scene.sheet.knownRows();
        if (hatched) hatch(scene, out, y - cells.top() + static_cast<int>(skipped));
        if (hasLines) {
            for (std::size_t i = 0; i < pixels; ++i) {
                if (line[i]) out[i] = scene.colours.cellLine;
            }
        }
        drawn = hatched ? nullptr : out;
        drawnFirst = down.first[at];
        drawnLast = down.last[at];
    }
}

void RasterRenderer::hatch(const MapScene& scene, QRgb* out, int shift) const {
    const int period = scene.hatchPeriod(), width = scene.hatchWidth();
    for (std::size_t i = 0; i < row_.size(); ++i) {
        const bool onLine = (shift + static_cast<int>(i)) % period < width;
        if (onLine && row_[i] == pendingCode) out[i] = scene.colours.hatchLine;
    }
}

}  // namespace headloom
