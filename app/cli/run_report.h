#pragma once

#include "core/session/chain_run.h"

#include <string>
#include <vector>

namespace headloom::cli {

/// One answer of a model: a token it wrote, or what it read out at a row of a given sequence.
struct RunStep {
    int row = 0;   ///< the token position that gave the answer
    int slot = 0;  ///< which of the row's answers
    int id = 0;
    double probability = 0;
    std::vector<Candidate> top;  ///< the ten most probable
};

/// Every token written on its own; or, where a sequence was only read, every answer that counts
/// (all rows, without a truth).
std::vector<RunStep> stepsOf(const ChainRun& run, const SamplingParams& sampling);

/// The JSON object of `run --json` (semantics.md). Where rows have several answers each step also
/// has "row" and "slot".
std::string runAsJson(const std::string& model, const ChainRun& run,
                      const std::vector<RunStep>& steps);

/// The same as a table to read.
std::string runAsText(const std::string& model, const ChainRun& run,
                      const std::vector<RunStep>& steps);

}  // namespace headloom::cli
