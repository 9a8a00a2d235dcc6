#include "core/theory/check_range.h"

#include <fmt/format.h>

namespace headloom {

Result<void> checkRange(const std::string& name, int value, int least, int most) {
    if (value >= least && value <= most) return {};
    return fail(Error::Kind::badInput, name, fmt::format("{} cannot be had", value),
                fmt::format("use {} to {}", least, most));
}

}  // namespace headloom
