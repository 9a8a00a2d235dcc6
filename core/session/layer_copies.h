#pragma once

#include "core/analysis/copies.h"
#include "core/backend/backend.h"
#include "core/models/model.h"
#include "core/tasks/task.h"

#include <vector>

namespace headloom {

/// One layer with pseudo-heads, and how alike they are.
struct LayerCopies {
    int layer = 0;
    std::vector<PseudoCopies> heads;
    bool copies() const;  ///< in at least one head
};

/// Looks at the maps of a model over the first few held-out examples of a task (at most 16, fewer
/// where maps are large). Layers without pseudo-heads are left out; with none at all nothing is
/// computed. Errors: a model that does not read the task's tokens, a failing backend.
Result<std::vector<LayerCopies>> layerCopies(const ModelConfig& config, const Weights& weights,
                                             const Task& task, Backend& backend);

}  // namespace headloom
