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
        mappings_ = scene.valueMappings();
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
    if (sheet.isEmpty()) return frame_;
    const Axis across(scene, sheet.keys), down(scene, sheet.queries);
    for (int tile = 0; tile < sheet.tileCount(); ++tile) {
        if (!scene.mapping.tileRect(tile).intersects(area)) continue;
        const auto index = static_cast<std::size_t>(tile);
        tiles_[index].update(sheet, tile, mappings_[index], scene.scale.hideSink);
        drawTile(scene, tile, across, down);
    }
    return frame_;
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
    const int period = scene.hatchPeriod(), width = scene.hatchWidth();
    const bool small = scene.mapping.cell < 1;
    const bool lines = scene.cellLineWidth() > 0;
    const auto pixels = static_cast<std::size_t>(seen.width());
    const int x0 = seen.left() - cells.left();
    row_.resize(pixels);
    line_.resize(static_cast<std::size_t>(columns));
    int drawnFirst = -1, drawnLast = -1;
    bool hatched = false;
    const QRgb* drawn = nullptr;  // a finished row of pixels that the next may repeat
    for (int y = seen.top(); y <= seen.bottom(); ++y) {
        const auto at = static_cast<std::size_t>(y - cells.top());
        auto* out =
            reinterpret_cast<QRgb*>(frame_.scanLine(y - area.top())) + seen.left() - area.left();
        if (down.line[at]) {
            std::fill_n(out, pixels, scene.colours.cellLine);
            continue;
        }
        const bool sameRow = down.first[at] == drawnFirst && down.last[at] == drawnLast;
        if (sameRow && drawn && !hatched) {
            std::memcpy(out, drawn, pixels * sizeof(QRgb));
            continue;
        }
        if (!sameRow) {
            drawnFirst = down.first[at];
            drawnLast = down.last[at];
            const CellCode* source = pooled + static_cast<std::ptrdiff_t>(drawnFirst) * columns;
            for (int row = drawnFirst + 1; row <= drawnLast; ++row) {
                const CellCode* more = pooled + static_cast<std::ptrdiff_t>(row) * columns;
                for (int i = 0; i < columns; ++i) {
                    line_[static_cast<std::size_t>(i)] = std::max(source[i], more[i]);
                }
                source = line_.data();
            }
            hatched = false;
            for (std::size_t i = 0; i < pixels; ++i) {
                const std::size_t x = static_cast<std::size_t>(x0) + i;
                CellCode code = source[across.first[x]];
                if (small) {
                    for (int k = across.first[x] + 1; k <= across.last[x]; ++k) {
                        code = std::max(code, source[k]);
                    }
                }
                row_[i] = code;
                hatched |= code == pendingCode;
            }
        }
        for (std::size_t i = 0; i < pixels; ++i) out[i] = colours_[row_[i]];
        if (hatched) {
            const int shift = y - cells.top() + x0;
            for (std::size_t i = 0; i < pixels; ++i) {
                if (row_[i] == pendingCode && (shift + static_cast<int>(i)) % period < width) {
                    out[i] = scene.colours.hatchLine;
                }
            }
        }
        if (lines) {
            for (std::size_t i = 0; i < pixels; ++i) {
                if (across.line[static_cast<std::size_t>(x0) + i]) out[i] = scene.colours.cellLine;
            }
        }
        drawn = out;
    }
}

}  // namespace headloom
