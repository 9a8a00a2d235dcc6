#include "core/theory/check_range.h"

#include <fmt/format.h>

namespace headloom {

namespace {

template <class Number>
Result<void> checked(const std::string& name, Number value, Number least, Number most) {
    if (value >= least && value <= most) return {};  // a number that is none is not
    return fail(Error::Kind::badInput, name, fmt::format("{} cannot be had", value),
                fmt::format("use {} to {}", least, most));
}

}  // namespace

Result<void> checkRange(const std::string& name, int value, int least, int most) {
    return checked(name, value, least, most);
}

Result<void> checkRange(const std::string& name, double value, double least, double most) {
    return checked(name, value, least, most);
}

}  // namespace headloom
