#pragma once

#include "core/base/error.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headloom {

/// A model that comes with the program.
struct BundledModel {
    std::string name;   ///< "four-witnesses-iha", as the command line takes it
    std::string arm;    ///< "iha"
    std::string title;  ///< "IHA, 2 heads x 2"
    std::filesystem::path file;
};

/// An entry of File > Examples: a task with every arm that was trained for it.
struct BundledExample {
    std::string task;                  ///< "four-witnesses"
    std::string title;                 ///< "Four witnesses"
    std::string hint;                  ///< one line: what to look for
    std::vector<BundledModel> models;  ///< in the order of the task's arms
    std::string left, right;           ///< names of the pair that opens first; empty: there is none

    /// Null where there is no such model.
    const BundledModel* find(const std::string& name) const;
};

/// The folder of models, colour tables and lessons: $HEADLOOM_ASSETS if set; else share/headloom
/// beside the program's folder (installed); else the source tree's. Error: where it was looked for.
Result<std::filesystem::path> assetsFolder();

/// The examples whose models are there, in the order of the menu. A folder without models gives
/// none.
std::vector<BundledExample> bundledExamples(const std::filesystem::path& assets);

/// The filters of the lesson "the rank floor" (core/session/filter_file.h), which are no models of
/// tokens: `task` is graphFilterId, which makeTask does not know. Without models where none is
/// there.
BundledExample bundledFilters(const std::filesystem::path& assets);

/// The file of a model or filter named on the command line: a path that exists, or a bundled name.
/// Error: lists the names of the models.
Result<std::filesystem::path> findModelFile(const std::string& pathOrName);

}  // namespace headloom
