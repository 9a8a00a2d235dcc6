#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace headloom::cli {

/// To standard output, as it is.
void print(const std::string& text);

/// JSON to read or to parse, with its last line ended; bytes that are no UTF-8 are replaced.
std::string jsonText(const nlohmann::json& value);

/// Words on lines of at most 96 code points that end, the second and later ones indented.
std::string wrapped(const std::string& text, std::size_t indent);

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
