#pragma once

#include "core/tasks/graph_filter.h"

namespace headloom {

/// What the window and its set-up know a filter bank by; it is not among `taskIds`, since its
/// samples are numbers and no model of tokens learns it.
inline constexpr const char* graphFilterId = "graph-filter";

/// "graph", "k", "nodes", "dim" and "restarts", in sizes that a window follows while they are
/// turned.
TaskChoices graphFilterChoices();

/// The nodes of a graph filter as a sequence to look at: a token a node, nothing to predict. The
/// maps of a filter do not depend on the numbers at the nodes, so there is one sequence only. The
/// evidence of a node are the nodes that its outputs take from.
class FilterNodes : public Task {
  public:
    explicit FilterNodes(const SettingValues& values);

    const TaskInfo& info() const override { return info_; }
    Example example(Split split, std::uint64_t seed, std::uint64_t index) const override;
    Result<Example> fromPrompt(const std::vector<int>& prompt) const override;

  private:
    TaskInfo info_;
    std::vector<std::vector<int>> sources_;  ///< of each node, itself included
};

/// Errors: a setting that is unknown, out of its range, or names no graph.
Result<std::unique_ptr<FilterNodes>> makeFilterNodes(const TaskSettings& settings);

/// "0", "1", .., one token a node.
Vocabulary nodeNames(int nNodes);

}  // namespace headloom
