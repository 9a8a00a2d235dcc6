#pragma once

#include "core/session/chain_run.h"

#include <memory>
#include <vector>

namespace headloom {

/// What decides a run: another run of the same key says the same again.
struct RunKey {
    std::shared_ptr<const Model> model;
    std::vector<int> tokens;
    std::vector<Cut> cuts;

    static RunKey of(const ChainRun& run) { return {run.model, run.tokens, run.ablation.cuts}; }
    friend bool operator==(const RunKey&, const RunKey&) = default;
};

}  // namespace headloom
