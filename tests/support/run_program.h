#pragma once

#include "tests/support/temporary_folder.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace headloom::testing {

/// How a program ended and what it said.
struct Ended {
    int code = -1;  ///< exit code, or 128 + signal
    std::string out, err;
};

/// Runs a program to its end, its outputs kept apart.
inline Ended runProgram(const std::string& program, std::vector<std::string> arguments) {
    const TemporaryFolder folder;
    const std::string out = folder / "out", err = folder / "err";
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), flags, 0600);
    ::posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), flags, 0600);
    arguments.insert(arguments.begin(), program);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    const int failed =
        ::posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed) throw std::runtime_error("cannot start " + program);
    int status = 0;
    ::waitpid(child, &status, 0);
    Ended ended;
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ended.out = contentsOf(out);
    ended.err = contentsOf(err);
    return ended;
}

}  // namespace headloom::testing
