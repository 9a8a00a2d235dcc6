#pragma once

#include "core/base/error.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace headloom::cli {

/// What the program ends with; scripts rely on these numbers.
enum ExitCode { exitDone = 0, exitDifferences = 1, exitBadInput = 2, exitInterrupted = 130 };

/// What the command line asks for. A command's parser sets it; it runs once parsing is over.
using Work = std::function<Result<ExitCode>()>;

/// Declares one command with its options and help. One file a command.
using AddCommand = void (*)(CLI::App& program, Work& work);

void addTrainCommand(CLI::App& program, Work& work);
void addSweepCommand(CLI::App& program, Work& work);
void addFilterCommand(CLI::App& program, Work& work);
void addEvalCommand(CLI::App& program, Work& work);
void addRunCommand(CLI::App& program, Work& work);
void addAblateCommand(CLI::App& program, Work& work);
void addExportCommand(CLI::App& program, Work& work);
void addAttributeCommand(CLI::App& program, Work& work);
void addSplitCommand(CLI::App& program, Work& work);
void addHeadsCommand(CLI::App& program, Work& work);
void addFlowCommand(CLI::App& program, Work& work);
void addLayerCommand(CLI::App& program, Work& work);
void addCheckCommand(CLI::App& program, Work& work);
void addBenchCommand(CLI::App& program, Work& work);
void addInspectCommand(CLI::App& program, Work& work);
void addConvertCommand(CLI::App& program, Work& work);
void addInfoCommand(CLI::App& program, Work& work);
void addTokenizeCommand(CLI::App& program, Work& work);
void addTheoryCommand(CLI::App& program, Work& work);

/// Parses and runs; the exit code. Never throws: every failure is one sentence on stderr.
int runProgram(int argc, const char* const* argv);

}  // namespace headloom::cli
