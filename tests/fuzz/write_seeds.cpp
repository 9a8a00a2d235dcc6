// Writes the seeds of every target: FOLDER/TARGET/NUMBER.
#include "tests/fuzz/targets.h"

#include <filesystem>
#include <fstream>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    for (const auto& target : headloom::testing::fuzzTargets()) {
        const auto folder = std::filesystem::path(argv[1]) / target.name;
        std::filesystem::create_directories(folder);
        int number = 0;
        for (const std::string& seed : target.seeds())
            std::ofstream(folder / std::to_string(number++), std::ios::binary) << seed;
    }
    return 0;
}
