#include "app/cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

namespace headloom::cli {

namespace {

constexpr int mostThreads = 256;

}  // namespace

int coreCount() {
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, mostThreads);
}

void BackendOptions::addTo(CLI::App& command, const char* threadsHelp) {
    command
        .add_option(
            "--backend", name,
            fmt::format("what computes: {} (default auto)", fmt::join(backendNames(), ", ")))
        ->type_name("NAME");
    command.add_option("--threads", threads, threadsHelp)->type_name("N");
}

Result<int> BackendOptions::threadCount(int fallback) const {
    if (threads && (*threads < 1 || *threads > mostThreads))
        return fail(Error::Kind::badInput, "--threads",
                    fmt::format("{} threads cannot be had", *threads),
                    fmt::format("use 1 to {}", mostThreads));
    return threads.value_or(fallback);
}

Result<std::unique_ptr<Backend>> BackendOptions::open() const {
    const auto count = threadCount(coreCount());
    if (!count) return tl::unexpected(count.error());
    return makeBackend(name, *count);
}

}  // namespace headloom::cli
