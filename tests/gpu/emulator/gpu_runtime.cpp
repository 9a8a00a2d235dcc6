#include "core/base/error.h"

#include <boost/core/demangle.hpp>
#include <gpu_runtime.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace headloom::gpu {

Runtime::Runtime(const Settings& settings)
    : settings_(settings), fibers_(settings.seed), memory_(std::make_shared<Memory>()) {}

std::shared_ptr<void> Runtime::allocate(std::size_t bytes) {
    std::size_t used = 0;
    for (const auto& [at, block] : memory_->blocks) used += block->bytes();
    if (bytes > settings_.memory - used)
        throw BackendFailure({Error::Kind::outOfMemory, "cuda backend",
                              "no memory for " + std::to_string(bytes) + " bytes, " +
                                  std::to_string(settings_.memory - used) + " are free",
                              "use a smaller model or a shorter prompt"});
    auto block = std::make_unique<FencedMemory>(bytes);
    void* const at = block->data();
    memory_->blocks.emplace(at, std::move(block));
    return {at, [memory = memory_](void* freed) {
                auto node = memory->blocks.extract(freed);
                if (memory->recording) memory->freed.push_back(std::move(node.mapped()));
            }};
}

std::shared_ptr<void> Runtime::allocateHost(std::size_t bytes) {
    auto* const memory = new std::byte[std::max<std::size_t>(bytes, 1)];
    std::memset(memory, 0x7f, bytes);
    memory_->ofHost[memory] = bytes;
    return {memory, [held = memory_](void* freed) {
                held->ofHost.erase(freed);
                delete[] static_cast<std::byte*>(freed);
            }};
}

void Runtime::zero(void* to, std::size_t bytes) {
    queue([=] { std::memset(to, 0, bytes); });
}
void Runtime::toDevice(const void* host, void* device, std::size_t bytes) {
    if (memory_->recording && !memory_->ofHost.contains(host))
        throw KernelFault("a step that is recorded uploads from memory that may be paged out");
    queue([=] { std::memcpy(device, host, bytes); });
}
void Runtime::toHost(const void* device, void* host, std::size_t bytes) {
    if (memory_->recording) throw KernelFault("a step that is recorded waits for its own numbers");
    std::memcpy(host, device, bytes);
}
void Runtime::startToHost(const void* device, void* host, std::size_t bytes) {
    downloads_.push_back([=] { std::memcpy(host, device, bytes); });
}
void Runtime::finishToHost() {
    for (const auto& download : std::exchange(downloads_, {})) download();
}

void Runtime::together(const std::function<void()>& work) {
    memory_->recording = true;
    try {
        work();
    } catch (...) {
        memory_->recording = false;
        graph_.clear();
        throw;
    }
    memory_->recording = false;
    for (const auto& command : std::exchange(graph_, {})) command();
    memory_->freed.clear();
}

void Runtime::queue(std::function<void()> command) {
    if (memory_->recording)
        graph_.push_back(std::move(command));
    else
        command();
}

void Runtime::multiply(const Product& product) {
    queue([this, product] { multiplyNow(product); });
}

void Runtime::multiplyNow(const Product& product) const {
    const auto at = [](const Product::Matrix& matrix, Index which, Index row, Index column) {
        if (matrix.transposed) std::swap(row, column);
        return matrix.numbers[which * matrix.step + row * matrix.lead + column];
    };
    for (Index which = 0; which < product.count; ++which)
        for (Index i = 0; i < product.m; ++i)
            for (Index j = 0; j < product.n; ++j) {
                float sum = 0;
                for (Index x = 0; x < product.k; ++x)
                    sum += at(product.a, which, i, x) * at(product.b, which, x, j);
                float& to = product.c[which * product.stepC + i * product.leadC + j];
                to = (product.add ? to : 0.f) + product.scale * sum;
            }
}

void Runtime::run(const Launch& how, const char* kernel, const std::function<void(Block&)>& body) {
    const std::string name = boost::core::demangle(kernel);
    int& barriers = kernels_[name];
    const int skipped = name == settings_.skippedIn ? settings_.skippedBarrier : -1;
    if (how.threads % lanes != 0 || how.threads > 1024 || how.sharedBytes > settings_.sharedBytes)
        throw KernelFault(name + ": a device would not start " + std::to_string(how.threads) +
                          " threads with " + std::to_string(how.sharedBytes) +
                          " bytes of shared memory");
    FencedMemory shared(how.sharedBytes);
    for (Index at = 0; at < how.blocks; ++at) {
        shared.poison();
        Block block(fibers_, at, how.threads, shared.data());
        try {
            fibers_.run(
                how.threads, [&] { body(block); }, skipped);
            barriers = std::max(barriers, fibers_.barriers());
        } catch (const KernelFault& fault) {
            throw KernelFault(name + ", block " + std::to_string(at) + ": " + fault.what());
        }
        if (!shared.intact())
            throw KernelFault(name + ", block " + std::to_string(at) +
                              ": wrote outside its shared memory");
    }
    for (const auto& [begin, memory] : memory_->blocks)
        if (!memory->intact())
            throw KernelFault(name + ": wrote outside a block of " +
                              std::to_string(memory->bytes()) + " bytes of device memory");
}

}  // namespace headloom::gpu
