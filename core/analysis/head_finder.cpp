#include "core/analysis/head_finder.h"

#include "core/analysis/mass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace headloom {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

constexpr HeadMeasureWords words[] = {
    {HeadMeasure::induction, "induction",
     "attention on the token after an earlier copy of the row's own token"},
    {HeadMeasure::previous, "previous-token", "attention on the token before"},
    {HeadMeasure::duplicate, "duplicate-token",
     "attention on earlier copies of the row's own token"},
    {HeadMeasure::first, "first-token", "attention on token 0, the sink"},
    {HeadMeasure::evidence, "evidence",
     "attention on the tokens that the task marks as evidence of the row's step"},
    {HeadMeasure::entropy, "entropy",
     "bits of a row divided by its sum: 0 is one token, log2 n is n tokens alike"},
    {HeadMeasure::mass, "mass",
     "sum of a row: the share that a tile has of the attention of its pseudo-query"},
    {HeadMeasure::crossHead, "cross-head",
     "share of a score made of other heads' queries or keys: what MHA cannot do"}};
static_assert(std::size(words) == headMeasureCount);

constexpr HeadMeasure marking[] = {HeadMeasure::induction, HeadMeasure::previous,
                                   HeadMeasure::duplicate, HeadMeasure::first,
                                   HeadMeasure::evidence};

/// One map [rows, keys].
struct Map {
    const float* cells;
    std::int64_t rows, keys;

    std::span<const float> row(std::int64_t at) const {
        return {cells + at * keys, static_cast<std::size_t>(keys)};
    }
};

double finiteOf(float cell) {
    return std::isfinite(cell) ? cell : 0;
}

/// Mean over the rows with marked keys of the attention on them.
double onMarked(const Map& map, const std::vector<std::vector<int>>& marks) {
    double sum = 0;
    int counted = 0;
    for (std::int64_t row = 0; row < std::min<std::int64_t>(map.rows, std::ssize(marks)); ++row) {
        const std::vector<int>& keys = marks[static_cast<std::size_t>(row)];
        if (keys.empty()) continue;
        for (const int key : keys)
            if (key < map.keys) sum += finiteOf(map.row(row)[static_cast<std::size_t>(key)]);
        ++counted;
    }
    return counted > 0 ? sum / counted : none;
}

double meanMass(const Map& map) {
    double sum = 0;
    for (std::int64_t cell = 0; cell < map.rows * map.keys; ++cell)
        sum += finiteOf(map.cells[cell]);
    return sum / static_cast<double>(map.rows);
}

double meanEntropy(const Map& map) {
    double sum = 0;
    int counted = 0;
    for (std::int64_t row = 0; row < map.rows; ++row) {
        const double bits = entropyBits(map.row(row));
        if (std::isnan(bits)) continue;
        sum += bits;
        ++counted;
    }
    return counted > 0 ? sum / counted : none;
}

void score(const Map& map, const PromptMarks& marks, HeadScores& scores) {
    for (const HeadMeasure measure : marking)
        scores.values[indexOf(measure)] = onMarked(map, marks.of(measure));
    scores.values[indexOf(HeadMeasure::entropy)] = meanEntropy(map);
    scores.values[indexOf(HeadMeasure::mass)] = meanMass(map);
    scores.values[indexOf(HeadMeasure::crossHead)] = none;
}

}  // namespace

std::span<const HeadMeasureWords> headMeasures() {
    return words;
}

PromptMarks::PromptMarks(std::span<const int> tokens, std::vector<std::vector<int>> evidence) {
    for (const HeadMeasure measure : marking) marks_[indexOf(measure)].resize(tokens.size());
    marks_[indexOf(HeadMeasure::evidence)] = std::move(evidence);
    std::unordered_map<int, std::vector<int>> places;  // of each token so far
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const int row = static_cast<int>(i);
        std::vector<int>& earlier = places[tokens[i]];
        marks_[indexOf(HeadMeasure::duplicate)][i] = earlier;
        for (const int at : earlier)
            if (at + 1 < row) marks_[indexOf(HeadMeasure::induction)][i].push_back(at + 1);
        if (row > 0) {
            marks_[indexOf(HeadMeasure::previous)][i] = {row - 1};
            marks_[indexOf(HeadMeasure::first)][i] = {0};
        }
        earlier.push_back(row);
    }
}

std::vector<HeadScores> scoreHead(const Tensor& maps, int head, const PromptMarks& marks,
                                  std::span<const CrossHead> crossHead) {
    const auto pseudo = static_cast<int>(maps.size(2));
    const std::int64_t rows = maps.size(4), keys = maps.size(5), cells = rows * keys;
    std::vector<float> joined(static_cast<std::size_t>(cells));
    for (std::int64_t tile = 0; tile < pseudo * pseudo; ++tile)
        for (std::int64_t cell = 0; cell < cells; ++cell)
            joined[static_cast<std::size_t>(cell)] +=
                maps.data<float>()[tile * cells + cell] / static_cast<float>(pseudo);

    std::vector<HeadScores> all = {{head, -1, -1, {}}};
    score({joined.data(), rows, keys}, marks, all.front());
    CrossHead whole;
    for (const CrossHead& tile : crossHead) {
        whole.cross += tile.cross;
        whole.all += tile.all;
    }
    if (!crossHead.empty()) all.front().values[indexOf(HeadMeasure::crossHead)] = whole.share();
    if (pseudo == 1) return all;
    for (int tile = 0; tile < pseudo * pseudo; ++tile) {
        all.push_back({head, tile / pseudo, tile % pseudo, {}});
        score({maps.data<float>() + tile * cells, rows, keys}, marks, all.back());
        if (!crossHead.empty())
            all.back().values[indexOf(HeadMeasure::crossHead)] =
                crossHead[static_cast<std::size_t>(tile)].share();
    }
    return all;
}

}  // namespace headloom
