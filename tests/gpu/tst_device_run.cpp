#include "core/session/chain_run.h"
#include "gpu/backend/device_backend.h"

#include <doctest/doctest.h>

#include <cmath>

// Whole runs on the emulated GPU, as a session asks for them: what single operators do not show is
// the order of what is queued, recorded and copied.

using namespace headloom;

namespace {

std::unique_ptr<gpu::DeviceBackend> emulated(const gpu::Runtime::Settings& settings = {}) {
    return std::make_unique<gpu::DeviceBackend>(std::make_unique<gpu::Runtime>(settings));
}

ChainRequest onItsOwn(AttentionKind kind, const SamplingParams& sampling) {
    auto model = std::make_shared<Model>();
    ModelConfig& config = model->config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dMlp = 5;
    config.dVocab = 7;
    config.nCtx = 16;
    config.layers = {{kind, kind == AttentionKind::iha ? 2 : 1}, {AttentionKind::mha, 1}};
    model->vocabulary = Vocabulary({"a", "b", "c", "d", "e", "f", "g"});
    model->weights = initialWeights(config, 11);
    ChainRequest request;
    request.model = model;
    request.mode = ChainMode::onItsOwn;
    request.prompt = {0, 3};
    request.maxSteps = 5;
    request.sampling = sampling;
    request.effectiveMaps = request.keepResiduals = true;
    return request;
}

double largestDifference(const Tensor& a, const Tensor& b) {
    REQUIRE(a.shape() == b.shape());
    double largest = 0;
    for (std::int64_t i = 0; i < a.count(); ++i)
        largest = std::max(largest, std::abs(double(a.data<float>()[i]) - b.data<float>()[i]));
    return largest;
}

}  // namespace

TEST_CASE("a chain that writes itself on the emulated GPU is the reference's") {
    for (const AttentionKind kind :
         {AttentionKind::iha, AttentionKind::talkingHeads, AttentionKind::differential})
        for (const SamplingParams sampling : {SamplingParams{}, SamplingParams{1.0, 3}}) {
            CAPTURE(std::string(nameOf(kind)));
            const ChainRequest request = onItsOwn(kind, sampling);
            const auto device = emulated();
            const auto reference = makeReferenceBackend();
            const auto there = runChain(request, *device), here = runChain(request, *reference);
            REQUIRE(there);
            REQUIRE(here);
            CHECK(there->tokens == here->tokens);
            // two layers of sums over at most 16 numbers of size 1: far below a hundred roundings
            const double tolerance = 100 * 1.2e-7;
            CHECK(largestDifference(there->trace.logits, here->trace.logits) < tolerance);
            for (std::size_t i = 0; i < 2; ++i) {
                CHECK(largestDifference(there->trace.layers[i].maps, here->trace.layers[i].maps) <
                      tolerance);
                CHECK(largestDifference(there->residuals[i], here->residuals[i]) < tolerance);
                if (here->effective[i])
                    CHECK(largestDifference(there->effective[i], here->effective[i]) < tolerance);
            }
        }
}

TEST_CASE("what is queued together is done when all of it has been queued") {
    const auto backend = emulated();
    const Tensor one = backend->allocateHost({2}, DType::f32),
                 sum = backend->allocate({2}, DType::f32), host = Tensor::host({2}, DType::f32);
    one.data<float>()[0] = 1;
    one.data<float>()[1] = 2;
    backend->upload(one, sum);
    backend->together([&] {
        for (int step = 0; step < 3; ++step) {
            // Freed again before it is used: the device keeps it for the step.
            const Tensor part = backend->allocate({2}, DType::f32);
            backend->upload(one, part);
            backend->add(part, sum);
        }
    });
    backend->download(sum, host);
    CHECK(host.data<float>()[0] == 4);
    CHECK(host.data<float>()[1] == 8);
    CHECK_THROWS(backend->together([&] { backend->download(sum, host); }));
    CHECK_THROWS(backend->together([&] { backend->upload(host, sum); }));
}

TEST_CASE("a download that has been started outlives its handles") {
    const auto backend = emulated();
    const Tensor host = backend->allocateHost({3}, DType::f32);
    {
        const Tensor there = backend->allocate({3}, DType::f32);
        backend->upload(Tensor::of<float>({3}, {1, 2, 3}), there);
        backend->startDownload(there, host);
    }
    CHECK(host.data<float>()[2] != 3);
    backend->finishDownloads();
    CHECK(host.data<float>()[2] == 3);
}

TEST_CASE("a device that is full lets go of weights that nobody uses") {
    const auto backend = emulated({.memory = 4096});
    const Tensor weights = Tensor::host({512}, DType::f32);
    CHECK(backend->resident(weights).count() == 512);
    CHECK(backend->allocate({896}, DType::f32).count() == 896);
    const Tensor held = backend->resident(weights);
    CHECK_THROWS_AS(backend->allocate({896}, DType::f32), BackendFailure);
}
