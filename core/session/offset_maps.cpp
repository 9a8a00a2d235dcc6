#include "core/session/offset_maps.h"

#include "core/models/model_part.h"
#include "core/session/head_survey.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

constexpr OffsetMaps kinds[] = {OffsetMaps::effective, OffsetMaps::queries, OffsetMaps::tiles};

/// The tiles [P, N, N] of a pseudo-query, summed.
Tensor summedOverKeys(const Tensor& tiles) {
    if (tiles.size(0) == 1) return tiles.at(0);
    const Tensor sum = tiles.at(0).copy();
    for (std::int64_t r = 1; r < tiles.size(0); ++r) {
        const Tensor tile = tiles.at(r);
        std::transform(sum.data<float>(), sum.data<float>() + sum.count(), tile.data<float>(),
                       sum.data<float>(), [](float a, float b) { return a + b; });
    }
    return sum;
}

/// maps [1, H, P, P, N, N].
void addQueries(int layer, const Tensor& maps, std::vector<OffsetMap>& all) {
    const auto heads = static_cast<int>(maps.size(1)), pseudo = static_cast<int>(maps.size(2));
    for (int head = 0; head < heads; ++head)
        for (int p = 0; p < pseudo; ++p) {
            ModelPart part = ModelPart::ofHead(layer, head);
            if (pseudo > 1) part.kind = ModelPart::Kind::pseudoQuery;
            part.queryPseudo = p;
            all.push_back({layer, head, p, 0, 0, nameOf(part),
                           summedOverKeys(maps.at(0).at(head).at(p)), false});
        }
}

void addTiles(int layer, const Tensor& maps, std::vector<OffsetMap>& all) {
    const auto heads = static_cast<int>(maps.size(1)), pseudo = static_cast<int>(maps.size(2));
    for (int head = 0; head < heads; ++head)
        for (int p = 0; p < pseudo; ++p)
            for (int r = 0; r < pseudo; ++r) {
                const ModelPart part = pseudo > 1 ? ModelPart::ofTile(layer, head, p, r)
                                                  : ModelPart::ofHead(layer, head);
                all.push_back(
                    {layer, head, p, r, 0, nameOf(part), maps.at(0).at(head).at(p).at(r), false});
            }
}

bool readsOtherHeads(AttentionKind kind) {
    return kind == AttentionKind::iha || kind == AttentionKind::ihaLite;
}

/// effective [1, H, H, N, N].
void addEffective(int layer, AttentionKind kind, const Tensor& effective,
                  std::vector<OffsetMap>& all) {
    const auto heads = static_cast<int>(effective.size(1));
    for (int g = 0; g < heads; ++g)
        for (int m = 0; m < heads; ++m)
            if (readsOtherHeads(kind) || g == m)
                all.push_back({layer, g, 0, 0, m, nameOf(layer, Pattern{g, -1, -1, m}),
                               effective.at(0).at(g).at(m), readsOtherHeads(kind)});
}

}  // namespace

std::string_view nameOf(OffsetMaps kind) {
    constexpr std::string_view names[] = {"effective", "queries", "tiles"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<OffsetMaps> offsetMaps() {
    return {std::begin(kinds), std::end(kinds)};
}

Result<OffsetMaps> offsetMapsFrom(std::string_view name) {
    for (const OffsetMaps kind : kinds)
        if (nameOf(kind) == name) return kind;
    return fail(Error::Kind::badInput, "maps", fmt::format("there are no \"{}\" maps", name),
                "use effective, queries or tiles");
}

std::vector<OffsetMap> mapsFor(const ChainRun& run, OffsetMaps kind) {
    std::vector<OffsetMap> all;
    for (int layer = 0; layer < run.model->config.nLayers(); ++layer) {
        const auto at = static_cast<std::size_t>(layer);
        if (kind == OffsetMaps::effective) {
            if (run.effective[at])
                addEffective(layer, run.model->config.layers[at].kind, run.effective[at], all);
        } else if (kind == OffsetMaps::queries) {
            addQueries(layer, run.trace.layers[at].maps, all);
        } else {
            addTiles(layer, run.trace.layers[at].maps, all);
        }
    }
    return all;
}

std::vector<int> rowsWithTarget(const Example& example, int nSlots) {
    std::vector<int> rows;
    const auto slots = static_cast<std::ptrdiff_t>(nSlots);
    for (int row = 0; row < example.inputLength; ++row) {
        const auto first = example.targets.begin() + row * slots;
        if (std::any_of(first, first + slots, [](int target) { return target >= 0; }))
            rows.push_back(row);
    }
    return rows;
}

}  // namespace headloom
