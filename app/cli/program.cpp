#include "app/cli/command.h"
#include "app/cli/interrupt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <new>

namespace headloom::cli {

namespace {

constexpr AddCommand commands[] = {
    addTrainCommand,    addSweepCommand,     addFilterCommand,  addEvalCommand,    addRunCommand,
    addAblateCommand,   addAttributeCommand, addSplitCommand,   addExportCommand,  addLayerCommand,
    addCheckCommand,    addBenchCommand,     addInspectCommand, addConvertCommand, addInfoCommand,
    addTokenizeCommand, addTheoryCommand,    addHeadsCommand,   addFlowCommand};

int report(const Error& error) {
    fmt::print(stderr, "headloom-cli: {}\n", error.sentence());
    return error.kind == Error::Kind::interrupted ? exitInterrupted : exitBadInput;
}

/// CLI11's complaint as an Error of ours, with the help page that has the answer.
Error usageError(const CLI::App& program, const CLI::ParseError& complaint) {
    std::string page = "headloom-cli";
    const auto chosen = program.get_subcommands();
    for (auto within = chosen; !within.empty(); within = within.front()->get_subcommands())
        page += " " + within.front()->get_name();  // "theory" has parts
    std::string what = complaint.what();
    while (!what.empty() && (what.back() == '\n' || what.back() == '.')) what.pop_back();
    const auto unknown = program.remaining(true);
    if (chosen.empty())
        what = unknown.empty() ? "no command was given"
                               : fmt::format("unknown command or option {}", unknown.front());
    else if (!unknown.empty())
        what = fmt::format("unknown option or argument {}", fmt::join(unknown, " "));
    return {Error::Kind::badInput, {}, what, fmt::format("see \"{} --help\"", page)};
}

int parseAndRun(int argc, const char* const* argv) {
    CLI::App program("Headloom: look into attention heads, MHA beside IHA, from the command line.",
                     "headloom-cli");
    program.set_version_flag("--version", "headloom-cli " HEADLOOM_VERSION);
    program.require_subcommand(1);
    program.footer(
        "MODEL is a file, or the name of a bundled model as \"headloom-cli info\" lists them.\n"
        "Exit codes: 0 done, 1 a check found differences, 2 bad input or usage (one sentence on\n"
        "stderr), 130 interrupted.");
    program.get_formatter()->column_width(34);
    Work work;
    for (const AddCommand add : commands) add(program, work);
    // CLI11 does not end the line of a footer.
    program.footer(program.get_footer() + "\n");
    for (CLI::App* command : program.get_subcommands({}))
        if (!command->get_footer().empty()) command->footer(command->get_footer() + "\n");
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        return program.exit(asked);  // help or version, already complete on stdout
    } catch (const CLI::ParseError& complaint) {
        return report(usageError(program, complaint));
    }
    catchInterrupts();
    const Result<ExitCode> code = work();
    if (!code) return report(code.error());
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
        return report({Error::Kind::ioFailure, "standard output", "could not be written",
                       "check that there is room where it goes"});
    return *code;
}

}  // namespace

int runProgram(int argc, const char* const* argv) {
    try {
        return parseAndRun(argc, argv);
    } catch (const std::bad_alloc&) {
        return report({Error::Kind::outOfMemory,
                       {},
                       "there is not enough memory for this",
                       "use a shorter prompt or a smaller model"});
    } catch (const std::exception& failure) {
        return report({Error::Kind::unsupported, {}, failure.what(), "please report this"});
    }
}

}  // namespace headloom::cli
