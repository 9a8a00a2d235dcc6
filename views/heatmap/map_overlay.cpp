#include "views/heatmap/map_overlay.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headloom {

void frameAround(QPainter& painter, const QRect& inner, int width, const QColor& colour) {
    const QRect outer = inner.adjusted(-width, -width, width, width);
    painter.fillRect(QRect(outer.left(), outer.top(), outer.width(), width), colour);
    painter.fillRect(QRect(outer.left(), inner.bottom() + 1, outer.width(), width), colour);
    painter.fillRect(QRect(outer.left(), inner.top(), width, inner.height()), colour);
    painter.fillRect(QRect(inner.right() + 1, inner.top(), width, inner.height()), colour);
}

int MapOverlay::line() const {
    return std::max(1, static_cast<int>(scene_.pixelRatio + 0.25));
}

QFont MapOverlay::font(TextRole role) const {
    QFont font = theme_.font(role);
    font.setPixelSize(std::max(
        1, static_cast<int>(std::lround(font.pixelSize() * scene_.pixelRatio / theme_.scale()))));
    return font;
}

void MapOverlay::draw(QPainter& painter, bool plain) const {
    const MapSheet& sheet = scene_.sheet;
    if (!plain && sheet.captions == CaptionPlacement::inside) {
        texts_.update(sheet, scene_.generation, font(TextRole::small), font(TextRole::smallStrong));
    }
    painter.save();
    painter.setClipRect(scene_.mapping.area);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (int tile = 0; tile < sheet.tileCount(); ++tile) {
        const QRect cells = scene_.mapping.tileRect(tile);
        if (!cells.united(scene_.mapping.bandRect(tile)).intersects(scene_.mapping.area)) continue;
        drawLinkedToken(painter, tile);
        drawCurrentRow(painter, tile);
        drawEvidence(painter, tile);
        if (!plain && sheet.captions == CaptionPlacement::above) drawCaptionAbove(painter, tile);
    }
    if (!plain) drawNumbers(painter);
    for (int tile = 0; tile < sheet.tileCount(); ++tile) {
        if (!scene_.mapping.tileRect(tile).intersects(scene_.mapping.area)) continue;
        if (!plain && sheet.captions == CaptionPlacement::inside) drawCaptionInside(painter, tile);
        drawCursor(painter, tile);
    }
    painter.setClipRect(
        scene_.mapping.area.adjusted(-2 * line(), -2 * line(), 2 * line(), 2 * line()));
    drawFrames(painter);
    painter.restore();
}

void MapOverlay::drawOutlines(QPainter& painter) const {
    painter.save();
    painter.setClipRect(
        scene_.mapping.area.adjusted(-2 * line(), -2 * line(), 2 * line(), 2 * line()));
    for (int tile = 0; tile < scene_.sheet.tileCount(); ++tile)
        if (scene_.sheet.tiles[static_cast<std::size_t>(tile)].values)
            frameAround(painter, scene_.mapping.tileRect(tile), line(), theme_.colours().border);
    painter.restore();
}

void MapOverlay::drawLinkedToken(QPainter& painter, int tile) const {
    const int token = scene_.sheet.linkedToken;
    if (token < 0) return;
    QColor wash = theme_.colours().accent;
    wash.setAlphaF(0.22f);
    const QRect cells = scene_.mapping.tileRect(tile);
    if (token < scene_.sheet.queries) {
        painter.fillRect(scene_.mapping.rowRect(tile, token), wash);
    }
    if (token < scene_.sheet.keys) {
        const QRect cell = scene_.mapping.cellRect({tile, 0, token});
        painter.fillRect(QRect(cell.left(), cells.top(), cell.width(), cells.height()), wash);
    }
}

void MapOverlay::drawCurrentRow(QPainter& painter, int tile) const {
    const int row = scene_.sheet.currentRow;
    if (row < 0 || row >= scene_.sheet.queries) return;
    QColor colour = theme_.colours().outline;
    // in a preview a full white line would outshine the map
    // and ends that meet between the tiles would look like dots
    const QRect cells = scene_.mapping.rowRect(tile, row);
    if (scene_.mapping.cell < 3 * scene_.pixelRatio) {
        colour.setAlphaF(0.55f);
        painter.fillRect(cells.left(), cells.top() - line(), cells.width(), line(), colour);
        painter.fillRect(cells.left(), cells.bottom() + 1, cells.width(), line(), colour);
        return;
    }
    frameAround(painter, cells, line(), colour);
}

void MapOverlay::drawEvidence(QPainter& painter, int tile) const {
    const MapSheet& sheet = scene_.sheet;
    const int row = sheet.currentRow;
    if (row < 0 || row >= sheet.queries) return;
    const bool apart = scene_.mapping.cell >= 5 * scene_.pixelRatio;
    std::vector<int> keys = sheet.evidence;
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i] < 0 || keys[i] >= sheet.keys) continue;
        QRect ring = scene_.mapping.cellRect({tile, row, keys[i]});
        // neighbours whose rings would fill the cells share one
        while (!apart && i + 1 < keys.size() && keys[i + 1] == keys[i] + 1 &&
               keys[i + 1] < sheet.keys) {
            ring |= scene_.mapping.cellRect({tile, row, keys[++i]});
        }
        const int width = std::max(line(), static_cast<int>(1.5 * scene_.pixelRatio));
        frameAround(painter, ring, width, theme_.colours().accent);
    }
}

void MapOverlay::drawCursor(QPainter& painter, int tile) const {
    if (!scene_.sheet.cursor) return;
    MapCell cell = *scene_.sheet.cursor;
    const bool own = cell.tile == tile;
    cell.tile = tile;
    if (!scene_.sheet.contains(cell)) return;
    QRect ring = scene_.mapping.cellRect(cell);
    // around a cell of a pixel or two the ring must still be seen
    const int least = static_cast<int>((own ? 5 : 3) * scene_.pixelRatio);
    const int wider = std::max(0, (least - ring.width() + 1) / 2);
    const int taller = std::max(0, (least - ring.height() + 1) / 2);
    ring.adjust(-wider, -taller, wider, taller);
    if (own) {
        frameAround(painter, ring, 3 * line(), theme_.colours().panel);
        frameAround(painter, ring, 2 * line(), theme_.colours().outline);
    } else {
        QColor faint = theme_.colours().outline;
        faint.setAlphaF(0.6f);
        frameAround(painter, ring, line(), faint);
    }
}

void MapOverlay::drawFrames(QPainter& painter) const {
    const MapSheet& sheet = scene_.sheet;
    const auto frame = [&](int tile, int width) {
        if (tile < 0 || tile >= sheet.tileCount()) return;
        frameAround(painter, scene_.mapping.tileRect(tile), width, theme_.colours().accent);
    };
    for (int tile : sheet.linkedTiles) frame(tile, line());
    frame(sheet.selectedTile, 2 * line());
}

void MapOverlay::drawCaptionInside(QPainter& painter, int tile) const {
    const TileTexts::Pair& texts = texts_.of(tile);
    const QRect whole = scene_.mapping.tileRect(tile);
    const QRect cells = whole & scene_.mapping.area;  // stays in sight when zoomed
    const int pad = static_cast<int>(5 * scene_.pixelRatio);
    const int space = texts.corner.width > 0 ? static_cast<int>(6 * scene_.pixelRatio) : 0;
    // Text stays above the diagonal, where a causal mask leaves nothing to hide.
    const bool free =
        scene_.sheet.tiles[static_cast<std::size_t>(tile)].maskedFrom <= 1 && cells == whole;
    const auto fits = [&](int width) {
        const int needed = width + 2 * pad + (free ? texts_.height() : 0);
        return cells.width() >= needed && cells.height() >= 2 * texts_.height();
    };
    if (!fits(texts.corner.width)) return;
    const int both = texts.corner.width + space + texts.caption.width;
    const bool hasCaption = texts.caption.width > 0 && fits(both);
    const int width = hasCaption ? both : texts.corner.width;
    if (width == 0) return;
    const int right = cells.right() - pad;
    const int top = cells.top() + pad - static_cast<int>(scene_.pixelRatio);
    if (!free) {
        QColor plate = theme_.colours().panel;
        plate.setAlphaF(0.88f);
        painter.fillRect(QRect(right - width - pad / 2, top, width + pad, texts_.height()), plate);
    }
    if (texts.corner.width > 0) {
        painter.setFont(texts_.cornerFont());
        painter.setPen(theme_.colours().text);
        painter.drawStaticText(right - texts.corner.width, top, texts.corner.text);
    }
    if (!hasCaption) return;
    painter.setFont(texts_.captionFont());
    painter.setPen(theme_.colours().textSoft);
    painter.drawStaticText(right - width, top, texts.caption.text);
}

void MapOverlay::drawCaptionAbove(QPainter& painter, int tile) const {
    const MapTile& data = scene_.sheet.tiles[static_cast<std::size_t>(tile)];
    const QRect band = scene_.mapping.bandRect(tile);
    const QFont captionFont = font(TextRole::smallStrong), cornerFont = font(TextRole::small);
    const QFontMetrics caption(captionFont), corner(cornerFont);
    const int captionWidth = caption.horizontalAdvance(data.caption);
    painter.setFont(captionFont);
    painter.setPen(theme_.colours().text);
    painter.drawText(band, Qt::AlignLeft | Qt::AlignVCenter,
                     caption.elidedText(data.caption, Qt::ElideRight, band.width()));
    const int rest = band.width() - captionWidth - static_cast<int>(8 * scene_.pixelRatio);
    if (corner.horizontalAdvance(data.corner) > rest) return;
    painter.setFont(cornerFont);
    painter.setPen(theme_.colours().textSoft);
    painter.drawText(band, Qt::AlignRight | Qt::AlignVCenter, data.corner);
}

void MapOverlay::drawNumbers(QPainter& painter) const {
    const MapSheet& sheet = scene_.sheet;
    const PixelMapping& mapping = scene_.mapping;
    const QFont numbers = font(TextRole::tiny);
    const QFontMetrics metrics(numbers);
    const QString widest = sheet.isSigned ? QStringLiteral("−0.000") : QStringLiteral("0.000");
    if (mapping.cell < metrics.horizontalAdvance(widest) + 6 * scene_.pixelRatio) return;
    const std::vector<ValueMapping>& mappings = scene_.mappings;
    painter.setFont(numbers);
    for (int tile = 0; tile < sheet.tileCount(); ++tile) {
        const QRect cells = mapping.tileRect(tile);
        const QRect seen = cells & mapping.area;
        if (seen.isEmpty()) continue;
        const auto cellIndex = [&](int pixel, int count) {
            return std::clamp(static_cast<int>((pixel + 0.5) / mapping.cell), 0, count - 1);
        };
        const int lastQuery = cellIndex(seen.bottom() - cells.top(), sheet.queries);
        const int lastKey = cellIndex(seen.right() - cells.left(), sheet.keys);
        for (int q = cellIndex(seen.top() - cells.top(), sheet.queries); q <= lastQuery; ++q) {
            for (int k = cellIndex(seen.left() - cells.left(), sheet.keys); k <= lastKey; ++k) {
                const CellReading cell = readCell(sheet, {tile, q, k});
                if (cell.kind != CellKind::value && cell.kind != CellKind::notFinite) continue;
                const bool finite = cell.kind == CellKind::value;
                const bool hidden = scene_.scale.hideSink && k == 0;
                const int index =
                    finite ? mappings[static_cast<std::size_t>(tile)].indexOf(cell.value) : 0;
                const QRgb ground =
                    !finite  ? scene_.colours.notFinite
                    : hidden ? scene_.colours.sink
                             : scene_.colours.table.entries[static_cast<std::size_t>(index)];
                painter.setPen(readableOn(QColor(ground)));
                QString text = finite ? QString::number(cell.value, 'f', 3) : QStringLiteral("NaN");
                text.replace(QLatin1Char('-'), QStringLiteral("−"));
                const QRect room = mapping.cellRect({tile, q, k}) & mapping.area;
                if (metrics.horizontalAdvance(text) <= room.width()) {
                    painter.drawText(room, Qt::AlignCenter, text);
                }
            }
        }
    }
}

}  // namespace headloom
