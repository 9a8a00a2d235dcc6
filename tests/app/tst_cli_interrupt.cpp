#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

TEST_CASE("Ctrl-C ends a command with exit code 130 and one sentence") {
    int out[2], err[2];
    REQUIRE(::pipe(out) == 0);
    REQUIRE(::pipe(err) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(out[1], 1);
        ::dup2(err[1], 2);
        // Long enough that it cannot be over before the signal comes.
        ::execl(HEADLOOM_CLI, HEADLOOM_CLI, "bench", "forward", "--repeat", "1000", "--case",
                "small", nullptr);
        ::_exit(127);
    }
    REQUIRE(child > 0);
    ::close(out[1]);
    ::close(err[1]);
    char byte = 0;
    REQUIRE(::read(out[0], &byte, 1) == 1);  // the first case is done, so it is at work
    ::kill(child, SIGINT);
    std::string said;
    while (::read(err[0], &byte, 1) == 1) said += byte;
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
    CHECK(said == "headloom-cli: stopped.\n");
    ::close(out[0]);
    ::close(err[0]);
}
