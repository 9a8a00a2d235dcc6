#pragma once

#include <tl/expected.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headloom {

/// A regular expression over UTF-8 with Unicode's character classes (PCRE2, UTF and UCP).
class Regex {
  public:
    /// The error says why the pattern is none, and where.
    static tl::expected<Regex, std::string> compile(std::string_view pattern);

    using Match = std::pair<std::size_t, std::size_t>;  ///< bytes [first, second)
    /// Every match from the left, none of them empty. The error says that the pattern takes too
    /// long on this text.
    tl::expected<std::vector<Match>, std::string> matches(std::string_view text) const;

  private:
    struct Code;
    explicit Regex(std::shared_ptr<const Code> code) : code_(std::move(code)) {}

    std::shared_ptr<const Code> code_;
};

}  // namespace headloom
