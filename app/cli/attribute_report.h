#pragma once

#include "core/analysis/logit_attribution.h"
#include "core/session/ablation_effect.h"

#include <string>

namespace headloom::cli {

/// A logit with what it is made of.
struct AttributedLogit {
    ChainRun run;
    AnswerAt at;
    RowTrace trace;
    LogitAttribution attribution;
    int against = -1;  ///< the token that it is compared with; -1: none
};

/// What of it is written.
struct AttributionShown {
    std::string model;   ///< as it was named
    int top = 20;        ///< parts of the text, the largest first; 0: all
    bool heads = false;  ///< the tiles of a head as one part
    bool lens = false;   ///< also what the model would say after each layer
};

std::string attributionAsText(const AttributionShown& shown, const AttributedLogit& logit);
/// The JSON object of `attribute --json`.
std::string attributionAsJson(const AttributionShown& shown, const AttributedLogit& logit);

}  // namespace headloom::cli
