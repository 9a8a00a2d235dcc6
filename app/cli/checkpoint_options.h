#pragma once

#include "core/base/error.h"
#include "core/io/architectures/load_checkpoint.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace headloom::cli {

/// What a user can say about a checkpoint that its files do not: --set, --alpha-order and --map.
struct CheckpointOptions {
    std::vector<std::string> settings, maps;
    std::string alphaOrder;

    void addTo(CLI::App& command);
    /// Error: an argument without "=", a map that cannot be read.
    Result<LoadOptions> read() const;
};

}  // namespace headloom::cli
