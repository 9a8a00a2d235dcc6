#include "core/backend/conformance.h"
#include "core/backend/cpu/block_pool.h"
#include "core/backend/cpu/cpu_backend.h"
#include "core/backend/cpu/kernels.h"
#include "core/base/rng.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <vector>

using namespace headloom;
using namespace headloom::cpu;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

/// Every set of kernels that runs on this processor.
std::vector<const Kernels*> everyKernels() {
    std::vector<const Kernels*> all = {&baselineKernels()};
    if (v3Kernels()) all.push_back(v3Kernels());
    if (v4Kernels()) all.push_back(v4Kernels());
    return all;
}

std::vector<float> normals(std::size_t count, std::uint64_t seed = 1) {
    Rng rng(seed);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(rng.normal());
    return values;
}

/// Distance in units of the last place of the exact value.
double unitsBetween(float value, double exact) {
    const float rounded = static_cast<float>(exact);
    const double unit = std::nextafter(std::abs(rounded), infinity) - std::abs(rounded);
    return std::abs(double(value) - exact) / unit;
}

Tensor normalTensor(const Shape& shape, std::uint64_t seed) {
    return Tensor::of<float>(shape, normals(static_cast<std::size_t>(shape.count()), seed));
}

bool sameBits(const Tensor& a, const Tensor& b) {
    return a.bytes() == b.bytes() && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

}  // namespace

TEST_CASE("exp is within two units in the last place, whatever the size") {
    std::vector<float> x;
    for (float value = -104.f; value < 89.f; value += 0.0137f) x.push_back(value);
    for (const Kernels* kernels : everyKernels()) {
        INFO(kernels->name);
        std::vector<float> out(x.size());
        kernels->exponential(static_cast<Index>(x.size()), x.data(), out.data());
        double worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (std::isfinite(std::exp(x[i])))
                worst = std::max(worst, unitsBetween(out[i], std::exp(double(x[i]))));
        CHECK(worst <= 2.0);
    }
}

TEST_CASE("exp of infinities and of what is not a number") {
    const std::vector<float> x = {-infinity, infinity, notANumber, 0.f, -1000.f,
                                  1000.f,    -0.f,     89.f,       1.f};
    for (const Kernels* kernels : everyKernels()) {
        INFO(kernels->name);
        std::vector<float> out(x.size());
        kernels->exponential(static_cast<Index>(x.size()), x.data(), out.data());
        CHECK(out[0] == 0.f);
        CHECK(out[1] == infinity);
        CHECK(std::isnan(out[2]));
        CHECK(out[3] == 1.f);
        CHECK(out[4] == 0.f);
        CHECK(out[5] == infinity);
        CHECK(out[6] == 1.f);
        CHECK(out[7] == infinity);  // e^89 > 2^128
        CHECK(out[8] == doctest::Approx(2.718281828).epsilon(1e-7));
    }
}

TEST_CASE("erf is within 1e-6 everywhere, and GELU's tail keeps its size") {
    std::vector<float> x;
    for (float value = -9.f; value <= 9.f; value += 0.0011f) x.push_back(value);
    for (const Kernels* kernels : everyKernels()) {
        INFO(kernels->name);
        const auto count = static_cast<Index>(x.size());
        std::vector<float> erf(x.size()), gelu(x.size());
        kernels->errorFunction(count, x.data(), erf.data());
        kernels->activate(cpu::Curve::gelu, count, x.data(), gelu.data());
        double worst = 0, worstTail = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double value = x[i];
            worst = std::max(worst, std::abs(erf[i] - std::erf(value)));
            const double exact = value * 0.5 * std::erfc(-value / std::sqrt(2.0));
            // Down to -6 the exponent is below 26, whose rounding costs 26 * 2^-24 = 1.6e-6.
            if (value > -6 && value < -1)
                worstTail = std::max(worstTail, std::abs(gelu[i] / exact - 1));
        }
        CHECK(worst <= 1e-6);
        CHECK(worstTail <= 3e-6);
    }
}

TEST_CASE("products of every edge size, start and stride agree with three loops") {
    const Index sizes[] = {1, 2, 5, 6, 7, 8, 13, 16, 17, 33, 130};
    for (const Kernels* kernels : everyKernels())
        for (const Index m : sizes)
            for (const Index n : sizes)
                for (const Index k : {Index{0}, Index{1}, Index{3}, Index{16}, Index{257}}) {
                    INFO(kernels->name << " " << m << " x " << n << " x " << k);
                    const std::vector<float> a = normals(static_cast<std::size_t>(m * k), 1);
                    const std::vector<float> b = normals(static_cast<std::size_t>(k * n), 2);
                    const std::vector<float> bias = normals(static_cast<std::size_t>(n), 3);
                    for (const bool transposed : {false, true})
                        for (const bool adds : {false, true}) {
                            std::vector<float> c(static_cast<std::size_t>(m * n), 2.f);
                            Product product;
                            product.m = m;
                            product.n = n;
                            product.k = k;
                            product.a = a.data();
                            product.aRow = transposed ? 1 : k;
                            product.aColumn = transposed ? m : 1;
                            product.b = b.data();
                            product.bRow = n;
                            product.c = c.data();
                            product.cRow = n;
                            product.start = adds ? Start::add : Start::zero;
                            product.bias = adds ? nullptr : bias.data();
                            kernels->multiply(product);
                            double worst = 0;
                            for (Index i = 0; i < m; ++i)
                                for (Index j = 0; j < n; ++j) {
                                    double sum = adds ? 2.0 : double(bias[std::size_t(j)]);
                                    for (Index s = 0; s < k; ++s)
                                        sum += double(a[std::size_t(transposed ? s * m + i
                                                                               : i * k + s)]) *
                                               double(b[std::size_t(s * n + j)]);
                                    worst =
                                        std::max(worst, std::abs(c[std::size_t(i * n + j)] - sum));
                                }
                            // k roundings of numbers that reach some 5 sqrt(k)
                            CHECK(worst <= 1e-7 * double(k + 16) * std::sqrt(double(k + 16)));
                        }
                }
}

TEST_CASE("rows by rows, packing and transposing agree with plain loops") {
    for (const Kernels* kernels : everyKernels())
        for (const Index m : {1, 2, 3, 4, 7})
            for (const Index n : {1, 3, 4, 6, 9}) {
                const Index k = 1031;  // more than a block, and no whole vectors
                INFO(kernels->name << " " << m << " x " << n);
                const std::vector<float> a = normals(std::size_t(m * k), 1);
                const std::vector<float> b = normals(std::size_t(n * k), 2);
                std::vector<float> c(std::size_t(m * n), 1.f), transposed(std::size_t(n * k));
                kernels->multiplyRows(m, n, k, a.data(), k, b.data(), k, c.data(), n);
                const Index width = kernels->panelWidth, stride = (n + width - 1) / width * width;
                std::vector<float> panels(std::size_t(stride * k)), packed(std::size_t(m * stride));
                kernels->packTransposed(k, n, b.data(), k, panels.data());
                PackedProduct product;
                product.m = m;
                product.n = n;
                product.k = k;
                product.a = a.data();
                product.aRow = k;
                product.b = panels.data();
                product.panelStride = k * width;
                product.c = packed.data();
                product.cRow = stride;
                kernels->multiplyPacked(product);
                kernels->transpose(n, k, b.data(), k, transposed.data(), n);
                for (Index i = 0; i < m; ++i)
                    for (Index j = 0; j < n; ++j) {
                        double sum = 0;
                        for (Index s = 0; s < k; ++s)
                            sum += double(a[std::size_t(i * k + s)]) *
                                   double(b[std::size_t(j * k + s)]);
                        // a thousand terms: sums reach 100, a unit there is 8e-6
                        CHECK(std::abs(c[std::size_t(i * n + j)] - 1 - sum) < 1e-4);
                        CHECK(std::abs(packed[std::size_t(i * stride + j)] - sum) < 1e-4);
                    }
                for (Index j = 0; j < n; ++j)
                    CHECK(transposed[std::size_t(1000 * n + j)] == b[std::size_t(j * k + 1000)]);
            }
}

TEST_CASE("both sets of kernels agree with reference") {
    for (const Kernels* kernels : everyKernels()) {
        CpuBackend backend(2, *kernels);
        for (const ConformanceRecord& record : checkAgainstReference(backend, {5, DType::f32})) {
            INFO(kernels->name << "  " << record.op << "  " << record.shape << "  relative "
                               << record.maxRelative << " of " << record.tolerance);
            CHECK(record.passed);
        }
    }
}

TEST_CASE("results do not depend on the number of threads") {
    // Large enough that work is split: some thousand rows, several hundred microseconds an
    // operator.
    const std::int64_t nBatch = 3, nHeads = 5, nPseudo = 3, nTokens = 70, d = 12, width = 60;
    const Shape heads{nBatch, nHeads, nPseudo, nTokens, d};
    const Tensor x = normalTensor({nBatch, nTokens, width}, 1);
    const Tensor w = normalTensor({nHeads, width, d}, 2), wide = normalTensor({width, 500}, 3);
    const Tensor alpha = normalTensor({nHeads, nHeads, nPseudo}, 4);
    const Tensor r = normalTensor({nHeads, nHeads * nPseudo}, 5);
    const Tensor q = normalTensor(heads, 6), k = normalTensor(heads, 7), v = normalTensor(heads, 8);
    const Tensor z = normalTensor({nBatch, nTokens, nHeads, d}, 9);
    const Tensor up = normalTensor({nBatch, nTokens, 500}, 10);
    const Tensor base = normalTensor({nBatch, nHeads, nTokens, d}, 11);

    const auto run = [&](int threads) {
        CpuBackend backend(threads, bestKernels());
        std::vector<Tensor> out;
        const auto zeros = [&](const Shape& shape) {
            out.push_back(Tensor::host(shape, DType::f32));
            return out.back();
        };
        backend.linear(x, wide, {}, zeros(up.shape()));
        backend.linearBackward(x, wide, up, zeros(x.shape()), zeros(wide.shape()), zeros({500}));
        backend.projectHeads(x, w, {}, zeros(base.shape()));
        backend.projectHeadsBackward(x, w, base, zeros(x.shape()), zeros(w.shape()),
                                     zeros({w.size(0), w.size(2)}));
        backend.mixHeads(base, alpha, zeros(heads));
        backend.mixHeadsBackward(base, alpha, q, zeros(base.shape()), zeros(alpha.shape()));
        const Tensor maps = zeros({nBatch, nHeads, nPseudo, nPseudo, nTokens, nTokens});
        backend.attention({}, q, k, v, zeros(heads), maps);
        backend.attentionBackward({}, q, k, v, maps, q, zeros(heads), zeros(heads), zeros(heads));
        backend.collapse(q, r, zeros(z.shape()));
        backend.collapseBackward(q, r, z, zeros(heads), zeros(r.shape()));
        backend.effectiveMaps(maps, alpha, r, zeros({nBatch, nHeads, nHeads, nTokens, nTokens}));
        backend.activate(Activation::gelu, up, zeros(up.shape()));
        const Tensor norms = zeros(up.shape()), statistics = zeros({nBatch * nTokens, 2});
        const Tensor scale = normalTensor({500}, 12);
        backend.norm(NormKind::layer, 1e-5, up, scale, {}, norms, statistics);
        backend.normBackward(NormKind::layer, up, scale, statistics, norms, zeros(up.shape()),
                             zeros({500}), zeros({500}));
        const double squares = backend.sumOfSquares(up);
        out.push_back(Tensor::of<double>({1}, {squares}));
        return out;
    };
    const std::vector<Tensor> one = run(1);
    for (const int threads : {2, 3}) {
        const std::vector<Tensor> many = run(threads);
        for (std::size_t i = 0; i < one.size(); ++i) {
            INFO(threads << " threads, output " << i);
            CHECK(sameBits(one[i], many[i]));
        }
    }
}

TEST_CASE("maps written past the caches are the same maps") {
    // 16 keys: whole vectors; 18: not, where the kernels fall back to ordinary writes.
    for (const Kernels* kernels : everyKernels())
        for (const Index nKeys : {16, 18}) {
            INFO(kernels->name << " " << nKeys << " keys");
            const Index nPseudo = 2, nQueries = 15, d = 4, width = kernels->panelWidth;
            const Index stride = (nKeys + width - 1) / width * width * d;
            const std::vector<float> q = normals(std::size_t(nQueries * d), 1);
            const std::vector<float> k = normals(std::size_t(nPseudo * nKeys * d), 2);
            const std::vector<float> v = normals(std::size_t(nPseudo * nKeys * d), 3);
            std::vector<float> packed(std::size_t(nPseudo * stride)), y(q.size());
            for (Index r = 0; r < nPseudo; ++r)
                kernels->packTransposed(d, nKeys, k.data() + r * nKeys * d, d,
                                        packed.data() + r * stride);
            std::vector<float> scratch(std::size_t(kernels->attentionScratch(nPseudo, nKeys, d)));
            std::vector<Index> segments(std::size_t(3 * nPseudo));
            const Tensor maps[] = {
                Tensor::host({nPseudo, nQueries, nKeys}, DType::f32),
                CpuBackend(1, *kernels).allocate({nPseudo, nQueries, nKeys}, DType::f32)};
            std::fill(maps[1].values<float>().begin(), maps[1].values<float>().end(), notANumber);
            for (const bool streams : {false, true}) {
                AttentionTask task;
                task.nPseudo = nPseudo;
                task.nQueries = nQueries;
                task.dHead = task.dValue = d;
                task.p = 1;
                task.sees.nKeys = nKeys;
                task.sees.window = 5;
                task.q = q.data();
                task.packedKeys = packed.data();
                task.packedKeysStride = stride;
                task.v = v.data();
                task.vStride = nKeys * d;
                task.y = y.data();
                task.maps = maps[streams].data<float>();
                task.streamMaps = streams;
                task.scratch = scratch.data();
                task.segments = segments.data();
                kernels->attention(task, 0, nQueries);
            }
            CHECK(sameBits(maps[0], maps[1]));
        }
}

TEST_CASE("what is not a number stays in its row and crashes nothing") {
    CpuBackend backend(1, bestKernels());
    const Shape shape{1, 2, 2, 9, 4};
    const Tensor k = normalTensor(shape, 1), v = normalTensor(shape, 2);
    for (const ScoreKind score : {ScoreKind::softmax, ScoreKind::linear, ScoreKind::hard})
        for (const float strange : {notANumber, infinity, -infinity}) {
            const Tensor q = normalTensor(shape, 3);
            q.data<float>()[3 * 4] = strange;  // head 0, pseudo 0, token 3
            const Tensor y = backend.allocate(shape, DType::f32);
            const Tensor maps = backend.allocate({1, 2, 2, 2, 9, 9}, DType::f32);
            AttentionParams params;
            params.score = score;
            backend.attention(params, q, k, v, y, maps);
            for (std::int64_t i = 0; i < y.count(); ++i)
                if (i / 4 != 3) CHECK(std::isfinite(y.data<float>()[i]));
            // Masked cells are 0 even there.
            CHECK(maps.data<float>()[3 * 9 + 4] == 0.f);
            if (std::isnan(strange)) CHECK(std::isnan(maps.data<float>()[3 * 9]));
            if (score == ScoreKind::hard) continue;
            const Tensor dQ = Tensor::host(shape, DType::f32), dK = Tensor::host(shape, DType::f32);
            backend.attentionBackward(params, q, k, v, maps, v, dQ, dK, {});
            CHECK(std::isfinite(dQ.data<float>()[0]));
        }
}

TEST_CASE("a freed block is used again, on whichever thread it is freed") {
    const auto pool = std::make_shared<BlockPool>();
    void* first = nullptr;
    {
        const std::shared_ptr<void> block = pool->take(1000);
        first = block.get();
        CHECK(reinterpret_cast<std::uintptr_t>(first) % BlockPool::alignment == 0);
    }
    CHECK(pool->keptBytes() >= 1000);
    std::shared_ptr<void> again = pool->take(990);  // same size class
    CHECK(again.get() == first);
    CHECK(pool->keptBytes() == 0);
    std::thread([&] { again.reset(); }).join();
    CHECK(pool->take(1000).get() == first);
}

TEST_CASE("the pool keeps no more than was once in use") {
    const auto pool = std::make_shared<BlockPool>();
    pool->take(1 << 20).reset();
    CHECK(pool->keptBytes() == 1 << 20);
    // Other sizes: what is kept gives way.
    for (int i = 0; i < 64; ++i) pool->take(std::size_t(4096) << (i % 8)).reset();
    CHECK(pool->keptBytes() <= (1 << 20));
}

TEST_CASE("a request that fails does not loosen the pool's bound") {
    const auto pool = std::make_shared<BlockPool>();
    CHECK_THROWS_AS(pool->take(std::size_t{1} << 47), std::bad_alloc);
    pool->take(1 << 20).reset();
    pool->take(1 << 19).reset();
    CHECK(pool->keptBytes() <= (1 << 20));
}

TEST_CASE("tensors outlive their backend") {
    Tensor kept;
    {
        CpuBackend backend(1, bestKernels());
        kept = backend.allocate({64}, DType::f32);
        backend.zero(kept);
    }
    kept.data<float>()[63] = 1;
    CHECK(kept.data<float>()[0] == 0);
}

TEST_CASE("an allocation that cannot be met is reported") {
    CpuBackend backend(1, bestKernels());
    CHECK_THROWS_AS(backend.allocate({std::int64_t{1} << 45}, DType::f32), BackendFailure);
}
