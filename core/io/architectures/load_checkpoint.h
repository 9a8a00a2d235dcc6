#pragma once

#include "core/io/architectures/architecture_map.h"
#include "core/io/architectures/load_report.h"
#include "core/io/architectures/read_weights.h"
#include "core/io/tensor_source.h"
#include "core/models/model.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace headloom {

struct LoadOptions {
    /// Settings that win over every configuration, by the names that architecture maps use
    /// ("nHeads" = "4").
    Settings settings;
    std::vector<ArchitectureMap> maps;  ///< tried before the built-in ones
    bool weights = true;                ///< false: the report only, without reading weights
    Progress progress;                  ///< called while weights are read; false stops the load
};

/// A checkpoint as it was opened: always its tensors and a report, and a model where it is one that
/// runs here.
struct LoadedCheckpoint {
    std::shared_ptr<const TensorSource> source;
    LoadReport report;
    std::optional<ModelConfig>
        config;                  ///< of a model that runs, whether its weights are read or not
    std::optional<Model> model;  ///< float32, without a vocabulary
    int bos = -1;                ///< the token that starts a text, as the configuration has it
};

/// Opens a file or folder, finds out what model it is and loads it. A checkpoint that does not run
/// is no error: its report says why. Errors: those of openTensorSource, a configuration that is no
/// JSON, interrupted, no memory.
Result<LoadedCheckpoint> loadCheckpoint(const std::filesystem::path& path,
                                        const LoadOptions& options = {});

/// The same of tensors that are open already; `config` is what a configuration would have said, and
/// metadata of the source is added to it.
Result<LoadedCheckpoint> loadCheckpoint(std::shared_ptr<const TensorSource> source, Settings config,
                                        const LoadOptions& options = {});

/// Loads a checkpoint whose report has a question once for each answer, in their order, so that all
/// can be shown; one that asks nothing once. Errors: those of loadCheckpoint.
Result<std::vector<LoadedCheckpoint>> loadEveryAnswer(const std::filesystem::path& path,
                                                      const LoadOptions& options = {});

}  // namespace headloom
