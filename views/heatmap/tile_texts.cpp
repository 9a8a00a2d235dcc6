#include "views/heatmap/tile_texts.h"

#include <QFontMetrics>
#include <QTransform>

namespace headloom {
namespace {

void layOut(TileTexts::Text& text, const QString& words, const QFont& font,
            const QFontMetrics& metrics) {
    if (text.text.text() == words) return;
    text.text.setText(words);
    text.text.setTextFormat(Qt::PlainText);
    text.text.setPerformanceHint(QStaticText::AggressiveCaching);
    text.text.prepare(QTransform(), font);
    text.width = metrics.horizontalAdvance(words);
}

}  // namespace

void TileTexts::update(const MapSheet& sheet, std::uint64_t generation, const QFont& caption,
                       const QFont& corner) {
    const bool sameFonts = caption == captionFont_ && corner == cornerFont_;
    if (generation == generation_ && sameFonts) return;
    generation_ = generation;
    captionFont_ = caption;
    cornerFont_ = corner;
    const QFontMetrics captionMetrics(caption), cornerMetrics(corner);
    height_ = cornerMetrics.height();
    if (!sameFonts) pairs_.clear();
    pairs_.resize(sheet.tiles.size());
    for (std::size_t tile = 0; tile < pairs_.size(); ++tile) {
        layOut(pairs_[tile].caption, sheet.tiles[tile].caption, caption, captionMetrics);
        layOut(pairs_[tile].corner, sheet.tiles[tile].corner, corner, cornerMetrics);
    }
}

}  // namespace headloom
