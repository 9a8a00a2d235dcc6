#pragma once

#include <QString>

#include <cstdint>
#include <string>

namespace headloom {

/// "4 L D^2" as rich text: raised powers, and the signs that print has.
QString typeset(const std::string& formula);

/// "L H E = 10 × 8 × 1,048,576 = 83,886,080" as rich text; nothing is worked out of a formula without
/// names, whose numbers are the formula itself.
QString workedOut(const std::string& formula, const std::string& numbers, std::int64_t value);

}  // namespace headloom
