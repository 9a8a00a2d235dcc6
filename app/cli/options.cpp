#include "app/cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headloom::cli {

void BackendOptions::addTo(CLI::App& command, const char* threadsHelp) {
    command
        .add_option("--backend", name,
                    fmt::format("one of {} (default {})", fmt::join(backendNames(), ", "), name))
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

CLI::Option* addDeterministic(CLI::App& command, bool& deterministic) {
    return command.add_flag("--deterministic", deterministic,
                            fmt::format("the same bits with any number of threads: every batch\n"
                                        "is cut into {} shards",
                                        deterministicShards));
}

CLI::Option* addSaveEvery(CLI::App& command, double& seconds) {
    return command
        .add_option("--save-every", seconds,
                    "seconds between checkpoints; 0: only on Ctrl-C (default 1)")
        ->type_name("T")
        ->check(CLI::NonNegativeNumber);
}

CLI::Option* SettingOptions::addTo(CLI::App& command) {
    return command
        .add_option("--set", given,
                    "set something in the task, such as hops=3; may be repeated\n"
                    "(\"headloom-cli info --tasks\" lists what there is)")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
}

Result<TaskSettings> SettingOptions::read() const {
    TaskSettings settings;
    for (const std::string& one : given) {
        const std::size_t equals = one.find('=');
        if (equals == std::string::npos || equals == 0)
            return fail(Error::Kind::badInput, "--set",
                        fmt::format("\"{}\" is not NAME=VALUE", one),
                        "write for example --set hops=3");
        if (!settings.emplace(one.substr(0, equals), one.substr(equals + 1)).second)
            return fail(Error::Kind::badInput, "--set",
                        fmt::format("{} is set twice", one.substr(0, equals)), "set it once");
    }
    return settings;
}

}  // namespace headloom::cli
