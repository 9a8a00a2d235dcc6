#include "gpu/backend/device_backend.h"

#include "gpu/kernels/elementwise.h"
#include "gpu/kernels/layout.h"

namespace headloom::gpu {

DeviceBackend::DeviceBackend(std::unique_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}

DeviceBackend::~DeviceBackend() {
    runtime_->settleDownloads();
}

DeviceInfo DeviceBackend::info() const {
    if (runtime_->tf32()) return {"cuda-tf32", runtime_->description(), 1, false, 0x1p-10};
    return {"cuda", runtime_->description(), 1, false};
}

Tensor DeviceBackend::allocate(const Shape& shape, DType type) {
    const std::size_t bytes = sizeOf(shape.count()) * headloom::sizeOf(type);
    try {
        return Tensor(shape, type, runtime_->allocate(bytes));
    } catch (const BackendFailure& failure) {
        // Weights of models that nobody runs just now can be uploaded again.
        if (failure.error().kind != Error::Kind::outOfMemory || !residents_.clear()) throw;
        return Tensor(shape, type, runtime_->allocate(bytes));
    }
}

Tensor DeviceBackend::temporary(Index count, DType type) {
    return allocate({count}, type);
}

void DeviceBackend::zero(const Tensor& out) {
    if (out.bytes() > 0) runtime_->zero(out.raw(), out.bytes());
}

void DeviceBackend::upload(const Tensor& host, const Tensor& out) {
    assert(host.count() == out.count() && host.dtype() == out.dtype());
    if (out.bytes() > 0) runtime_->toDevice(host.raw(), out.raw(), out.bytes());
}

void DeviceBackend::download(const Tensor& in, const Tensor& host) {
    assert(host.count() == in.count() && host.dtype() == in.dtype());
    if (in.bytes() > 0) runtime_->toHost(in.raw(), host.raw(), in.bytes());
}

Tensor DeviceBackend::resident(const Tensor& host) {
    return residents_.find(host, [this](const Tensor& tensor) {
        const Tensor there = allocate(tensor.shape(), tensor.dtype());
        upload(tensor, there);
        return there;
    });
}

Tensor DeviceBackend::allocateHost(const Shape& shape, DType type) {
    const auto memory = runtime_->allocateHost(sizeOf(shape.count()) * headloom::sizeOf(type));
    return memory ? Tensor(shape, type, memory) : Tensor::host(shape, type);
}

void DeviceBackend::startDownload(const Tensor& in, const Tensor& host) {
    assert(host.count() == in.count() && host.dtype() == in.dtype());
    if (in.bytes() == 0) return;
    downloading_.insert(downloading_.end(), {in, host});
    runtime_->startToHost(in.raw(), host.raw(), in.bytes());
}

void DeviceBackend::finishDownloads() {
    if (downloading_.empty()) return;
    runtime_->finishToHost();
    downloading_.clear();
}

void DeviceBackend::together(const std::function<void()>& work) {
    runtime_->together(work);
}

void DeviceBackend::multiply(const Product& product) {
    if (product.m == 0 || product.n == 0 || product.count == 0) return;
    if (product.k > 0) return runtime_->multiply(product);
    assert(product.add);  // an empty sum leaves what is there
}

void DeviceBackend::swapMiddle(const float* from, Index nBatch, Index first, Index second,
                               Index width, const float* bias, float* to, bool add) {
    forEach(nBatch * first * second * width, SwapMiddle{from, bias, to, first, second, width, add});
}

void DeviceBackend::add(const Tensor& x, const Tensor& out) {
    forEach(x.count(), AddNumber{x.data<float>(), out.data<float>()});
}

void DeviceBackend::gate(const Tensor& a, const Tensor& b, const Tensor& out) {
    forEach(a.count(), MultiplyNumbers{a.data<float>(), b.data<float>(), out.data<float>()});
}

void DeviceBackend::gateBackward(const Tensor& a, const Tensor& b, const Tensor& dOut,
                                 const Tensor& dA, const Tensor& dB) {
    forEach(a.count(), MultiplyNumbersBackward{a.data<float>(), b.data<float>(), dOut.data<float>(),
                                               floats(dA), floats(dB)});
}

void DeviceBackend::activate(Activation kind, const Tensor& x, const Tensor& out) {
    forEach(x.count(), Activate{kind, x.data<float>(), out.data<float>()});
}

void DeviceBackend::activateBackward(Activation kind, const Tensor& x, const Tensor& dOut,
                                     const Tensor& dX) {
    if (!dX) return;
    forEach(x.count(),
            ActivateBackward{kind, x.data<float>(), dOut.data<float>(), dX.data<float>()});
}

}  // namespace headloom::gpu
