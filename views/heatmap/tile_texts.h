#pragma once

#include "views/heatmap/map_sheet.h"

#include <QFont>
#include <QStaticText>

#include <cstdint>
#include <vector>

namespace headloom {

/// Captions and corner numbers, laid out once and drawn many times: hundreds of tiles have hundreds
/// of them, and laying out text is what would cost a frame most.
class TileTexts {
  public:
    struct Text {
        QStaticText text;
        int width = 0;
    };
    struct Pair {
        Text caption, corner;
    };

    /// Lays out anew where the sheet (told by its generation) or the fonts are others.
    void update(const MapSheet& sheet, std::uint64_t generation, const QFont& caption,
                const QFont& corner);
    const Pair& of(int tile) const { return pairs_[static_cast<std::size_t>(tile)]; }
    const QFont& captionFont() const { return captionFont_; }
    const QFont& cornerFont() const { return cornerFont_; }
    int height() const { return height_; }

  private:
    std::vector<Pair> pairs_;
    std::uint64_t generation_ = 0;
    QFont captionFont_, cornerFont_;
    int height_ = 0;
};

}  // namespace headloom
