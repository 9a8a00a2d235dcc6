#pragma once

#include "gpu/backend/product.h"
#include "tests/gpu/emulator/fence.h"
#include "tests/gpu/emulator/fibers.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

namespace headloom::gpu {

/// The GPU that gpu/backend runs on in tests: same interface as gpu/cuda's. Launches run at once.
/// Throws KernelFault after a launch that wrote outside the memory it was given.
class Runtime {
  public:
    struct Settings {
        std::uint64_t seed = 1;              ///< of the order of threads
        std::size_t sharedBytes = 48 << 10;  ///< of a block; few: the paths for long rows run
        std::size_t memory = 256 << 20;      ///< bytes; asking for more fails as a device does
        /// Barrier that the kernel with this name walks through (see Fibers): a barrier that can be
        /// skipped unseen either is not needed or is not tested.
        std::string skippedIn = {};
        int skippedBarrier = -1;
    };

    explicit Runtime(const Settings& settings);

    std::string description() const { return "emulated GPU"; }
    bool tf32() const { return false; }
    std::size_t sharedBytes() const { return settings_.sharedBytes; }
    std::shared_ptr<void> allocate(std::size_t bytes);
    std::shared_ptr<void> allocateHost(std::size_t bytes);
    void zero(void* to, std::size_t bytes);
    void toDevice(const void* host, void* device, std::size_t bytes);
    void toHost(const void* device, void* host, std::size_t bytes);
    /// The copy is made by finishToHost: whoever reads the host's numbers before finds others.
    void startToHost(const void* device, void* host, std::size_t bytes);
    void finishToHost();
    void settleDownloads() noexcept { downloads_.clear(); }
    void multiply(const Product& product);
    /// Nothing that `work` queues is done before it has returned, as with a recorded graph.
    void together(const std::function<void()>& work);

    template <class Kernel>
    void launch(const Launch& how, const Kernel& kernel) {
        queue([this, how, kernel] {
            run(how, typeid(Kernel).name(), [&kernel](Block& block) { kernel(block); });
        });
    }

    /// The kernels that have run, with the most barriers that a thread of each came to.
    const std::map<std::string, int>& kernels() const { return kernels_; }

  private:
    /// Lives as long as the last block of memory.
    struct Memory {
        std::map<const void*, std::unique_ptr<FencedMemory>> blocks;
        /// Freed while a graph is recorded, which is still to use them.
        std::vector<std::unique_ptr<FencedMemory>> freed;
        bool recording = false;
        std::map<const void*, std::size_t> ofHost;  ///< allocateHost's, which a graph may read
    };

    /// Now, or with the graph that is being recorded.
    void queue(std::function<void()> command);
    void multiplyNow(const Product& product) const;
    void run(const Launch& how, const char* kernel, const std::function<void(Block&)>& body);

    Settings settings_;
    Fibers fibers_;
    std::shared_ptr<Memory> memory_;
    std::map<std::string, int> kernels_;
    std::vector<std::function<void()>> graph_, downloads_;
};

}  // namespace headloom::gpu
