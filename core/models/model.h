#pragma once

#include "core/models/config.h"
#include "core/models/vocabulary.h"
#include "core/models/weights.h"

#include <string>

namespace headloom {

/// What a model is made of. Shared as shared_ptr<const Model>; an edit makes a new one.
struct Model {
    std::string name;  ///< short, for column heads: "IHA, 2 heads x 2"
    ModelConfig config;
    Weights weights;
    Vocabulary vocabulary;
    std::string recipe;  ///< JSON text: how it was trained (core/session/recipe.h); may be empty
};

}  // namespace headloom
