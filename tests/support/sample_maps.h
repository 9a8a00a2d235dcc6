#pragma once

#include "views/heatmap/map_sheet.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace headloom {

/// Values of an invented causal map, [queries, keys], each row adding up to 1 by magnitude. `style`
/// picks one of a few familiar shapes; the same input gives the same map.
inline std::shared_ptr<const float> sampleMap(int queries, int keys, int style, bool isSigned) {
    const auto count = static_cast<std::size_t>(queries) * static_cast<std::size_t>(keys);
    auto values = std::make_shared<std::vector<float>>(count);
    unsigned noise = 12345u + 977u * static_cast<unsigned>(style);
    for (int q = 0; q < queries; ++q) {
        double sum = 0;
        float* row = values->data() + static_cast<std::ptrdiff_t>(q) * keys;
        for (int k = 0; k < keys && k <= q; ++k) {
            noise = noise * 1664525u + 1013904223u;
            const double random = (noise >> 8) / 16777216.0;
            double weight = 0.01 * random;
            switch (style % 5) {
                case 0:
                    weight += k == q - 1 - style / 5 % 3 ? 3 : 0;
                    break;
                case 1:
                    weight += k == 0 ? 2 : 0;
                    break;
                case 2:
                    weight += std::exp((k - q) / 3.0);
                    break;
                case 3:
                    weight += random > 0.86 ? random : 0;
                    break;
                default:
                    weight += 0.3 * (1 + std::cos((q - k) * std::numbers::pi / 3));
                    break;
            }
            row[k] = static_cast<float>(weight);
            sum += weight;
        }
        for (int k = 0; k < keys && k <= q; ++k) {
            row[k] = static_cast<float>(row[k] / sum);
            if (isSigned && (k * 7 + style) % 3 == 0) row[k] = -row[k];
        }
    }
    return {values, values->data()};
}

/// A sheet of such maps with captions, tokens, a current row and evidence.
inline MapSheet sampleSheet(int rows, int columns, int tokens, bool isSigned = false) {
    MapSheet sheet;
    sheet.tileRows = rows;
    sheet.tileColumns = columns;
    sheet.queries = sheet.keys = tokens;
    sheet.isSigned = isSigned;
    for (int t = 0; t < rows * columns; ++t) {
        MapTile tile;
        tile.values = sampleMap(tokens, tokens, t, isSigned);
        tile.rowStride = tokens;
        tile.maskedFrom = 1;
        tile.caption = QStringLiteral("q%1 k%2").arg(t / columns).arg(t % columns);
        tile.corner = QString::number(0.07 * (t % 13) + 0.03, 'f', 2);
        sheet.tiles.push_back(tile);
    }
    const QString text = QStringLiteral("f=k;a=c;k=7;c=f;?a→c→f→k→7.");
    for (int i = 0; i < tokens; ++i) sheet.queryLabels << QString(text[i % text.size()]);
    sheet.keyLabels = sheet.queryLabels;
    sheet.currentRow = tokens * 3 / 4;
    for (int key = tokens / 2; key < tokens / 2 + 4 && key < tokens; ++key) {
        sheet.evidence.push_back(key);
    }
    return sheet;
}

}  // namespace headloom
