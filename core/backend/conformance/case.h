#pragma once

#include "core/backend/backend.h"
#include "core/base/rng.h"

#include <functional>
#include <string>
#include <vector>

namespace headloom::conformance {

using Tensors = std::vector<Tensor>;

/// One operator at one shape. Floating tensors here are float64 on the host and hold float32
/// numbers; the runner casts them to the type under test and moves them to the device.
struct Case {
    std::string op;
    std::string shape;
    Tensors in;   ///< arguments; empty handles stay empty
    Tensors out;  ///< results with their contents before the call: NaN where overwritten
    std::function<void(Backend&, const Tensors& in, const Tensors& out)> forward;
    double sumLength = 1;  ///< K of the tolerance
    double magnified = 1;  ///< how much larger an intermediate is than the outputs

    // Backward, if the operator has one. `gradient` has a tensor for every entry of `in`, empty
    // where there is none or none is asked for; `out` is what forward gave.
    std::function<void(Backend&, const Tensors& in, const Tensors& out, const Tensor& dOut,
                       const Tensors& gradient)>
        backward;
    std::vector<bool> differentiable;  ///< for every entry of `in`
    Tensor dOut;                       ///< gradient of out[0]
    bool gradientAdds = true;          ///< false: the operator overwrites its gradients
};

/// Random arguments for cases; one stream of numbers for a group of them.
class Draw {
  public:
    explicit Draw(std::uint64_t seed, std::uint64_t stream = 0) : rng_(seed, stream) {}

    /// Uniform in low..high.
    std::int64_t between(std::int64_t low, std::int64_t high);
    /// Normal numbers that float32 holds exactly.
    Tensor normal(const Shape& shape, double deviation = 1.0);
    /// Whole numbers in low..high, as float64: products and sums of them are exact in float32.
    Tensor whole(const Shape& shape, std::int64_t low, std::int64_t high);
    /// i32 in low..high.
    Tensor ids(const Shape& shape, std::int64_t low, std::int64_t high);

  private:
    Rng rng_;
};

/// Contents of an output that must be overwritten.
Tensor unwritten(const Shape& shape);
/// For operators that return a number: puts it into out [1].
void store(Backend& backend, double value, const Tensor& out);

void addTokenCases(std::vector<Case>& cases, Draw& draw);
void addActivationCases(std::vector<Case>& cases, Draw& draw);
void addRowCases(std::vector<Case>& cases, Draw& draw);
void addMixingCases(std::vector<Case>& cases, Draw& draw);
void addAttentionCases(std::vector<Case>& cases, Draw& draw);
void addCollapseCases(std::vector<Case>& cases, Draw& draw);
void addLayerCases(std::vector<Case>& cases, Draw& draw);
void addLearningCases(std::vector<Case>& cases, Draw& draw);
void addMapCases(std::vector<Case>& cases, Draw& draw);

}  // namespace headloom::conformance
