#include "core/theory/cpm3_task.h"

#include "core/base/utf8.h"
#include "core/theory/check_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace headloom {

namespace {

std::string wholeNumbers() {
    return fmt::format("write whole numbers of 0 to {}, such as 3,1,4,1", Cpm3Task::mostSymbol);
}

}  // namespace

Result<void> validate(const Cpm3Task& task) {
    if (task.sequence.empty())
        return fail(Error::Kind::badInput, "sequence", "has no symbols", wholeNumbers());
    if (task.nTokens() > Cpm3Task::mostTokens)
        return fail(Error::Kind::badInput, "sequence",
                    fmt::format("{} symbols are too many", task.nTokens()),
                    fmt::format("use 1 to {}", Cpm3Task::mostTokens));
    for (int i = 0; i < task.nTokens(); ++i)
        if (auto fine =
                checkRange(fmt::format("sequence, symbol {}", i),
                           task.sequence[static_cast<std::size_t>(i)], 0, Cpm3Task::mostSymbol);
            !fine)
            return fine;
    if (auto fine = checkRange("G", task.g, 0, Cpm3Task::mostFactor); !fine) return fine;
    return checkRange("M", task.m, 1, Cpm3Task::mostFactor);
}

Result<std::vector<int>> sequenceFrom(std::string_view text) {
    constexpr std::string_view blank = " \t\n", between = ", \t\n";
    std::vector<int> sequence;
    const auto skipBlanks = [&] {
        text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
    };
    skipBlanks();
    for (bool afterComma = false; afterComma || !text.empty();) {
        const std::string_view symbol = text.substr(0, text.find_first_of(between));
        const char* const end = symbol.data() + symbol.size();
        int value = 0;
        const std::from_chars_result read = std::from_chars(symbol.data(), end, value);
        if (read.ec != std::errc() || read.ptr != end)
            return fail(Error::Kind::badInput, fmt::format("sequence, symbol {}", sequence.size()),
                        fmt::format("\"{}\" is no such number", visible(symbol.substr(0, 32))),
                        wholeNumbers());
        sequence.push_back(value);
        text.remove_prefix(symbol.size());
        skipBlanks();
        afterComma = text.starts_with(',');
        if (afterComma) text.remove_prefix(1);
        skipBlanks();
    }
    return sequence;
}

bool isOrderSensitive(const Cpm3Task& task) {
    return (task.g - 1) % task.m != 0;
}

std::vector<std::int64_t> countPairs(const Cpm3Task& task) {
    std::vector<std::int64_t> counts;
    for (const int x : task.sequence) {
        std::int64_t count = 0;
        for (const int first : task.sequence)
            for (const int second : task.sequence)
                count += (x + task.g * first + second) % task.m == 0;
        counts.push_back(count);
    }
    return counts;
}

}  // namespace headloom
