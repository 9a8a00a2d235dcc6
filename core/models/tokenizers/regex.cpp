#define PCRE2_CODE_UNIT_WIDTH 8

#include "core/models/tokenizers/regex.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>

namespace headloom {

struct Regex::Code {
    pcre2_code* code = nullptr;
    pcre2_match_context* limits = nullptr;

    ~Code() {
        pcre2_code_free(code);
        pcre2_match_context_free(limits);
    }
};

namespace {

// A white space run of this length may be gone through character by character; patterns of hostile
// files that go back and forth are stopped.
constexpr std::uint32_t mostSteps = 50'000'000;
constexpr std::uint32_t mostHeapKiB = 64 * 1024;

std::string messageOf(int code) {
    PCRE2_UCHAR text[256];
    if (pcre2_get_error_message(code, text, sizeof(text)) < 0) return "is not known";
    return reinterpret_cast<const char*>(text);
}

PCRE2_SPTR unitsOf(std::string_view text) {
    // an empty view may have no data, which PCRE2 refuses
    return reinterpret_cast<PCRE2_SPTR>(text.empty() ? "" : text.data());
}

}  // namespace

tl::expected<Regex, std::string> Regex::compile(std::string_view pattern) {
    int failure = 0;
    PCRE2_SIZE at = 0;
    const auto made = std::make_shared<Code>();
    made->code = pcre2_compile(unitsOf(pattern), pattern.size(), PCRE2_UTF | PCRE2_UCP, &failure,
                               &at, nullptr);
    if (!made->code)
        return tl::unexpected(fmt::format("at its byte {}: {}", at, messageOf(failure)));
    made->limits = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(made->limits, mostSteps);
    pcre2_set_heap_limit(made->limits, mostHeapKiB);
    return Regex(made);
}

tl::expected<std::vector<Regex::Match>, std::string> Regex::matches(std::string_view text) const {
    std::vector<Match> found;
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
        pcre2_match_data_create(1, nullptr), &pcre2_match_data_free);
    // The caller's text is UTF-8; checking it for every match would take quadratic time.
    std::uint32_t options = PCRE2_NO_UTF_CHECK;
    std::size_t from = 0;
    while (from <= text.size()) {
        const int result = pcre2_match(code_->code, unitsOf(text), text.size(), from, options,
                                       data.get(), code_->limits);
        if (result == PCRE2_ERROR_NOMATCH) break;
        if (result < 0) return tl::unexpected(messageOf(result));
        const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
        // \K can move the begin behind the end
        if (ends[1] <= ends[0] || ends[1] <= from) {
            from = std::max(from, ends[1]) + 1;
            while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80)
                ++from;
            continue;
        }
        found.emplace_back(ends[0], ends[1]);
        from = ends[1];
    }
    return found;
}

}  // namespace headloom
