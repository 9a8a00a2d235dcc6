#pragma once

#include "core/base/error.h"
#include "core/models/model.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom::cli {

/// What is changed in a model's mixing before it is used: --mixing, or --mix-from, --mix-to and
/// --mix-at, then every --weight, in this order.
struct EditOptions {
    std::vector<std::string> weights;  ///< "L0.alphaQ[2,1,0]=0.8"
    std::optional<std::string> mixing, mixFrom, mixTo;
    std::optional<double> mixAt;

    void addTo(CLI::App& command);
    /// The model with its edits; itself where there are none. Errors: no such mixing or weight, an
    /// index or a number that is none, a model that mixes nothing.
    Result<std::shared_ptr<const Model>> applyTo(const std::shared_ptr<const Model>& model) const;
    /// The model's name with what was changed, for those who read the result:
    /// "four-witnesses-iha with mixing identity, alphaQ[1,1,0]=0.8".
    std::string named(const std::string& model) const;
};

}  // namespace headloom::cli
