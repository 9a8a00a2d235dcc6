#pragma once

#include "core/session/filter_training.h"

#include <filesystem>

namespace headloom {

/// A filter that was trained: what its file holds.
struct SavedFilter {
    FilterRecipe recipe;  ///< its seed is the one asked for; result.seed the one that was kept
    FilterResult result;  ///< what came of it, all attempts counted
    Weights weights;      ///< of the kept attempt, host float32, in the order of weightSpecs
};

/// A safetensors file with the tensors of weightSpecs(FilterConfig) and the metadata
/// headloom.format, headloom.filter (JSON: graph, config, mixing, settings, result), headloom.name
/// and, with IHA, iha.alpha_order. Not a model of tokens: loadModel refuses it.
///
/// Errors: every one of SafetensorsFile; a file that is not a filter; a newer format; a recipe that
/// cannot be; tensors that do not fit it. Sizes are bounded by validate(FilterConfig).
Result<SavedFilter> loadFilter(const std::filesystem::path& path);
/// Atomic. Equal filters give equal bytes.
Result<void> saveFilter(const std::filesystem::path& path, const SavedFilter& filter);

/// Whether a file says that it holds a filter; false where it cannot be read.
bool isFilterFile(const std::filesystem::path& path);

}  // namespace headloom
