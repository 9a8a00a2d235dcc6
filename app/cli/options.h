#pragma once

#include "core/backend/backend.h"
#include "core/base/error.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

namespace headloom::cli {

/// Threads to use where nobody said how many: the machine's cores, within bounds.
int coreCount();

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

}  // namespace headloom::cli
