#include "core/backend/cpu/cpu_backend.h"

#include "core/base/counted.h"

#include <cassert>
#include <cstring>
#include <new>

namespace headloom::cpu {

CpuBackend::CpuBackend(int threads, const Kernels& kernels)
    : kernels_(kernels), memory_(std::make_shared<BlockPool>()), workers_(threads) {}

CpuBackend::~CpuBackend() {
    memory_->close();
}

DeviceInfo CpuBackend::info() const {
    const int threads = workers_.size();
    return {"cpu", "CPU, " + counted(threads, "thread") + ", " + kernels_.name + " kernels",
            threads, true};
}

Tensor CpuBackend::allocate(const Shape& shape, DType type) {
    try {
        const std::size_t bytes = sizeOf(shape.count()) * headloom::sizeOf(type);
        return Tensor(shape, type, memory_->take(bytes));
    } catch (const std::bad_alloc&) {
        throw BackendFailure({Error::Kind::outOfMemory, "cpu backend",
                              "no memory for a tensor of shape " + shape.text(),
                              "use a smaller model or a shorter prompt"});
    }
}

void CpuBackend::zero(const Tensor& out) {
    std::memset(out.raw(), 0, out.bytes());
}

void CpuBackend::upload(const Tensor& host, const Tensor& out) {
    assert(host.count() == out.count() && host.dtype() == out.dtype());
    std::memmove(out.raw(), host.raw(), out.bytes());
}

void CpuBackend::download(const Tensor& in, const Tensor& host) {
    upload(in, host);
}

}  // namespace headloom::cpu

namespace headloom {

std::unique_ptr<Backend> makeCpuBackend(int threads) {
    return std::make_unique<cpu::CpuBackend>(threads, cpu::bestKernels());
}

}  // namespace headloom
