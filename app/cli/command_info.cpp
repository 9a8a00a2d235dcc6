#include "app/cli/command.h"
#include "app/cli/options.h"

#include <fmt/format.h>

namespace headloom::cli {

namespace {

Result<ExitCode> showProgram() {
    fmt::print("headloom-cli {}\n\nBackends\n", HEADLOOM_VERSION);
    for (const std::string& name : backendNames()) {
        if (name == "auto") continue;
        BackendOptions options;
        options.name = name;
        const auto backend = options.open();
        fmt::print("  {:<10} {}\n", name,
                   backend ? (*backend)->info().description : backend.error().sentence());
    }
    return exitDone;
}

}  // namespace

void addInfoCommand(CLI::App& program, Work& work) {
    CLI::App* command =
        program.add_subcommand("info", "Show this program's version, backends and models");
    command->callback([&work] { work = showProgram; });
}

}  // namespace headloom::cli
