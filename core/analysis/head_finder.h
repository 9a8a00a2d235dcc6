#pragma once

#include "core/analysis/score_split.h"
#include "core/tensor/tensor.h"

#include <array>
#include <span>
#include <vector>

namespace headloom {

/// What a head or tile can be looked for by. The first five mark keys for every row and are the
/// mean, over the rows that have marked keys, of the attention on them: a tile's raw attention, so
/// never above its mass. Row i is that of token i; in the usual words "A B ... A" the induction key
/// of the second A is B.
enum class HeadMeasure {
    induction,  ///< keys j + 1 < i with token j = token i: what came after this token before
    previous,   ///< key i - 1
    duplicate,  ///< keys j < i with token j = token i
    first,      ///< key 0, of all rows but the first: the sink
    evidence,   ///< the positions which the task marks for the row's step (semantics.md)
    entropy,    ///< mean of entropyBits over the rows that are not zero
    mass,       ///< mean over all rows of the row's sum: of a tile its mass
    crossHead   ///< cross-head share over all scores of the prompt (semantics.md)
};
constexpr int headMeasureCount = 8;
constexpr std::size_t indexOf(HeadMeasure measure) {
    return static_cast<std::size_t>(measure);
}

/// How a measure is called, and what it is in a sentence.
struct HeadMeasureWords {
    HeadMeasure measure;
    const char* id;  ///< on the command line and in files, "previous-token"
    const char* definition;
};
/// All of them, in the order of the columns of a table.
std::span<const HeadMeasureWords> headMeasures();

/// Marked keys of every row of a prompt, for the measures that mark keys.
class PromptMarks {
  public:
    /// `tokens` of the rows of the maps; `evidence` of each row, or of fewer rows. Without tokens
    /// (a filter) nothing is marked.
    PromptMarks(std::span<const int> tokens, std::vector<std::vector<int>> evidence);

    /// None for the measures that mark no keys.
    const std::vector<std::vector<int>>& of(HeadMeasure measure) const {
        return marks_[indexOf(measure)];
    }

  private:
    std::array<std::vector<std::vector<int>>, headMeasureCount> marks_;
};

/// A head (p = r = -1) or one tile of it. A head's map is the mean over its pseudo-queries of the
/// sum over the key families; all its measures are of that map, but the cross-head share, which is
/// of the scores of all its tiles.
struct HeadScores {
    int head = 0, p = -1, r = -1;
    /// By HeadMeasure. NaN: the prompt has no row that counts, or the head no such thing.
    std::array<double, headMeasureCount> values{};

    bool isTile() const { return p >= 0; }
    double of(HeadMeasure measure) const { return values[indexOf(measure)]; }
};

/// The head and, where P > 1, its tiles by p and r. maps [1, 1, P, P, N, Nk] of this head, host,
/// float32; cells that are not finite count as 0. crossHead [P, P] of this head
/// (LayerScores::crossHeads); empty where its kind has none.
std::vector<HeadScores> scoreHead(const Tensor& maps, int head, const PromptMarks& marks,
                                  std::span<const CrossHead> crossHead);

}  // namespace headloom
