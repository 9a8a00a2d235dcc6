#pragma once

#include <string>
#include <vector>

namespace headloom::cli {

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
