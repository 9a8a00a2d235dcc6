#include "core/models/decoder.h"
#include "core/session/chain_run.h"
#include "core/session/row_of_run.h"
#include "tests/support/far_backend.h"
#include "tests/support/small_model.h"

#include <doctest/doctest.h>

#include <cstring>

// What a session asks of a device: memory that the host may not touch, numbers that come when they
// are waited for, weights that stay where they are.

using namespace headloom;
using headloom::testing::FarBackend;
using headloom::testing::FarFailure;
using headloom::testing::sevenTokens;
using headloom::testing::smallModel;

namespace {

ChainRequest trueChain(std::shared_ptr<const Model> model) {
    ChainRequest request = sevenTokens(std::move(model));
    request.effectiveMaps = request.keepResiduals = true;
    return request;
}

struct Device {
    std::shared_ptr<FarFailure> asked = std::make_shared<FarFailure>();
    FarBackend backend{makeCpuBackend(1), asked};

    /// Bytes that `work` uploads.
    template <class Work>
    std::int64_t uploadedBy(const Work& work) {
        const std::int64_t before = asked->uploadedBytes;
        work();
        return asked->uploadedBytes - before;
    }
};

void same(const Tensor& a, const Tensor& b) {
    REQUIRE(bool(a) == bool(b));
    if (!a) return;
    REQUIRE(a.shape() == b.shape());
    CHECK(std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
}

void same(const ChainRun& a, const ChainRun& b) {
    CHECK(a.tokens == b.tokens);
    same(a.trace.logits, b.trace.logits);
    same(a.trace.residFinal, b.trace.residFinal);
    REQUIRE(a.trace.layers.size() == b.trace.layers.size());
    for (std::size_t i = 0; i < a.trace.layers.size(); ++i) {
        same(a.trace.layers[i].maps, b.trace.layers[i].maps);
        same(a.trace.layers[i].mixedK, b.trace.layers[i].mixedK);
        same(a.trace.layers[i].residMid, b.trace.layers[i].residMid);
    }
    REQUIRE(a.effective.size() == b.effective.size());
    for (std::size_t i = 0; i < a.effective.size(); ++i) same(a.effective[i], b.effective[i]);
    REQUIRE(a.residuals.size() == b.residuals.size());
    for (std::size_t i = 0; i < a.residuals.size(); ++i) same(a.residuals[i], b.residuals[i]);
}

/// The same request here and there.
void sameRun(const ChainRequest& request) {
    const auto host = makeCpuBackend(1);
    Device device;
    const auto here = runChain(request, *host), there = runChain(request, device.backend);
    REQUIRE(here);
    REQUIRE(there);
    same(*here, *there);
}

}  // namespace

TEST_CASE("a run on a device gives what the host gives, to the bit") {
    for (const AttentionKind kind : attentionKinds()) {
        CAPTURE(std::string(nameOf(kind)));
        ChainRequest request = trueChain(smallModel(kind));
        sameRun(request);
        request.activations = false;
        request.mapLayers = {1};
        sameRun(request);
        request = trueChain(smallModel(kind));
        request.mostMapBytes = 100;
        sameRun(request);
    }
}

TEST_CASE("a device chooses the tokens that the host would choose") {
    for (const SamplingParams sampling :
         {SamplingParams{}, SamplingParams{1.3, 3}, SamplingParams{1.3, 0}}) {
        CAPTURE(sampling.topK);
        ChainRequest request;
        request.model = smallModel(AttentionKind::iha);
        request.mode = ChainMode::onItsOwn;
        request.prompt = {0, 3};
        request.maxSteps = 12;
        request.sampling = sampling;
        request.seed = 7;
        sameRun(request);
    }
}

TEST_CASE("the rows of a run are read on a device as on the host") {
    const auto host = makeCpuBackend(1);
    Device device;
    const auto run = runChain(trueChain(smallModel(AttentionKind::iha)), *host);
    REQUIRE(run);
    const auto here = rowsOfRun(*run, {2, 5}, *host),
               there = rowsOfRun(*run, {2, 5}, device.backend);
    REQUIRE(here);
    REQUIRE(there);
    for (std::size_t at = 0; at < 2; ++at) {
        CHECK((*here)[at].logits == (*there)[at].logits);
        for (std::size_t layer = 0; layer < 2; ++layer)
            CHECK((*here)[at].layers[layer].reads == (*there)[at].layers[layer].reads);
    }
}

TEST_CASE("weights are uploaded once, and after an edit only what was edited") {
    Device device;
    const auto model = smallModel(AttentionKind::iha);
    std::int64_t weightBytes = 0;
    for (const auto& [name, tensor] : model->weights.entries())
        weightBytes += static_cast<std::int64_t>(tensor.bytes());
    const auto run = [&](std::shared_ptr<const Model> shown) {
        CHECK(runChain(trueChain(std::move(shown)), device.backend));
    };
    const std::int64_t ids = 7 * sizeof(std::int32_t);
    CHECK(device.uploadedBy([&] { run(model); }) == weightBytes + ids);
    CHECK(device.uploadedBy([&] { run(model); }) == ids);

    auto edited = std::make_shared<Model>(*model);
    const Tensor alpha = edited->weights.find("blocks.0.attn.alpha_Q").copy();
    alpha.data<float>()[0] += 1;
    edited->weights.replace("blocks.0.attn.alpha_Q", alpha);
    CHECK(device.uploadedBy([&] { run(edited); }) ==
          static_cast<std::int64_t>(alpha.bytes()) + ids);
}

TEST_CASE("copies of weights that are gone leave the device") {
    Device device;
    const auto before = device.asked->bytesHeld.load();
    for (int seed = 0; seed < 3; ++seed) {
        auto model = smallModel(AttentionKind::mha);
        model->weights = initialWeights(model->config, static_cast<std::uint64_t>(seed));
        CHECK(runChain(trueChain(model), device.backend));
    }
    const auto last = device.asked->bytesHeld.load() - before;
    std::int64_t one = 0;
    const auto kept = smallModel(AttentionKind::mha);
    for (const auto& [name, tensor] : kept->weights.entries())
        one += static_cast<std::int64_t>(tensor.bytes());
    CHECK(last == one);
}
