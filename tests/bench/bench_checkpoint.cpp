// bench_checkpoint FILE: milliseconds to list a checkpoint, and, where it runs, to load it and to
// have all maps of a prompt of 16 tokens; peak memory after each. tests/bench/checkpoints makes
// files for it.
#include "core/backend/backend.h"
#include "core/io/architectures/load_checkpoint.h"
#include "core/models/decoder.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <string_view>
#include <thread>

using namespace headloom;

namespace {

using Clock = std::chrono::steady_clock;

void print(const char* what, Clock::time_point since) {
    struct rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    fmt::print("{} {:.1f} ms, peak {:.0f} MB\n", what,
               std::chrono::duration<double, std::milli>(Clock::now() - since).count(),
               static_cast<double>(usage.ru_maxrss) / 1024);
}

int complain(const Error& error) {
    fmt::print(stderr, "{}\n", error.sentence());
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: bench_checkpoint FILE\n");
        return 2;
    }
    const auto begin = Clock::now();
    const auto source = openTensorSource(argv[1]);
    if (!source) return complain(source.error());
    print("list", begin);
    const auto opening = Clock::now();
    const auto loaded = loadCheckpoint(argv[1]);
    if (!loaded) return complain(loaded.error());
    if (!loaded->model) return 0;
    print("load", opening);
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const auto backend = makeBackend("cpu", threads);
    if (!backend) return complain(backend.error());
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 16; ++i) ids.push_back(i);
    const auto trace = Decoder(loaded->model->config, loaded->model->weights, **backend)
                           .forward(Tensor::of<std::int32_t>({1, 16}, ids));
    if (!trace) return complain(trace.error());
    print("first maps, from opening on,", opening);
    return 0;
}
