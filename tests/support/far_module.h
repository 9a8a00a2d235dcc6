#pragma once

#include "core/backend/cuda_module.h"
#include "tests/support/far_backend.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace headloom::testing {

/// From here on "cuda" is the far module of this name, in a process that has not opened another;
/// when its device fails, and what was asked of it.
inline FarFailure& useFarModule(const std::string& name = "far_module") {
    const std::string file = std::string(HEADLOOM_FAR_MODULES "/") + name + ".so";
    ::setenv("HEADLOOM_CUDA_MODULE", file.c_str(), 1);
    if (const auto made = makeCudaBackend(false); !made)
        throw std::runtime_error(made.error().sentence());
    void* const open = ::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    void* const symbol = open ? ::dlsym(open, "headloom_far_failure") : nullptr;
    if (!symbol) throw std::runtime_error("another module is open");
    return *reinterpret_cast<FarFailure* (*)()>(symbol)();
}

}  // namespace headloom::testing
