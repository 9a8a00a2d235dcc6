#pragma once

#include <string>
#include <vector>

namespace headloom {

/// A table of results as the paper prints it, with what a reader must know before comparing.
struct PaperTable {
    struct Row {
        std::string name;
        std::vector<double> values;  ///< one a column
    };
    std::string name;   ///< "fine-tuned", "ruler", "retrieval"
    std::string title;  ///< what is measured, and of what
    std::string unit;
    std::vector<std::string> columns;
    /// Problems behind each column, where they are known: what a share of so many can tell.
    std::vector<int> nProblems;
    std::vector<Row> rows;
    std::string source;
    std::vector<std::string> caveats;
};

/// The tables on the paper's 2.4B decoder. Everything else of Headloom is computed; these are
/// quoted.
const std::vector<PaperTable>& paperTables();

/// Standard error, in percent, of a share of `percent` % of nProblems that are drawn at random:
/// 100 sqrt(s (1 - s) / n). 0 where the number of problems is not known.
double standardError(double percent, int nProblems);

}  // namespace headloom
