#pragma once

#include "gpu/cuda/handles.h"

#include <functional>

namespace headloom::gpu {

/// Work that is recorded and started as one graph: a decoding step is hundreds of launches that
/// each take longer to queue than to run. The graph of the last step is kept, and only what has
/// changed in it (where in the cache a row goes, how many keys there are) is written anew.
class StepGraph {
  public:
    StepGraph() = default;
    ~StepGraph();
    StepGraph(const StepGraph&) = delete;
    StepGraph& operator=(const StepGraph&) = delete;

    /// Records what `work` queues on the stream and starts it. Throws what `work` throws, having
    /// started nothing.
    void run(const Stream& stream, const std::function<void()>& work);

  private:
    /// Makes the kept graph the recorded one.
    void take(cudaGraph_t recorded);

    cudaGraphExec_t kept_ = nullptr;
};

}  // namespace headloom::gpu
