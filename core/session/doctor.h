#pragma once

#include "core/backend/backend.h"
#include "core/models/model.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace headloom {

/// How far the attention of a model is from looking at all it may see alike, over the tokens 0, 1,
/// 2, ... of its vocabulary: the mean over rows of half the sum of |weight - 1/allowed|, 0 to 1.
/// Weights that were never trained, or never loaded, give a few hundredths. `cancelled` is polled
/// between layers; true ends with Error::Kind::interrupted.
Result<double> distanceFromUniform(const Model& model, Backend& backend,
                                   const std::function<bool()>& cancelled = {});
/// The sentence for the report; empty where attention is neither suspiciously uniform nor NaN.
std::string attentionHint(double distance);

/// A model's logits beside those of another program.
struct Parity {
    std::int64_t positions = 0;
    double maxDifference = 0;  ///< largest absolute difference
    double scale = 0;          ///< largest absolute reference
    /// First position with a difference above `tolerance` of the scale; -1: none.
    std::int64_t firstDifferent = -1;
    /// First position whose most probable token is another one; -1: none.
    std::int64_t firstOtherToken = -1;
    double tolerance = 0;

    std::string sentence() const;
};

/// `reference` has "logits" [N, V] or [1, N, V] and the ids that were read, "ids" or "input_ids";
/// an .npy holds the logits alone, and the ids come from `ids`. Errors: tensors that are missing or
/// of another size than the model's answers; interrupted, as above.
Result<Parity> compareLogits(const Model& model, const std::filesystem::path& reference,
                             const std::vector<int>& ids, Backend& backend,
                             const std::function<bool()>& cancelled = {}, double tolerance = 1e-3);

}  // namespace headloom
