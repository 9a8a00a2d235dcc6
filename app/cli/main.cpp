#include "app/cli/command.h"

int main(int argc, char** argv) {
    return headloom::cli::runProgram(argc, argv);
}
