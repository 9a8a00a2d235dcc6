#pragma once

#include "core/backend/backend.h"
#include "core/base/error.h"

#include <string>
#include <vector>

namespace headloom {

/// Something that the paper prints and that does not hold, with the numbers that show it.
struct Erratum {
    struct Row {
        std::string label;
        std::vector<double> values;  ///< one a column
    };
    std::string name;  ///< "witness", "order", "identity", "retrieval"
    std::string title;
    std::string printed, right;
    std::string computed;  ///< what the numbers are
    std::vector<std::string> columns;
    std::vector<Row> rows;
};

/// All of iha.md, each computed anew. `type`: what the backend computes in.
Result<std::vector<Erratum>> runErrata(DType type, Backend& backend);

}  // namespace headloom
