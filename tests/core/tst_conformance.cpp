#include "core/backend/conformance.h"

#include <doctest/doctest.h>

#include <set>

using namespace headloom;

namespace {

void require(const std::vector<ConformanceRecord>& records) {
    for (const ConformanceRecord& record : records) {
        INFO(record.op << "  " << record.shape << "  absolute " << record.maxAbsolute
                       << "  relative " << record.maxRelative << " of " << record.tolerance);
        CHECK(record.passed);
    }
}

std::set<std::string> operators(const std::vector<ConformanceRecord>& records) {
    std::set<std::string> names;
    for (const ConformanceRecord& record : records) names.insert(record.op);
    return names;
}

const std::set<std::string> backwardOperators = {"attention backward",
                                                 "attentionPattern backward",
                                                 "attentionScores backward",
                                                 "attentionValues backward",
                                                 "collapse backward",
                                                 "crossEntropy backward",
                                                 "embed backward",
                                                 "gate backward",
                                                 "gelu backward",
                                                 "gelu-tanh backward",
                                                 "linearTransposed backward",
                                                 "relu backward",
                                                 "relu-squared backward",
                                                 "silu backward",
                                                 "tanh backward",
                                                 "linear backward",
                                                 "mixHeads backward",
                                                 "norm layer backward",
                                                 "norm rms backward",
                                                 "projectHeads backward",
                                                 "rotate backward"};

}  // namespace

TEST_CASE("reference in float32 agrees with reference in float64") {
    const auto backend = makeReferenceBackend();
    const auto records = checkAgainstReference(*backend);
    require(records);
    std::set<std::string> all = backwardOperators;
    all.insert({"add",
                "adamw",
                "append",
                "attention",
                "attentionPattern",
                "attentionScores",
                "attentionValues",
                "collapse",
                "crossEntropy",
                "effectiveMaps",
                "embed",
                "gate",
                "gelu",
                "gelu-tanh",
                "layer",
                "linear",
                "linearTransposed",
                "mixHeads",
                "norm layer",
                "norm rms",
                "projectHeads",
                "relu",
                "relu-squared",
                "rotate",
                "scaleMaps",
                "silu",
                "sumOfSquares",
                "tanh",
                "topK",
                "zero"});
    CHECK(operators(records) == all);
}

TEST_CASE("every backward operator is the derivative of its forward operator") {
    const auto backend = makeReferenceBackend();
    const auto records = checkGradients(*backend, {1, DType::f64});
    require(records);
    CHECK(operators(records) == backwardOperators);
}

TEST_CASE("another seed gives other shapes and numbers, and agrees too") {
    const auto backend = makeReferenceBackend();
    require(checkAgainstReference(*backend, {20, DType::f32}));
}

TEST_CASE("cpu agrees with reference") {
    for (const int threads : {1, 3}) {
        const auto backend = makeCpuBackend(threads);
        if (!backend) return;
        for (const std::uint64_t seed : {1, 2, 3})
            require(checkAgainstReference(*backend, {seed, DType::f32}));
        require(checkGradients(*backend));
    }
}
