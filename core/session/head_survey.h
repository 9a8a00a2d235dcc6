#pragma once

#include "core/analysis/head_finder.h"
#include "core/analysis/redundancy.h"
#include "core/session/chain_run.h"

#include <functional>
#include <string>
#include <vector>

namespace headloom {

/// Which patterns of a layer are compared with one another.
enum class PatternKind {
    tiles,     ///< of all heads; a head without pseudo-heads is its one tile
    heads,     ///< the mean over the pseudo-queries of the sum over the key families
    effective  ///< M[target, source], signed (iha.md 4); of MHA those on the diagonal
};
const char* nameOf(PatternKind kind);  // "tiles", "heads", "effective"

/// One of the patterns compared: a head, a tile of it, or its effective map from another head.
struct Pattern {
    int head = 0;
    int p = -1, r = -1;  ///< of a tile of a layer with pseudo-heads
    int source = -1;     ///< of an effective map
    friend bool operator==(const Pattern&, const Pattern&) = default;
};
/// "L1H3", "L1H3.q0k1", "L1.M[3,1]".
std::string nameOf(int layer, const Pattern& pattern);

/// Those of a kind in a layer, in the order in which they are compared; none where a layer has
/// none.
std::vector<Pattern> patternsOf(const ModelConfig& config, int layer, PatternKind kind);

/// All that is said of a layer's heads and tiles.
struct LayerSurvey {
    int layer = 0;
    std::vector<HeadScores> scores;  ///< every head, followed by its tiles where P > 1
    PatternKind kind = PatternKind::tiles;
    std::vector<Pattern> patterns;  ///< in the order of `redundancy`
    Redundancy redundancy;
    std::string noPatterns;  ///< why there are none to compare, a sentence; empty: there are
};

/// Scores a layer's heads on what the run reads, and compares its patterns. The maps of the layer
/// are the run's or, where it does not hold them, made again from what went into the layer. Errors:
/// a layer whose maps have no room, interrupted.
Result<LayerSurvey> surveyLayer(const ChainRun& run, int layer, PatternKind kind, Backend& backend,
                                const std::function<bool()>& cancelled = {});

}  // namespace headloom
