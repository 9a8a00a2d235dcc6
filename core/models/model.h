#pragma once

#include "core/models/config.h"
#include "core/models/filter_model.h"
#include "core/models/vocabulary.h"
#include "core/models/weights.h"

#include <optional>
#include <string>

namespace headloom {

/// What a model is made of. Shared as shared_ptr<const Model>; an edit makes a new one.
struct Model {
    std::string name;  ///< short, for column heads: "IHA, 2 heads x 2"
    ModelConfig config;
    Weights weights;
    Vocabulary vocabulary;
    std::string recipe;  ///< JSON text: how it was trained (core/session/recipe.h); may be empty
    /// A graph filter, which reads numbers and answers with numbers: no decoder runs it. Its layer
    /// is described in `config` for pictures, with no slot, since no token is said.
    std::optional<FilterConfig> filter;
};

}  // namespace headloom
