#pragma once

#include "core/io/architectures/load_checkpoint.h"

#include <memory>
#include <string>

namespace headloom {

/// A model ready to run, whoever made it.
struct OpenedModel {
    std::shared_ptr<const Model> model;
    LoadReport report;
    int bos = -1;  ///< what an empty prompt starts from; -1: nothing is known
};

/// A model of this program, bundled or in a file, or a checkpoint in any container that is read.
/// The error of a checkpoint that does not run is the report's sentence.
Result<OpenedModel> openModel(const std::string& pathOrName, const LoadOptions& options = {});

}  // namespace headloom
