#pragma once

#include "core/analysis/tensor_statistics.h"
#include "core/io/architectures/load_checkpoint.h"

#include <optional>
#include <string>
#include <vector>

namespace headloom::cli {

/// What a head does without any input (core/analysis/head_circuits.h), in numbers.
struct HeadNumbers {
    int layer = 0, head = 0;
    /// Of W_QK and W_OV, largest first; empty where the head has none.
    std::vector<double> qk, ov;
};

/// A checkpoint as `inspect` shows it.
struct Inspected {
    std::string file;  ///< as it was named
    LoadedCheckpoint loaded;
    /// Of every tensor of the file, none for types that are not read; empty: not asked for.
    std::vector<std::optional<TensorStatistics>> statistics;
    std::optional<HeadNumbers> head;
};

/// The JSON object of `inspect --json`.
std::string inspectedAsJson(const Inspected& found);
/// The same as a tree of tensors and a report to read.
std::string inspectedAsText(const Inspected& found);

}  // namespace headloom::cli
