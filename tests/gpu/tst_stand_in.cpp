// What stands in for fmt on a machine without it (tests/gpu/device/stand_in) writes what fmt
// writes.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace library = fmt;
#define fmt stand_in_for_fmt
#include "tests/gpu/device/stand_in/fmt/format.h"
#undef fmt
namespace stand_in = stand_in_for_fmt;

#define CHECK_SAME(...) CHECK(stand_in::format(__VA_ARGS__) == library::format(__VA_ARGS__))

TEST_CASE("text and numbers are written as by the library") {
    CHECK_SAME("nothing");
    CHECK_SAME("{}", "text");
    CHECK_SAME("a {} b {} c", std::string("one"), std::string_view("two"));
    CHECK_SAME("{}{}{}", 0, -17, std::int64_t{1} << 62);
    CHECK_SAME("{} of {}", true, 'x');
    for (const double number : {0.0, 1.0, -2.5, 0.1, 123.456, 1e-7}) CHECK_SAME("{}", number);
    for (const double number : {0.04, 0.05, 12.35, 1e11, 1e300}) {
        CHECK_SAME("{:.0f}", number);
        CHECK_SAME("{:.1f} GB", number);
    }
    for (const unsigned byte : {0u, 9u, 10u, 0xABu, 0xFFu}) CHECK_SAME("<0x{:02X}>", byte);
    for (const int byte : {7, 127, 255}) CHECK_SAME("<0x{:02X}>", static_cast<unsigned char>(byte));
}

TEST_CASE("lists are joined as by the library") {
    for (const std::vector<int>& list : {std::vector<int>{}, {3}, {1, 2, 3}})
        CHECK(stand_in::format("[{}]", stand_in::join(list, ", ")) ==
              library::format("[{}]", library::join(list, ", ")));
    const std::vector<std::string> names = {"shift", "path"};
    CHECK(stand_in::format("{}", stand_in::join(names, ", ")) == "shift, path");
}
