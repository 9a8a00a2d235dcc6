#include "gpu/backend/device_backend.h"
#include "tests/gpu/device/device.h"

#include <chrono>
#include <cstring>

namespace headloom::device {

namespace {

/// Work is done when its call returns, so the host's clock is the device's.
class EmulatedTools : public GpuTools {
  public:
    void start() override { begin_ = std::chrono::steady_clock::now(); }
    double stop() override {
        const auto passed = std::chrono::steady_clock::now() - begin_;
        return std::chrono::duration<double, std::milli>(passed).count();
    }
    void copy(const Tensor& from, const Tensor& to) override {
        std::memcpy(to.raw(), from.raw(), from.bytes());
    }

  private:
    std::chrono::steady_clock::time_point begin_;
};

}  // namespace

Result<Device> openGpu(bool tf32) {
    if (tf32)
        return fail(Error::Kind::unsupported, "emulator", "it has no TF32", "check cuda instead");
    Device device;
    device.backend = std::make_unique<gpu::DeviceBackend>(
        std::make_unique<gpu::Runtime>(gpu::Runtime::Settings{}));
    device.tools = std::make_unique<EmulatedTools>();
    return device;
}

}  // namespace headloom::device
