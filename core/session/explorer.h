#pragma once

#include "core/session/chain_run.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// Both columns at once: they always show the same sequence.
struct ExploreRequest {
    ChainRequest left, right;  ///< a side without a model is left out
    std::string backend = "auto";
    int threads = 1;
};

struct ExploreResult {
    std::uint64_t number = 0;  ///< of the request this answers
    /// Empty: that side had no model.
    std::shared_ptr<const ChainRun> left, right;
    std::vector<Error> errors;  ///< what could not be run; the other side still is
};

/// A worker thread that owns the backend and answers numbered requests. A newer request replaces
/// one that waits and cancels one that runs; its stale answer is dropped. Answers are immutable.
class Explorer {
  public:
    /// `answer` is called on the worker thread and must not wait for it. An answer may cross a
    /// newer submit on its way: compare its number with the newest.
    explicit Explorer(std::function<void(std::shared_ptr<const ExploreResult>)> answer);
    ~Explorer();  // cancels and joins
    Explorer(const Explorer&) = delete;
    Explorer& operator=(const Explorer&) = delete;

    /// Never blocks. Returns the request's number, rising from 1.
    std::uint64_t submit(ExploreRequest request);
    /// Waits until nothing runs or waits; for tests and for rendering one picture.
    void finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace headloom
