// Checks and measures a backend on a machine where nothing else of headloom is built.
//
//   headloom-device check [--backend cpu|cuda-tf32] [--models] [--small] [--seed N]
//   headloom-device bench [--backend cpu|cuda-tf32] [--small] [--seconds 0.5]
//
// --models leaves the single operators out, --small all that is large. Ends with 0, with 1
// where a check failed, with 2 where something went wrong, with 77 where there is no GPU.
#include "tests/gpu/device/bench.h"
#include "tests/gpu/device/check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

using namespace headloom;

namespace {

constexpr int exitFailed = 1, exitWrong = 2;

struct Options {
    std::string mode, backend = "cuda";
    device::CheckOptions check;
    device::BenchOptions bench;
};

bool parse(int argc, char** argv, Options& options) {
    if (argc < 2) return false;
    options.mode = argv[1];
    for (int i = 2; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--models")
            options.check.operators = false;
        else if (name == "--small")
            options.check.small = options.bench.small = true;
        else if (i + 1 == argc)
            return false;
        else if (name == "--backend")
            options.backend = argv[++i];
        else if (name == "--seed")
            options.check.seed = std::strtoull(argv[++i], nullptr, 10);
        else if (name == "--seconds")
            options.bench.seconds = std::atof(argv[++i]);
        else
            return false;
    }
    return (options.mode == "check" || options.mode == "bench") &&
           (options.backend == "cuda" || options.backend == "cuda-tf32" ||
            options.backend == "cpu");
}

Result<device::Device> open(const std::string& backend) {
    if (backend != "cpu") return device::openGpu(backend == "cuda-tf32");
    // more threads than this only wait for each other at the sizes that are measured
    const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
    return device::Device{makeCpuBackend(static_cast<int>(threads)), nullptr};
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        std::fputs(
            "headloom-device check [--backend cpu|cuda-tf32] [--models] [--small] [--seed N]\n"
            "headloom-device bench [--backend cpu|cuda-tf32] [--small] [--seconds 0.5]\n",
            stderr);
        return exitWrong;
    }
    try {
        auto opened = open(options.backend);
        if (!opened) {
            std::fprintf(stderr, "%s\n", opened.error().sentence().c_str());
            return device::exitNoGpu;
        }
        std::printf("device\t%s\t%s\n", options.backend.c_str(),
                    opened->backend->info().description.c_str());
        std::fflush(stdout);
        const bool passed = options.mode == "check" ? device::check(*opened, options.check)
                                                    : device::bench(*opened, options.bench);
        return passed ? 0 : exitFailed;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return exitWrong;
    }
}
