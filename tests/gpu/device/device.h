#pragma once

#include "core/backend/backend.h"

#include <memory>
#include <string>

namespace headloom::device {

/// What a GPU offers beside its operators: the time its own work takes, and a plain copy.
class GpuTools {
  public:
    virtual ~GpuTools() = default;
    /// Marks the present place in the backend's queue.
    virtual void start() = 0;
    /// Waits until the device is done. Milliseconds since start() as the device counts them, from
    /// the first piece of work to the last, with the pauses in between.
    virtual double stop() = 0;
    /// Queues a copy between two tensors of the backend.
    virtual void copy(const Tensor& from, const Tensor& to) = 0;
};

/// A backend under test.
struct Device {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<GpuTools> tools;  ///< empty for a processor; goes before the backend does
};

/// The GPU that this program was linked with: a real one, or the emulated one of the tests.
/// tf32: products whose factors are rounded to 10 bits. Errors: no driver, no GPU; an emulated one
/// that is asked for TF32.
Result<Device> openGpu(bool tf32);
inline constexpr int exitNoGpu = 77;  ///< what test runners take for "skipped"

}  // namespace headloom::device
