#include "app/cli/command_theory.h"

namespace headloom::cli {

void addTheoryCommand(CLI::App& program, Work& work) {
    CLI::App* command = program.add_subcommand(
        "theory", "Run the paper's theorems: constructions, counts, errors and bounds");
    command->require_subcommand(1);
    addTheoryPolynomial(*command, work);
    addTheoryCpm3(*command, work);
    addTheoryContainment(*command, work);
    addTheoryLookBack(*command, work);
    addTheoryCost(*command, work);
    addTheoryErrata(*command, work);
    command->footer("\"headloom-cli theory polynomial --help\" has the options of a part.");
    // CLI11 does not end the line of a footer; the program does it for commands only.
    for (CLI::App* part : command->get_subcommands({}))
        if (!part->get_footer().empty()) part->footer(part->get_footer() + "\n");
}

}  // namespace headloom::cli
