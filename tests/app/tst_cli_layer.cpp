#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cli_support.h"

// The files of tests/data/golden are layer files that also hold what an independent float64
// program computes from them.

using namespace headloom;
using namespace headloom::testing;

namespace {

using Tensors = std::map<std::string, Tensor>;

Tensors contents(const std::filesystem::path& path) {
    const auto file = SafetensorsFile::open(path).value();
    Tensors tensors;
    for (const auto& entry : file.entries())
        tensors[entry.name] = file.read(entry, DType::f64).value();
    return tensors;
}

/// Largest error beside the largest entry.
double errorOf(const Tensor& tested, const Tensor& golden) {
    REQUIRE(tested.shape() == golden.shape());
    double error = 0, largest = 0;
    for (std::int64_t i = 0; i < golden.count(); ++i) {
        const double difference = std::abs(tested.data<double>()[i] - golden.data<double>()[i]);
        error = std::isnan(difference) ? INFINITY : std::max(error, difference);
        largest = std::max(largest, std::abs(golden.data<double>()[i]));
    }
    return error / largest;
}

// Computed in double, written as float32: one rounding.
constexpr double onceRounded = 6e-8;
// Computed in float32: some fifty roundings of 6e-8.
constexpr double inFloat = 3e-6;

struct Case {
    std::vector<std::string> options;
    std::string golden;  ///< prefix of the tensors with the expected result
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const char* mask : {"flat", "token", "none"})
        for (const char* positions : {"virtual", "token", "none"})
            all.push_back({{"--mask", mask, "--positions", positions},
                           std::string("iha.") + mask + "." + positions});
    all.push_back({{}, "iha.flat.virtual"});
    all.push_back({{"--window", "3"}, "iha.window3"});
    for (const char* score : {"linear", "hard"})
        all.push_back({{"--mask", "token", "--positions", "token", "--score", score},
                       std::string("iha.") + score});
    return all;
}

Tensors layerOf(const std::filesystem::path& in, std::vector<std::string> options) {
    const TemporaryFolder folder;
    options.insert(options.begin(), {"layer", in, folder / "out"});
    const Ended ended = cli(options);
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const auto written = SafetensorsFile::open(folder / "out").value();
    for (const auto& entry : written.entries()) CHECK(entry.dtype == "F32");
    return contents(folder / "out");
}

}  // namespace

TEST_CASE("layer computes what an independent program computes") {
    for (const char* name : {"n1_d8_h2_p3", "n4_d2_h1_p1", "n5_d12_h3_p2", "n4_d8_h2_p4"}) {
        const auto path = std::filesystem::path(HEADLOOM_TEST_DATA) / "golden" /
                          (std::string(name) + ".safetensors");
        const Tensors golden = contents(path);
        for (const Case& one : cases())
            for (const std::string backend : {"auto", "cpu"}) {
                CAPTURE(name);
                CAPTURE(one.golden);
                CAPTURE(backend);
                auto options = one.options;
                options.insert(options.end(), {"--backend", backend});
                const Tensors result = layerOf(path, options);
                const double bound = backend == "auto" ? onceRounded : inFloat;
                CHECK(errorOf(result.at("y"), golden.at(one.golden + ".y")) < bound);
                CHECK(errorOf(result.at("maps"), golden.at(one.golden + ".maps")) < bound);
            }
    }
}

TEST_CASE("layer takes MHA, the per-head collapse and a layer without W_O") {
    const TemporaryFolder folder;
    const Tensors golden =
        contents(std::filesystem::path(HEADLOOM_TEST_DATA) / "golden" / "n5_d12_h3_p2.safetensors");
    const auto write = [&](const char* name, const Tensors& tensors) {
        REQUIRE(writeSafetensors(folder / name, {tensors.begin(), tensors.end()}));
        return folder / name;
    };
    Tensors mha = golden;
    for (const char* name : {"alpha_q", "alpha_k", "alpha_v", "collapse"}) mha.erase(name);
    const Tensors result = layerOf(write("mha", mha), {"--positions", "token", "--heads", "3"});
    CHECK(errorOf(result.at("y"), golden.at("mha.y")) < onceRounded);
    CHECK(errorOf(result.at("maps"), golden.at("mha.maps")) < onceRounded);

    Tensors perHead = golden;
    perHead["collapse"] = golden.at("collapse_per_head");
    CHECK(errorOf(layerOf(write("per", perHead), {"--pseudo", "2"}).at("y"),
                  golden.at("iha.per_head.y")) < onceRounded);

    // Times W_O afterwards gives what the layer with W_O gives.
    Tensors bare = golden;
    bare.erase("wo");
    const Tensor heads = layerOf(write("bare", bare), {}).at("y"), wo = golden.at("wo");
    const Tensor y = Tensor::host(heads.shape(), DType::f64);
    for (int n = 0; n < 5; ++n)
        for (int out = 0; out < 12; ++out)
            for (int in = 0; in < 12; ++in)
                y.data<double>()[n * 12 + out] +=
                    heads.data<double>()[n * 12 + in] * wo.data<double>()[in * 12 + out];
    // twelve products, each with an input rounded once
    CHECK(errorOf(y, golden.at("iha.flat.virtual.y")) < 12 * onceRounded);
}
