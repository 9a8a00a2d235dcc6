#pragma once

#include "core/backend/backend.h"

#include <memory>

namespace headloom {

/// Counts what a program and a module of another build would misread: raised with every change of
/// Backend, of what its operators take, or of this struct.
inline constexpr int cudaAbiVersion = 3;

/// What `headloom_cuda.so` hands to a program that opens it (core/backend/cuda_module.h). Both are
/// built from the same sources, so C++ types and exceptions may cross.
struct CudaEntry {
    int abiVersion = 0;  ///< cudaAbiVersion of the module's build
    /// A backend on the present GPU, or null with the reason in *error: no driver, no GPU, or what
    /// the device answered. Throws nothing. `tf32`: products of factors rounded to 10 bits.
    std::unique_ptr<Backend> (*make)(bool tf32, Error* error) = nullptr;
};

/// The module's one entry point. The struct lives as long as the module.
extern "C" const CudaEntry* headloom_cuda_entry();
inline constexpr const char* cudaEntryName = "headloom_cuda_entry";

}  // namespace headloom
