#pragma once

#include "core/session/ablation_effect.h"

#include <string>
#include <vector>

namespace headloom::cli {

/// What `ablate` looked at: the whole model's run, and the answers that count.
struct AblationGround {
    std::string model;  ///< as it was named
    const ChainRun* whole = nullptr;
    std::vector<AnswerAt> answers;
    int firstStep = 0;  ///< number of the first answer in the chain
    int top = 0;        ///< tokens a step, or parts of a ranking; 0: the whole ranking
};

/// "heads, each replaced by zero": what was ranked, in words.
std::string rankingAsText(const AblationGround& ground, const std::string& what,
                          const std::vector<PartEffect>& effects);
std::string rankingAsJson(const AblationGround& ground, const std::string& instead,
                          const std::vector<PartEffect>& effects);
/// What the answers lose without the parts that `without` was run without.
std::string changesAsText(const AblationGround& ground, const ChainRun& without);
std::string changesAsJson(const AblationGround& ground, const ChainRun& without);

}  // namespace headloom::cli
