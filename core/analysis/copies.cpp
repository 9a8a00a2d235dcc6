#include "core/analysis/copies.h"

#include "core/analysis/gram.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

/// Smallest and mean cosine over all pairs.
void takeCosines(const Gram& gram, double& smallest, double& mean) {
    double sum = 0;
    int pairs = 0;
    for (std::int64_t a = 0; a < gram.count(); ++a)
        for (std::int64_t b = a + 1; b < gram.count(); ++b, ++pairs) {
            smallest = std::min(smallest, gram.cosine(a, b));
            sum += gram.cosine(a, b);
        }
    if (pairs > 0) mean = sum / pairs;
}

/// What each pseudo-query makes of the tokens, [P, cells]: its tiles [P, P, cells] summed over r.
std::vector<float> queryMaps(const float* tiles, std::int64_t pseudo, std::int64_t cells) {
    std::vector<float> maps(static_cast<std::size_t>(pseudo * cells));
    for (std::int64_t tile = 0; tile < pseudo * pseudo; ++tile) {
        float* map = maps.data() + tile / pseudo * cells;
        for (std::int64_t cell = 0; cell < cells; ++cell) map[cell] += tiles[tile * cells + cell];
    }
    return maps;
}

PseudoCopies copiesOf(const Tensor& maps, std::int64_t head) {
    const std::int64_t batch = maps.size(0), heads = maps.size(1), pseudo = maps.size(2),
                       tiles = pseudo * pseudo, cells = maps.size(4) * maps.size(5);
    Gram ofQueries(pseudo), ofTiles(tiles);
    for (std::int64_t b = 0; b < batch; ++b) {
        const float* first = maps.data<float>() + (b * heads + head) * tiles * cells;
        ofTiles.add(first, cells, cells);
        ofQueries.add(queryMaps(first, pseudo, cells).data(), cells, cells);
    }
    PseudoCopies copies;
    copies.head = static_cast<int>(head);
    takeCosines(ofQueries, copies.smallest, copies.mean);
    takeCosines(ofTiles, copies.tilesSmallest, copies.tilesMean);
    return copies;
}

}  // namespace

std::vector<PseudoCopies> pseudoCopies(const Tensor& maps) {
    std::vector<PseudoCopies> all;
    if (maps.size(2) < 2) return all;
    for (std::int64_t head = 0; head < maps.size(1); ++head) all.push_back(copiesOf(maps, head));
    return all;
}

std::string copiesSentence(const std::vector<PseudoCopies>& heads) {
    if (heads.empty()) return {};
    std::string named;
    std::size_t count = 0;
    double least = heads.front().smallest, most = least;
    for (const PseudoCopies& head : heads) {
        least = std::min(least, head.smallest);
        most = std::max(most, head.smallest);
        if (!head.copies()) continue;
        named += (count++ == 0 ? "" : ", ") + std::to_string(head.head);
    }
    if (count == 0)
        return fmt::format("pseudo-heads differ: map cosine {:.3f} to {:.3f} (smallest of a head)",
                           least, most);
    const std::string where =
        count == heads.size()
            ? "every head"
            : fmt::format("head{} {} of {}", count == 1 ? "" : "s", named, heads.size());
    return fmt::format(
        "pseudo-heads are copies in {} (map cosine above {}): they do the work of one; start with "
        "more noise, or use virtual positions",
        where, copiesAbove);
}

}  // namespace headloom
