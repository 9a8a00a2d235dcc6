#pragma once

#include "core/session/backend_comparison.h"

#include <string>

namespace headloom::cli {

/// What was compared, and how it is to be told.
struct ComparisonShown {
    std::string model;        ///< as it was named
    std::string summary;      ///< of its configuration
    bool beyondOnly = false;  ///< lists tensors beyond their tolerance alone
};

/// Both times, a line a tensor, the verdict and why its tolerance is what it is.
std::string comparisonAsText(const ComparisonShown& shown, const BackendComparison& comparison);
/// The JSON object of `check MODEL --json`; all tensors, whatever is listed.
std::string comparisonAsJson(const ComparisonShown& shown, const BackendComparison& comparison);

}  // namespace headloom::cli
