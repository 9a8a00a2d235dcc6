#pragma once

#include "core/backend/backend.h"
#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/tasks/settings.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom::cli {

/// --backend and --threads, as every command that computes has them.
struct BackendOptions {
    std::string name = "auto";
    std::optional<int> threads;  ///< none: as many as the machine has cores

    void addTo(CLI::App& command,
               const char* threadsHelp = "threads to compute with (default: one a core)");
    /// How many threads: what was asked for, else `fallback`. Error: out of range.
    Result<int> threadCount(int fallback) const;
    Result<std::unique_ptr<Backend>> open() const;
};

/// Shards of --deterministic: as many threads as are of use.
constexpr int deterministicShards = 8;
CLI::Option* addDeterministic(CLI::App& command, bool& deterministic);
/// --save-every, in seconds.
CLI::Option* addSaveEvery(CLI::App& command, double& seconds);

/// --set NAME=VALUE, as often as wanted: what is set in a task.
struct SettingOptions {
    std::vector<std::string> given;

    CLI::Option* addTo(CLI::App& command);
    /// Error: an argument without "=", or a name that is set twice.
    Result<TaskSettings> read() const;
};

}  // namespace headloom::cli
