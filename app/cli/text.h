#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headloom::cli {

/// The text with bytes that are not UTF-8 as <0xNN>, fit for JSON.
std::string asUtf8(std::string_view bytes);
/// The same with control characters as <0xNN> too, so that a token stays in its table cell.
std::string visible(std::string_view bytes);

/// Aligned columns: every cell right-aligned under its heading, but the last one, which may be
/// prose. Counts code points, not bytes.
class Table {
  public:
    explicit Table(std::vector<std::string> headings);
    void add(std::vector<std::string> cells);
    std::string text() const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace headloom::cli
