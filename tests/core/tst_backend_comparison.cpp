#include "core/backend/reference/reference_backend.h"
#include "core/session/backend_comparison.h"
#include "tests/support/small_model.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace headloom;
using headloom::reference::ReferenceBackend;
using headloom::testing::sevenTokens;
using headloom::testing::smallModel;

namespace {

ChainRequest trueChain(AttentionKind kind) {
    return sevenTokens(smallModel(kind));
}

const TensorDifference& named(const BackendComparison& comparison, const std::string& name) {
    for (const TensorDifference& tensor : comparison.tensors)
        if (tensor.name == name) return tensor;
    throw std::runtime_error("no tensor " + name);
}

/// Adds so much to every output of the MLP's activation.
class Shifted : public ReferenceBackend {
  public:
    explicit Shifted(float by) : by_(by) {}
    void activate(Activation kind, const Tensor& x, const Tensor& out) override {
        ReferenceBackend::activate(kind, x, out);
        for (float& value : out.values<float>()) value += by_;
    }

  private:
    float by_;
};

}  // namespace

TEST_CASE("every kind of attention agrees on cpu and reference within rounding") {
    for (const AttentionKind kind : attentionKinds()) {
        CAPTURE(nameOf(kind));
        const auto cpu = makeCpuBackend(2), reference = makeReferenceBackend();
        const auto compared = compareBackends(trueChain(kind), *cpu, *reference).value();
        CHECK(compared.beyond() == 0);
        CHECK(compared.rows == 7);
        CHECK(compared.tested.device.name == "cpu");
        CHECK(compared.against.device.name == "reference");
        CHECK(compared.tested.milliseconds > 0);
        // the bound is of use: a thousandth is seen
        for (const TensorDifference& tensor : compared.tensors) CHECK(tensor.tolerance < 1e-3);
    }
}

TEST_CASE("a fault is seen from the tensor on that it is in") {
    Shifted faulty(0.25F);
    const auto reference = makeReferenceBackend();
    const auto compared =
        compareBackends(trueChain(AttentionKind::iha), faulty, *reference).value();
    CHECK(named(compared, "blocks.0.mlp.pre").maxAbsolute == 0);
    const TensorDifference& first = named(compared, "blocks.0.mlp.post");
    CHECK(first.maxAbsolute == doctest::Approx(0.25));
    CHECK_FALSE(first.within());
    CHECK(first.shape == Shape{1, 7, 5});
    CHECK_FALSE(named(compared, "blocks.1.resid_pre").within());
    CHECK_FALSE(named(compared, "logits").within());
    CHECK(compared.beyond() > 10);
    CHECK(verdictOn(compared) == std::to_string(compared.beyond()) + " of " +
                                     std::to_string(compared.tensors.size()) +
                                     " tensors differ by more than rounding can explain");
}

TEST_CASE("what is not a number on one side alone is an infinite difference") {
    const auto reference = makeReferenceBackend();
    Shifted faulty(std::numeric_limits<float>::quiet_NaN());
    const auto request = trueChain(AttentionKind::mha);
    const auto one = compareBackends(request, faulty, *reference).value();
    CHECK(std::isinf(named(one, "blocks.0.mlp.post").maxAbsolute));
    CHECK_FALSE(named(one, "blocks.0.mlp.post").within());
    const auto other = compareBackends(request, *reference, faulty).value();
    CHECK(std::isinf(named(other, "blocks.0.mlp.post").maxRelative));
    // both agree that it is none
    CHECK(compareBackends(request, faulty, faulty).value().beyond() == 0);
}

TEST_CASE("a model on its own is fed the same tokens on both") {
    Shifted faulty(3.0F);  // would say other tokens
    const auto reference = makeReferenceBackend();
    ChainRequest request = trueChain(AttentionKind::iha);
    request.mode = ChainMode::onItsOwn;
    request.prompt = {0, 3};
    request.maxSteps = 5;
    const auto compared = compareBackends(request, faulty, *reference).value();
    CHECK(compared.rows == 6);
    CHECK(named(compared, "blocks.0.resid_pre").maxAbsolute == 0);
}

TEST_CASE("a comparison as a table of digits") {
    BackendComparison comparison;
    comparison.tensors = {{"logits", {1, 2, 3}, 0.5, 0.25, 0.125}};
    CHECK(comparisonAsCsv(comparison) ==
          "tensor,shape,max_absolute,max_relative,tolerance,within\n"
          "logits,1x2x3,0.5,0.25,0.125,0\n");
    CHECK(comparison.worst()->name == "logits");
}

TEST_CASE("what cannot be run is the sentence of the run") {
    const auto reference = makeReferenceBackend();
    ChainRequest request = trueChain(AttentionKind::mha);
    request.prompt.clear();
    const auto refused = compareBackends(request, *reference, *reference);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence() == "prompt: it is empty; give at least one token.");
    request = trueChain(AttentionKind::mha);
    request.cancelled = [] { return true; };
    const auto stopped = compareBackends(request, *reference, *reference);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().kind == Error::Kind::interrupted);
}
