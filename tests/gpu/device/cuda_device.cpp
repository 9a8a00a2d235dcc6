#include "core/backend/cuda_entry.h"
#include "gpu/backend/device_backend.h"
#include "tests/gpu/device/device.h"

namespace headloom::device {

namespace {

class TimedEvent {
  public:
    TimedEvent() { HEADLOOM_CUDA(cudaEventCreate(&event_)); }
    ~TimedEvent() { cudaEventDestroy(event_); }
    TimedEvent(const TimedEvent&) = delete;
    TimedEvent& operator=(const TimedEvent&) = delete;
    cudaEvent_t get() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

class CudaTools : public GpuTools {
  public:
    explicit CudaTools(cudaStream_t stream) : stream_(stream) {}

    void start() override { HEADLOOM_CUDA(cudaEventRecord(begin_.get(), stream_)); }
    double stop() override {
        HEADLOOM_CUDA(cudaEventRecord(end_.get(), stream_));
        HEADLOOM_CUDA(cudaEventSynchronize(end_.get()));
        float milliseconds = 0;
        HEADLOOM_CUDA(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()));
        return milliseconds;
    }
    void copy(const Tensor& from, const Tensor& to) override {
        HEADLOOM_CUDA(
            cudaMemcpyAsync(to.raw(), from.raw(), from.bytes(), cudaMemcpyDeviceToDevice, stream_));
    }

  private:
    cudaStream_t stream_;
    TimedEvent begin_, end_;
};

}  // namespace

// First through the entry point of the module, which has a sentence for everything that can be
// missing; then once more, for the stream that only the runtime knows.
Result<Device> openGpu(bool tf32) {
    Error error;
    if (!headloom_cuda_entry()->make(tf32, &error)) return tl::unexpected(error);
    try {
        auto runtime = std::make_unique<gpu::Runtime>(0, tf32);
        Device device;
        const cudaStream_t stream = runtime->stream();
        device.backend = std::make_unique<gpu::DeviceBackend>(std::move(runtime));
        device.tools = std::make_unique<CudaTools>(stream);
        return device;
    } catch (const BackendFailure& failure) {
        return tl::unexpected(failure.error());
    }
}

}  // namespace headloom::device
