#include "core/session/chosen_backend.h"

namespace headloom {

bool isDevice(const std::string& backend) {
    return backend == "cuda" || backend == "cuda-tf32";
}

bool mayBeOfDevice(const Error& error) {
    return error.kind == Error::Kind::outOfMemory || error.kind == Error::Kind::unsupported;
}

std::string goesOnOnCpu(const Error& error) {
    return error.sentence() + " Headloom goes on on the CPU.";
}

Result<void> ChosenBackend::choose(const std::string& name, int threads, int number) {
    if (backend_ && name_ == name && threads_ == threads && number_ == number) return {};
    auto made = makeBackend(name, threads);
    if (!made) return tl::unexpected(made.error());
    backend_ = std::move(*made);
    name_ = name;
    threads_ = threads;
    number_ = number;
    fellBack_.reset();
    return {};
}

}  // namespace headloom
