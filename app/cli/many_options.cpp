#include "app/cli/many_options.h"

#include "app/cli/interrupt.h"
#include "app/cli/text.h"
#include "core/io/atomic_file.h"
#include "core/session/averages_csv.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace headloom::cli {

namespace {

/// A line on stderr that counts, where somebody sees it.
class Counter {
  public:
    explicit Counter(int all) : all_(all), seen_(::isatty(STDERR_FILENO) == 1) {}
    ~Counter() {
        if (shown_) fmt::print(stderr, "\r\033[K");
    }
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;

    void count(int done) {
        const auto now = std::chrono::steady_clock::now();
        if (!seen_ || now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        shown_ = true;
        fmt::print(stderr, "\r{} of {} prompts", done, all_);
        std::fflush(stderr);
    }

  private:
    int all_;
    bool seen_, shown_ = false;
    std::chrono::steady_clock::time_point last_;
};

Result<PromptSet> promptsOf(const ManyOptions& many, const std::string& name,
                            PromptedModel& model) {
    if (many.prompts)
        return PromptSet::ofFile(*many.prompts, *model.opened.model, model.task.get());
    if (!model.task)
        return fail(Error::Kind::badInput, name, "no task of Headloom is known for this model",
                    "give it something to read with --prompts FILE");
    return PromptSet::ofTask(std::move(model.task), many.from, *many.examples);
}

}  // namespace

void ManyOptions::addTo(CLI::App& command) {
    auto* example = command.get_option("--example");
    auto* prompt = command.get_option("--prompt");
    auto* ids = command.get_option("--ids");
    auto* many = command.add_option("--examples", examples,
                                    "average over so many held-out examples instead");
    many->type_name("N")->excludes(example)->excludes(prompt)->excludes(ids);
    command.add_option("--from", from, "the first of them (default 0)")
        ->type_name("I")
        ->needs(many);
    command
        .add_option("--prompts", prompts,
                    "average over the prompts of a text file, one a line\n"
                    "(UTF-8; empty lines are skipped)")
        ->type_name("FILE")
        ->excludes(example)
        ->excludes(prompt)
        ->excludes(ids)
        ->excludes(many);
}

void ManyOptions::addCsvTo(CLI::App& command) {
    command.add_option("--csv", csv, "also write the averages as CSV")->type_name("FILE");
}

Result<void> ManyOptions::check() const {
    if (asked() || csv.empty()) return {};
    return fail(Error::Kind::badInput, "--csv", "one prompt has no averages",
                "give many with --examples or --prompts");
}

Result<std::vector<Question>> alone(Result<Question> question) {
    if (!question) return tl::unexpected(question.error());
    return std::vector{std::move(*question)};
}

Result<ExitCode> tellAverages(const PromptOptions& read, const ManyOptions& many,
                              const BackendOptions& backend, const Asking& ask,
                              AveragesShown shown) {
    const auto threads = backend.threadCount(coreCount());
    if (!threads) return tl::unexpected(threads.error());
    auto model = read.openModel();
    if (!model) return tl::unexpected(model.error());
    auto prompts = promptsOf(many, read.model, *model);
    if (!prompts) return tl::unexpected(prompts.error());
    auto questions = ask(*model, *prompts);
    if (!questions) return tl::unexpected(questions.error());

    ManyPromptsRequest request;
    request.model = model->opened.model;
    request.prompts = std::move(*prompts);
    request.questions = std::move(*questions);
    request.questions.push_back(askAnswers(request.prompts.exactRows()));
    request.backend = backend.name;
    request.threads = *threads;
    request.cancelled = interrupted;
    const auto averages = [&] {
        Counter counter(request.prompts.count());
        request.progress = [&](int done) { counter.count(done); };
        return averageOver(request);
    }();
    if (!averages) return tl::unexpected(averages.error());
    if (!many.csv.empty())
        if (auto written = writeFileAtomically(many.csv, averagesAsCsv(*averages)); !written)
            return tl::unexpected(written.error());
    shown.model = read.named();
    shown.over = request.prompts.words();
    print(shown.json ? averagesAsJson(shown, *averages) : averagesAsText(shown, *averages));
    return averages->done < averages->asked ? exitInterrupted : exitDone;
}

std::string manyFooter(const char* tables) {
    return fmt::format(
        "\nWith --examples or --prompts every number is a mean over the prompts that have it, with "
        "its\n"
        "standard deviation (n - 1). JSON: {{\"model\", \"over\", \"asked\", \"done\", "
        "\"answers\",\n"
        "{}}};\na table is a list of {{\"part\", measures}}, a measure {{\"mean\", \"sd\", \"n\", "
        "\"min\", \"max\"}}.\n"
        "CSV: a line a number. Ctrl-C ends it with the prompts that were done.",
        tables);
}

}  // namespace headloom::cli
