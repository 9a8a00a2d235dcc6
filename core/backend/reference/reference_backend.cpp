#include "core/backend/reference/reference_backend.h"

#include <cstring>
#include <new>

namespace headloom::reference {

DeviceInfo ReferenceBackend::info() const {
    return {"reference", "CPU, 1 thread, plain loops", 1, true};
}

Tensor ReferenceBackend::allocate(const Shape& shape, DType type) {
    try {
        return Tensor::host(shape, type);
    } catch (const std::bad_alloc&) {
        throw BackendFailure({Error::Kind::outOfMemory, "reference backend",
                              "no memory for a tensor of shape " + shape.text(),
                              "use a smaller model or a shorter prompt"});
    }
}

void ReferenceBackend::zero(const Tensor& out) {
    std::memset(out.raw(), 0, out.bytes());
}

void ReferenceBackend::upload(const Tensor& host, const Tensor& out) {
    assert(host.count() == out.count() && host.dtype() == out.dtype());
    std::memmove(out.raw(), host.raw(), out.bytes());
}

void ReferenceBackend::download(const Tensor& in, const Tensor& host) {
    upload(in, host);
}

}  // namespace headloom::reference

namespace headloom {

std::unique_ptr<Backend> makeReferenceBackend() {
    return std::make_unique<reference::ReferenceBackend>();
}

}  // namespace headloom
