#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

#include "cli_support.h"

// The programs with every kind of CUDA module that there can be, none of which needs CUDA.

using namespace headloom::testing;
using nlohmann::json;

namespace {

Ended with(const std::string& module, std::vector<std::string> arguments) {
    ::setenv("HEADLOOM_CUDA_MODULE", module.c_str(), 1);
    const Ended ended = cli(std::move(arguments));
    ::unsetenv("HEADLOOM_CUDA_MODULE");
    return ended;
}

std::string moduleFile(const std::string& name) {
    return HEADLOOM_FAR_MODULES "/" + name + ".so";
}

}  // namespace

TEST_CASE("what is missing for CUDA is one sentence each") {
    struct Row {
        std::string module, sentence;
    };
    const std::vector<Row> rows = {
        {"/nowhere/headloom_cuda.so",
         "cuda: the module is not there: no /nowhere/headloom_cuda.so; build headloom where nvcc "
         "is installed, or name the file in HEADLOOM_CUDA_MODULE.\n"},
        {moduleFile("far_no_library"),
         "cuda: a CUDA library is missing: libheadloom_absent.so: cannot open shared object file: "
         "No such file or directory; install the CUDA run-time libraries with cuBLAS, or add "
         "their folder to LD_LIBRARY_PATH.\n"},
        {moduleFile("far_no_device"), "cuda: this machine has no NVIDIA GPU; use the CPU.\n"},
        {moduleFile("far_no_entry"), "cuda: " + moduleFile("far_no_entry") +
                                         " is not a CUDA module of headloom; build it again with "
                                         "this program.\n"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.module);
        const Ended refused = with(row.module, {"check", "--backend", "cuda"});
        CHECK(refused.code == 2);
        CHECK(refused.err == "headloom-cli: " + row.sentence);
        const Ended info = with(row.module, {"info"});
        CHECK(info.code == 0);
        CHECK(contains(info.out, "  cuda       " + row.sentence));
    }
}

TEST_CASE("a module of another version is not called") {
    const Ended refused = with(moduleFile("far_old"), {"check", "--backend", "cuda"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "far_old.so belongs to version "));
    CHECK(contains(refused.err, "; build it again with this program.\n"));
}

TEST_CASE("a file that is no library is named with what the loader says of it") {
    const TemporaryFolder folder;
    const std::string file = folder.write("headloom_cuda.so", "not a library");
    const Ended refused = with(file, {"check", "--backend", "cuda"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "cuda: headloom_cuda.so cannot be loaded: " + file));
}

TEST_CASE("without CUDA auto checks the others and says why") {
    const Ended ended = with("/nowhere.so", {"check", "--failures"});
    CHECK(ended.code == 0);
    CHECK(ended.out.starts_with("skip cuda       cuda: the module is not there: no /nowhere.so; "));
    CHECK(ended.out.ends_with(" passed, 0 failed\n"));
}

TEST_CASE("a model runs on the module's device as on the processor") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m.safetensors", untrained("pointer-chain", "iha"));
    const auto steps = [&](const std::string& backend) {
        const Ended ended = with(moduleFile("far_module"),
                                 {"run", model, "--backend", backend, "--threads", "1", "--json"});
        CHECK(ended.err == "");
        REQUIRE(ended.code == 0);
        return json::parse(ended.out).at("steps");
    };
    const json near = steps("cpu");
    CHECK(near.size() > 3);
    CHECK(steps("cuda") == near);
}
