#include "views/heatmap/map_renderer.h"

#include <algorithm>
#include <cmath>

namespace headloom {

int MapScene::cellLineWidth() const {
    constexpr double smallest = 14;  // design pixels: below, lines would eat the colours
    return mapping.cell < smallest * pixelRatio ? 0 : std::max(1, static_cast<int>(pixelRatio));
}

int MapScene::hatchPeriod() const {
    return std::max(4, static_cast<int>(std::lround(6 * pixelRatio)));
}

int MapScene::hatchWidth() const {
    return std::max(1, static_cast<int>(pixelRatio));
}

int MapScene::block() const {
    int block = 1;
    while (mapping.cell * block * 2 <= 1) block *= 2;
    return block;
}

std::vector<ValueMapping> valueMappingsOf(const MapSheet& sheet, const ColourScale& scale) {
    float shared = scale.sharedMaximum;
    if (!scale.perMap && !(shared > 0)) shared = largestOf(sheet, scale.hideSink);
    std::vector<ValueMapping> mappings;
    for (int tile = 0; tile < sheet.tileCount(); ++tile) {
        mappings.push_back({scale.perMap ? largestOf(sheet, tile, scale.hideSink) : shared,
                            scale.curve, sheet.isSigned});
    }
    return mappings;
}

}  // namespace headloom
