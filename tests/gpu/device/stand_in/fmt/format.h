#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

// The little of the library fmt that core/{base,tensor,backend,models} use, for machines without
// it: {} for text and numbers, {:.Nf} and {:02X}. What else a pattern asks for does not compile.
// tests/gpu/tst_stand_in.cpp holds it against the library itself.

namespace fmt {

namespace stand_in {

inline void write(std::string& to, std::string_view spec, std::string_view text) {
    if (!spec.empty()) throw std::invalid_argument("text takes {} alone");
    to += text;
}

template <class Number>
requires std::is_arithmetic_v<Number>
void write(std::string& to, std::string_view spec, Number number) {
    char digits[400];  // the longest float64 with one decimal has 312
    std::to_chars_result end{};
    if constexpr (std::is_same_v<Number, bool>) {
        return write(to, spec, number ? "true" : "false");
    } else if constexpr (std::is_same_v<Number, char>) {
        return write(to, spec, std::string_view(&number, 1));
    } else if constexpr (std::is_floating_point_v<Number>) {
        end = spec.empty() ? std::to_chars(digits, digits + sizeof digits, number)
                           : std::to_chars(digits, digits + sizeof digits, number,
                                           std::chars_format::fixed, spec[1] - '0');
    } else {
        end = std::to_chars(digits, digits + sizeof digits, number, spec.empty() ? 10 : 16);
        if (!spec.empty()) {
            if (end.ptr - digits < 2) to += '0';
            for (char* digit = digits; digit != end.ptr; ++digit)
                if (*digit >= 'a') *digit = static_cast<char>(*digit - 'a' + 'A');
        }
    }
    to.append(digits, end.ptr);
}

template <class Range>
struct Joined {
    const Range& range;
    std::string_view between;
};
template <class Range>
void write(std::string& to, std::string_view spec, const Joined<Range>& joined) {
    bool first = true;
    for (const auto& one : joined.range) {
        if (!first) to += joined.between;
        write(to, spec, one);
        first = false;
    }
}

/// Refuses, while compiling, as many placeholders as there are no arguments for and specs that
/// `write` does not know.
consteval void verify(std::string_view pattern, std::size_t arguments) {
    std::size_t found = 0;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        if (pattern[at] == '}') throw "a brace without its partner";
        if (pattern[at] != '{') continue;
        const std::size_t end = pattern.find('}', at);
        if (end == std::string_view::npos) throw "a brace without its partner";
        const std::string_view inside = pattern.substr(at + 1, end - at - 1);
        const bool fixed = inside.size() == 4 && inside.starts_with(":.") && inside[3] == 'f' &&
                           inside[2] >= '0' && inside[2] <= '9';
        if (!inside.empty() && !fixed && inside != ":02X") throw "a spec that is not known here";
        at = end;
        ++found;
    }
    if (found != arguments) throw "not as many braces as arguments";
}

template <class... Arguments>
struct Pattern {
    consteval Pattern(const char* text) : text(text) { verify(text, sizeof...(Arguments)); }
    std::string_view text;
};

}  // namespace stand_in

template <class... Arguments>
std::string format(stand_in::Pattern<std::type_identity_t<Arguments>...> pattern,
                   const Arguments&... arguments) {
    std::string made;
    std::string_view rest = pattern.text;
    [[maybe_unused]] const auto next = [&](const auto& argument) {
        const std::size_t begin = rest.find('{'), end = rest.find('}');
        made += rest.substr(0, begin);
        const std::string_view inside = rest.substr(begin + 1, end - begin - 1);
        stand_in::write(made, inside.empty() ? inside : inside.substr(1), argument);
        rest.remove_prefix(end + 1);
    };
    (next(arguments), ...);
    return made += rest;
}

template <class Range>
stand_in::Joined<Range> join(const Range& range, std::string_view between) {
    return {range, between};
}

}  // namespace fmt
