#pragma once

#include "core/analysis/head_summary.h"
#include "core/session/chain_run.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

/// Both columns at once: they always show the same sequence.
struct ExploreRequest {
    ChainRequest left, right;  ///< a side without a model is left out
    /// Layers of each side whose heads are summed up once the runs are answered, from this one to
    /// the last: for a grid of all heads. -1: none.
    int overviewFrom[2] = {-1, -1};
    std::string backend = "auto";
    int choice = 0;  ///< another number: the same backend is opened anew, as after it failed
    int threads = 1;
};

struct ExploreResult {
    std::uint64_t number = 0;  ///< of the request this answers
    /// Empty: that side had no model.
    std::shared_ptr<const ChainRun> left, right;
    std::vector<Error> errors;  ///< what could not be run; the other side still is
    DeviceInfo device;          ///< what computed
    /// Why that is the processor and not what was asked for: its device failed, and the explorer
    /// stays on the processor until another backend is asked for.
    std::optional<Error> fellBack;
};

/// One layer of a side's grid of all heads.
struct OverviewPart {
    std::uint64_t number = 0;  ///< of the request
    int side = 0;
    int layer = 0;
    std::vector<HeadSummary> heads;
};

/// A worker thread that owns the backend and answers numbered requests. A backend that cannot be
/// had is an error, and the one before stays open. A newer request replaces
/// one that waits and cancels one that runs; its stale answer is dropped. Answers are immutable.
class Explorer {
  public:
    /// `answer` is called on the worker thread and must not wait for it. An answer may cross a
    /// newer submit on its way: compare its number with the newest.
    /// So is `part`, after the answer, for every layer of an overview.
    explicit Explorer(std::function<void(std::shared_ptr<const ExploreResult>)> answer,
                      std::function<void(std::shared_ptr<const OverviewPart>)> part = {});
    ~Explorer();  // cancels and joins
    Explorer(const Explorer&) = delete;
    Explorer& operator=(const Explorer&) = delete;

    /// Never blocks. Returns the request's number, rising from 1.
    std::uint64_t submit(ExploreRequest request);
    /// Ends what runs or waits without an answer.
    void cancel();
    /// Share of the layers that the running request has behind it; any thread may ask.
    double progress() const;
    /// Waits until nothing runs or waits; for tests and for rendering one picture.
    void finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace headloom
