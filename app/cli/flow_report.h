#pragma once

#include "core/session/chain_run.h"

#include <optional>
#include <string>
#include <vector>

namespace headloom::cli {

/// What `flow` found of one row.
struct FlowReport {
    std::string model;  ///< as it was named
    const ChainRun* run = nullptr;
    int row = 0;
    std::vector<double> rollout;              ///< a token each
    std::optional<std::vector<double>> flow;  ///< none: not asked for
    int top = 0;                              ///< tokens to print, the largest; 0: all
};

/// The formulas, and a line a token.
std::string flowAsText(const FlowReport& report);
/// The JSON object of `flow --json`, all tokens.
std::string flowAsJson(const FlowReport& report);
/// "row,token,text,rollout,flow,evidence", a line a token, all digits.
std::string flowAsCsv(const FlowReport& report);

}  // namespace headloom::cli
