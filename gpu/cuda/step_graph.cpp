#include "gpu/cuda/step_graph.h"

#include <memory>
#include <type_traits>

namespace headloom::gpu {

namespace {

struct DestroyGraph {
    void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

}  // namespace

StepGraph::~StepGraph() {
    if (kept_) cudaGraphExecDestroy(kept_);
}

void StepGraph::run(const Stream& stream, const std::function<void()>& work) {
    // Relaxed: memory may be asked for meanwhile, which is not part of the graph.
    HEADLOOM_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
    cudaGraph_t recorded = nullptr;
    try {
        work();
    } catch (...) {
        cudaStreamEndCapture(stream.get(), &recorded);
        cudaGetLastError();
        const Graph dropped(recorded);
        throw;
    }
    HEADLOOM_CUDA(cudaStreamEndCapture(stream.get(), &recorded));
    const Graph graph(recorded);
    take(graph.get());
    HEADLOOM_CUDA(cudaGraphLaunch(kept_, stream.get()));
}

void StepGraph::take(cudaGraph_t recorded) {
    cudaGraphExecUpdateResultInfo difference{};
    if (kept_ && cudaGraphExecUpdate(kept_, recorded, &difference) != cudaSuccess) {
        cudaGetLastError();  // a step of other kernels, not a failure
        cudaGraphExecDestroy(kept_);
        kept_ = nullptr;
    }
    if (!kept_) HEADLOOM_CUDA(cudaGraphInstantiate(&kept_, recorded, 0));
}

}  // namespace headloom::gpu
