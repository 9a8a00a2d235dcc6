#pragma once

#include "core/base/error.h"
#include "core/io/load_progress.h"
#include "core/models/model.h"

#include <filesystem>

namespace headloom {

/// Our own model files (semantics.md): a safetensors file with TransformerLens tensor names and the
/// metadata headloom.format, headloom.config, headloom.vocabulary, headloom.recipe, headloom.name
/// and, with IHA layers, iha.alpha_order.

/// Errors: every one of SafetensorsFile; a file that is not one of ours; a newer format; tensors
/// that do not fit the configuration; interrupted. Weights become host float32.
Result<Model> loadModel(const std::filesystem::path& path, const Progress& progress = {});

/// Atomic. Equal models give equal bytes. The weights must be host tensors.
Result<void> saveModel(const std::filesystem::path& path, const Model& model);

}  // namespace headloom
