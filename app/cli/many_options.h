#pragma once

#include "app/cli/command.h"
#include "app/cli/many_report.h"
#include "app/cli/options.h"
#include "app/cli/prompt_options.h"
#include "core/session/prompt_questions.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headloom::cli {

/// --examples, --from and --prompts: many prompts instead of one, for commands that can say the
/// same on average.
struct ManyOptions {
    std::optional<int> examples;
    std::int64_t from = 0;
    std::optional<std::string> prompts;
    std::string csv;

    /// To a command that has PromptOptions.
    void addTo(CLI::App& command);
    /// --csv, for commands that have no table of their own.
    void addCsvTo(CLI::App& command);
    bool asked() const { return examples || prompts; }
    /// Error: --csv of one prompt.
    Result<void> check() const;
};

/// What is asked about an opened model and its prompts; the tables of the first question come
/// first.
using Asking =
    std::function<Result<std::vector<Question>>(const PromptedModel&, const PromptSet& prompts)>;
/// One question, where there was no error.
Result<std::vector<Question>> alone(Result<Question> question);

/// Opens the model, averages, writes --csv and prints. Where the user interrupts, what was done is
/// told first. Errors: those of everything that is opened, read or written.
Result<ExitCode> tellAverages(const PromptOptions& read, const ManyOptions& many,
                              const BackendOptions& backend, const Asking& ask,
                              AveragesShown shown);

/// What --help says about the averages of a command whose JSON has these tables.
std::string manyFooter(const char* tables);

}  // namespace headloom::cli
