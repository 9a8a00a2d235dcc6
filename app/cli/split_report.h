#pragma once

#include "core/analysis/score_split.h"
#include "core/models/model_part.h"
#include "core/session/chain_run.h"

#include <string>
#include <vector>

namespace headloom::cli {

/// A split with what it is of, and the shares of it and of the evidence.
struct SplitCell {
    ModelPart part;
    ChainRun run;
    ScoreSplit split;
    CrossHead cell, evidence;
    std::vector<int> marked;  ///< evidence of the query's row, as tokens
};

/// The matrix of terms with its sums, and the shares below. `model`: as it was named.
std::string splitAsText(const std::string& model, const SplitCell& explained);
/// The JSON object of `split --json`.
std::string splitAsJson(const std::string& model, const SplitCell& explained);

}  // namespace headloom::cli
