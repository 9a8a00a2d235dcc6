#include "core/backend/conformance.h"
#include "core/base/rng.h"
#include "gpu/backend/device_backend.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace headloom;

namespace {

std::unique_ptr<Backend> emulated(const gpu::Runtime::Settings& settings = {}) {
    return std::make_unique<gpu::DeviceBackend>(std::make_unique<gpu::Runtime>(settings));
}

void require(const std::vector<ConformanceRecord>& records) {
    CHECK(!records.empty());
    for (const ConformanceRecord& record : records) {
        INFO(record.op << "  " << record.shape << "  absolute " << record.maxAbsolute
                       << "  relative " << record.maxRelative << " of " << record.tolerance);
        CHECK(record.passed);
    }
}

}  // namespace

TEST_CASE("every operator on the emulated GPU agrees with reference") {
    for (const std::uint64_t seed : {1, 2}) {
        const auto backend = emulated({.seed = seed});
        require(checkAgainstReference(*backend, {seed, DType::f32}));
    }
}

TEST_CASE("gradients on the emulated GPU agree with finite differences") {
    const auto backend = emulated();
    require(checkGradients(*backend));
}

namespace {

struct Attended {
    Tensor y, maps;
};

/// One head, P = 2, on numbers that do not depend on the backend; `broken`: query row 3 is NaN.
Attended attend(Backend& backend, std::int64_t nKeys, bool keepMaps, bool broken = false,
                ScoreKind score = ScoreKind::softmax) {
    const Shape shape{1, 1, 2, nKeys, 5};
    Rng rng(7);
    const auto random = [&] {
        const Tensor host = Tensor::host(shape, DType::f32);
        for (float& number : host.values<float>()) number = static_cast<float>(rng.normal());
        return host;
    };
    const auto there = [&](const Tensor& host) {
        const Tensor device = backend.allocate(host.shape(), host.dtype());
        backend.upload(host, device);
        return device;
    };
    const Tensor q = random(), k = random(), v = random();
    if (broken) q.data<float>()[3 * 5 + 2] = NAN;
    const Tensor y = backend.allocate(shape, DType::f32);
    const Tensor maps =
        keepMaps ? backend.allocate({1, 1, 2, 2, nKeys, nKeys}, DType::f32) : Tensor();
    AttentionParams params;
    params.score = score;
    backend.attention(params, there(q), there(k), there(v), y, maps);
    Attended got{Tensor::host(shape, DType::f32), Tensor()};
    backend.download(y, got.y);
    if (!keepMaps) return got;
    got.maps = Tensor::host(maps.shape(), DType::f32);
    backend.download(maps, got.maps);
    return got;
}

bool sameBits(const Tensor& a, const Tensor& b) {
    return a.bytes() == b.bytes() && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

double largestDifference(const Tensor& a, const Tensor& b) {
    double largest = 0;
    for (std::int64_t i = 0; i < a.count(); ++i)
        largest = std::max(largest, std::abs(double(a.data<float>()[i]) - b.data<float>()[i]));
    return largest;
}

}  // namespace

TEST_CASE("rows that do not fit shared memory give the same bits from device memory") {
    // Rows of 2 * 70 keys want 4.4 KB of shared memory beside the 4.2 KB that every block has.
    for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard}) {
        const auto roomy = attend(*emulated(), 70, true, false, score);
        const auto tight = attend(*emulated({.sharedBytes = 4400}), 70, true, false, score);
        CHECK(sameBits(roomy.y, tight.y));
        CHECK(sameBits(roomy.maps, tight.maps));
    }
    const auto kept = attend(*emulated(), 70, true, false, ScoreKind::hard);
    const auto dropped =
        attend(*emulated({.sharedBytes = 4400}), 70, false, false, ScoreKind::hard);
    CHECK(sameBits(kept.y, dropped.y));
}

TEST_CASE("attention without maps agrees with attention that keeps them over many tiles of keys") {
    const auto kept = attend(*emulated(), 300, true), fused = attend(*emulated(), 300, false);
    // Both sum 600 weights that add up to 1: 600 roundings of values below 5 at the very most.
    CHECK(largestDifference(kept.y, fused.y) < 600 * 5 * 1.2e-7);
}

TEST_CASE("a query that is not a number spoils its own row and no other") {
    const auto reference = makeReferenceBackend();
    for (const bool keepMaps : {true, false}) {
        const auto whole = attend(*emulated(), 9, keepMaps);
        const auto broken = attend(*emulated(), 9, keepMaps, true);
        const auto expected = attend(*reference, 9, keepMaps, true);
        for (std::int64_t i = 0; i < broken.y.count(); ++i) {
            CAPTURE(i);
            const float got = broken.y.data<float>()[i];
            CHECK(std::isnan(got) == std::isnan(expected.y.data<float>()[i]));
            CHECK(std::isnan(got) == (i / 5 == 3));
            if (!std::isnan(got)) CHECK(got == whole.y.data<float>()[i]);
        }
    }
}

TEST_CASE("a call repeated gives the same bits in any order of threads") {
    const auto once = attend(*emulated({.seed = 1}), 33, true);
    const auto again = attend(*emulated({.seed = 2}), 33, true);
    CHECK(sameBits(once.y, again.y));
    CHECK(sameBits(once.maps, again.maps));
}

TEST_CASE("a device without room says what is wanted and what is free, and goes on") {
    const auto backend = emulated({.memory = 4096});
    CHECK_THROWS_WITH_AS(backend->allocate({2048}, DType::f32),
                         doctest::Contains("8192 bytes, 4096 are free"), BackendFailure);
    CHECK(attend(*backend, 5, true).y);
}
