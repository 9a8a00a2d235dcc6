#include "core/models/batch.h"

#include <algorithm>

namespace headloom {

std::int64_t Batch::counted() const {
    const auto values = targets.values<std::int32_t>();
    return std::count_if(values.begin(), values.end(), [](std::int32_t t) { return t >= 0; });
}

}  // namespace headloom
