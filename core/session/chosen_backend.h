#pragma once

#include "core/backend/backend.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace headloom {

/// Whether what a backend of this name computes on can fail while the processor goes on.
bool isDevice(const std::string& backend);
/// Whether a device may be why something failed, so that the processor is worth trying: no memory,
/// a lost device, or something that it does not do.
bool mayBeOfDevice(const Error& error);
/// "cuda backend: ... Headloom goes on on the CPU."
std::string goesOnOnCpu(const Error& error);

/// The backend that somebody chose, and the processor's in its place once its device fails: what
/// was asked for then still comes, only slower. One thread uses it at a time.
class ChosenBackend {
  public:
    /// Does nothing where that is the choice already, of the same number. A backend that cannot be
    /// had is an error, and the one before stays.
    Result<void> choose(const std::string& name, int threads, int number = 0);
    /// There must be one.
    Backend& backend() { return *backend_; }

    /// `work` takes the Backend and gives a Result. Where a device fails at it, it is done again on
    /// the processor, which stays until somebody chooses again.
    template <class Work>
    auto run(const Work& work) -> decltype(work(std::declval<Backend&>())) {
        auto made = work(*backend_);
        if (made || backend_->info().isHost || !mayBeOfDevice(made.error())) return made;
        auto processor = makeCpuBackend(threads_);
        auto again = work(*processor);
        if (!again && again.error().kind != Error::Kind::interrupted) return again;
        fellBack_ = made.error();
        backend_ = std::move(processor);
        return again;
    }

    /// Why the choice is not what computes; said once, to who asks first.
    std::optional<Error> takeFellBack() { return std::exchange(fellBack_, std::nullopt); }

  private:
    std::unique_ptr<Backend> backend_;
    std::string name_;
    int threads_ = 0, number_ = 0;
    std::optional<Error> fellBack_;
};

}  // namespace headloom
