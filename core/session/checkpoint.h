#pragma once

#include "core/session/recipe.h"
#include "core/train/trainer.h"

#include <filesystem>

namespace headloom {

/// A training run at rest: what it is, how far it came, and everything that decides how it goes on.
struct Checkpoint {
    Recipe recipe;
    TrainState state;
    int threads = 1;                     ///< shards a batch is cut into; part of the bits
    double seconds = 0, cpuSeconds = 0;  ///< spent so far
};

/// A safetensors file of its own kind: the weights, and the moments as "adam.m.NAME" and
/// "adam.v.NAME". Atomic.
Result<void> saveCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// Errors: no such file, a file of another kind, tensors that do not fit the recipe.
Result<Checkpoint> loadCheckpoint(const std::filesystem::path& path);

}  // namespace headloom
