#pragma once

#include "core/backend/cuda_entry.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace headloom {

/// Where the CUDA backend may lie, in the order of looking: the file that the environment variable
/// HEADLOOM_CUDA_MODULE names and nowhere else; without it beside the running program, as in a
/// build, then in ../lib/headloom, as installed.
std::vector<std::filesystem::path> cudaModulePlaces();

/// A backend on the present GPU, from `headloom_cuda.so`: the programs link nothing of CUDA. The
/// module is opened by the first call of a process and stays open, since tensors may outlive their
/// backend. Errors, each of which names the one thing that is missing: the module, a library that
/// it needs (what the loader says of it), a module of this version, a driver or GPU.
/// `tf32`: matrix products of factors rounded to 10 bits.
Result<std::unique_ptr<Backend>> makeCudaBackend(bool tf32);

}  // namespace headloom
