#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace headloom::gpu {

/// Device memory for tensors. A freed block is kept and given out again, so that a repeated step
/// asks the driver for nothing. All work of a backend is on one stream, in order: what uses a block
/// next comes after what used it last. Blocks may be freed on any thread.
class DeviceMemory : public std::enable_shared_from_this<DeviceMemory> {
  public:
    explicit DeviceMemory(int device) : device_(device) {}
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// At least `bytes`, contents undefined. Throws BackendFailure with the bytes wanted and free.
    /// The handle keeps this object alive.
    std::shared_ptr<void> take(std::size_t bytes);
    /// Releases what is kept and keeps nothing from now on: the backend is gone, tensors may not
    /// be.
    void close();

  private:
    void give(void* block, std::size_t size);
    void releaseKept();

    int device_;
    std::mutex mutex_;
    std::map<std::size_t, std::vector<void*>> kept_;  // by block size
    bool closed_ = false;
};

}  // namespace headloom::gpu
