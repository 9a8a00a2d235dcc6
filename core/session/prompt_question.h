#pragma once

#include "core/analysis/spread.h"
#include "core/session/chain_run.h"
#include "core/session/head_survey.h"

#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// A number that is averaged, of every line of a table.
struct AveragedColumn {
    std::string id;          ///< on the command line and in files, "previous-token"
    std::string definition;  ///< what it is, in a sentence
    bool isSigned = false;   ///< may be on either side of 0, and which one matters
};

/// What a line of numbers is of.
struct AveragedLine {
    std::string name;  ///< "L1H3.q0k1", "L0", "embedding"
    int layer = -1;
    Pattern map = {-1, -1, -1, -1};  ///< the map that shows it; head -1: none does

    bool isTile() const { return map.p >= 0; }
};

/// Numbers of one kind over many prompts.
struct AveragedTable {
    std::string id;  ///< of the JSON member: "heads"
    std::vector<AveragedColumn> columns;
    std::vector<AveragedLine> lines;
    std::vector<Spread> cells;  ///< [line, column]

    const Spread& at(std::size_t line, std::size_t column) const {
        return cells[line * columns.size() + column];
    }
};

/// What is asked of every prompt. Constant, and answered on several threads at once.
class PromptQuestion {
  public:
    virtual ~PromptQuestion() = default;

    /// What there will be numbers of, without cells; the same for every prompt.
    virtual std::vector<AveragedTable> tables() const = 0;
    /// Asks for what of a run the answer is made of.
    virtual void prepare(ChainRequest& request) const = 0;
    /// The cells of all tables, one after the other. NaN: this prompt has no such number.
    virtual Result<std::vector<double>> answer(const std::shared_ptr<const ChainRun>& run,
                                               Backend& backend,
                                               const std::function<bool()>& cancelled) const = 0;
};

}  // namespace headloom
