#include <gpu_runtime.h>

#include <limits>

namespace headloom::gpu {

Runtime::Runtime(int device, bool tf32) : device_(device), tf32_(tf32) {
    HEADLOOM_CUDA(cudaSetDevice(device));
    cudaDeviceProp properties{};
    HEADLOOM_CUDA(cudaGetDeviceProperties(&properties, device));
    description_ = std::string("CUDA, ") + properties.name + ", " +
                   std::to_string(properties.totalGlobalMem >> 30) + " GiB" +
                   (tf32 ? ", products in TF32" : "");
    sharedBytes_ = properties.sharedMemPerBlockOptin;
    memory_ = std::make_shared<MemoryPool>(MemoryKind::device, device);
    hostMemory_ = std::make_shared<MemoryPool>(MemoryKind::host, device);
    stream_ = std::make_unique<Stream>();
    copies_ = std::make_unique<Stream>();
    queued_ = std::make_unique<Event>();
    blas_ = std::make_unique<Blas>(*stream_, allocate(Blas::workspaceBytes), tf32);
}

Runtime::~Runtime() {
    memory_->close();
    hostMemory_->close();
}

namespace {
std::string inMegabytes(std::size_t bytes) {
    return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}
}  // namespace

// A backend moves between threads, and a thread's current device is its own: every call that makes
// something new sets it. Launches and copies follow their stream.
std::shared_ptr<void> Runtime::allocate(std::size_t bytes) {
    HEADLOOM_CUDA(cudaSetDevice(device_));
    if (auto block = memory_->take(bytes)) return block;
    std::size_t free = 0, total = 0;
    HEADLOOM_CUDA(cudaMemGetInfo(&free, &total));
    throw BackendFailure(
        {Error::Kind::outOfMemory, "cuda backend",
         inMegabytes(bytes) + " of GPU memory are wanted and " + inMegabytes(free) + " are free",
         "use a smaller model or a shorter prompt, or run it on the CPU"});
}

void Runtime::zero(void* to, std::size_t bytes) {
    HEADLOOM_CUDA(cudaMemsetAsync(to, 0, bytes, stream_->get()));
}

// From pageable memory: the call returns when the host's numbers have been taken.
void Runtime::toDevice(const void* host, void* device, std::size_t bytes) {
    HEADLOOM_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_->get()));
}

void Runtime::toHost(const void* device, void* host, std::size_t bytes) {
    HEADLOOM_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_->get()));
    stream_->finish();
}

void Runtime::startToHost(const void* device, void* host, std::size_t bytes) {
    queued_->record(*stream_);
    queued_->makeWait(*copies_);
    HEADLOOM_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, copies_->get()));
}

void Runtime::together(const std::function<void()>& work) {
    memory_->hold(true);
    try {
        graph_.run(*stream_, work);
    } catch (...) {
        memory_->hold(false);
        throw;
    }
    memory_->hold(false);
}

// cuBLAS counts columns first: a row-major C = A B is its C^T = B^T A^T, with nothing moved.
void Runtime::multiply(const Product& product) {
    const auto turned = [](const Product::Matrix& matrix) {
        return matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    };
    const float keep = product.add ? 1.f : 0.f;
    HEADLOOM_CUDA(cublasSgemmStridedBatched_64(
        blas_->get(), turned(product.b), turned(product.a), product.n, product.m, product.k,
        &product.scale, product.b.numbers, product.b.lead, product.b.step, product.a.numbers,
        product.a.lead, product.a.step, &keep, product.c, product.leadC, product.stepC,
        product.count));
}

}  // namespace headloom::gpu
