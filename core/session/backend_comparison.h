#pragma once

#include "core/session/chain_run.h"

#include <string>
#include <vector>

namespace headloom {

/// One tensor of a pass as two backends compute it.
struct TensorDifference {
    std::string name;  ///< "blocks.0.attn.maps" (core/models/trace_tensors.h), "logits"
    Shape shape;
    double maxAbsolute = 0;  ///< largest |a - b|; NaN on one side alone counts as inf
    double maxRelative = 0;  ///< beside the largest |b|
    double tolerance = 0;    ///< bound on maxRelative
    bool within() const { return maxRelative <= tolerance; }
};

/// One model over one sequence on two backends.
struct BackendComparison {
    struct Side {
        DeviceInfo device;
        double milliseconds = 0;  ///< ChainRun::milliseconds, median of `passes`
        int passes = 0;           ///< that were timed, after one that was not
    };
    Side tested, against;
    int rows = 0;                           ///< tokens fed
    std::vector<TensorDifference> tensors;  ///< in the order in which they are computed

    int beyond() const;  ///< tensors that are not within their tolerance
    /// The one that is worst beside its tolerance; null without tensors.
    const TensorDifference* worst() const;
};

/// Runs the request on both, keeping all maps and activations, and compares every tensor of the
/// trace, by the same fed tokens: a model on its own is fed what it says on `against`.
///
/// Tolerance: between the tokens and a tensor lie sums of K products in all, each of which rounds
/// at most K times by one unit of 2^-23, and 16 more roundings a step for exp, division and the
/// like; both backends do. So the bound on the largest difference beside the largest entry is
/// 2 K 2^-23, with K growing from tensor to tensor. It is a yardstick and no proof: sums round far
/// less than K times in the same direction, while large scores amplify what rounding did before
/// them.
///
/// Errors: those of runChain; maps and activations of two passes that have no room.
Result<BackendComparison> compareBackends(ChainRequest request, Backend& tested, Backend& against);

/// Why a difference within the tolerance is none, for people: one sentence.
std::string toleranceReason();
/// "all 34 tensors agree within rounding" or "2 of 34 tensors differ by more than rounding ...".
std::string verdictOn(const BackendComparison& comparison);
/// "tensor,shape,max_absolute,max_relative,tolerance,within": a line a tensor, all digits.
std::string comparisonAsCsv(const BackendComparison& comparison);

}  // namespace headloom
