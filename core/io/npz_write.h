#pragma once

#include "core/base/error.h"
#include "core/tensor/tensor.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace headloom {

/// Writes host tensors as numpy.load reads them (NPY version 1.0 in a zip of stored members), in
/// place of `path` at once, and `note` beside them as the member "note.txt". The same tensors make
/// the same bytes. Errors: a name that occurs twice, a file that cannot be written.
Result<void> writeNpz(const std::filesystem::path& path,
                      const std::vector<std::pair<std::string, Tensor>>& tensors,
                      const std::string& note);

}  // namespace headloom
