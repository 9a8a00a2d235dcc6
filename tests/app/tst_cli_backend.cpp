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

TEST_CASE("a model's pass is compared tensor by tensor") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m.safetensors", untrained("pointer-chain", "iha"));
    const auto compare = [&](const std::string& module, const std::string& backend,
                             const std::string& against, int code) {
        const Ended ended = with(moduleFile(module), {"check", model, "--backend", backend,
                                                      "--against", against, "--json"});
        CHECK(ended.err == "");
        REQUIRE(ended.code == code);
        return json::parse(ended.out);
    };
    const json alike = compare("far_module", "cuda", "cpu", 0);
    CHECK(alike.at("backend").at("name") == "cuda");
    CHECK(alike.at("backend").at("description") == "far memory, cpu");
    CHECK(alike.at("against").at("name") == "cpu");
    CHECK(alike.at("backend").at("milliseconds") > 0.0);
    CHECK(alike.at("tensors").size() > 20);
    for (const json& tensor : alike.at("tensors")) CHECK(tensor.at("max_absolute") == 0.0);
    CHECK(alike.at("tensors").front().at("name") == "blocks.0.resid_pre");
    CHECK(alike.at("tensors").back().at("name") == "logits");
    CHECK(alike.at("verdict") ==
          "all " + std::to_string(alike.at("tensors").size()) + " tensors agree within rounding");

    const json rounded = compare("far_module", "auto", "reference", 0);
    CHECK(rounded.at("backend").at("name") == "cpu");
    CHECK(rounded.at("tensors").back().at("max_relative") > 0.0);

    const json wrong = compare("far_wrong", "cuda", "cpu", 1);
    CHECK(wrong.at("beyond") > 0);
    CHECK(wrong.at("tensors").at(0).at("within") == true);  // before any norm
    CHECK(wrong.at("tensors").at(1).at("name") == "blocks.0.ln1.out");
    CHECK(wrong.at("tensors").at(1).at("within") == false);
}

TEST_CASE("a comparison as text lists the tensors that differ, and both times") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m.safetensors", untrained("four-witnesses", "iha"));
    const Ended wrong =
        with(moduleFile("far_wrong"), {"check", model, "--ids", "0,1,0,1,0,1,0,1,0,1", "--backend",
                                       "cuda", "--against", "cpu", "--failures"});
    CHECK(wrong.code == 1);
    CHECK(contains(wrong.out, "10 tokens read with all maps and activations\n"));
    CHECK(contains(wrong.out, "cuda "));
    CHECK(contains(wrong.out, "FAIL  blocks.0.ln1.out [1, 10, 32]\n"));
    CHECK_FALSE(contains(wrong.out, "resid_pre"));
    CHECK(contains(wrong.out, "16 of 17 tensors differ by more than rounding can explain\n"));
    CHECK(contains(wrong.out, "\nBoth compute in float32. "));
}

TEST_CASE("what belongs to one of the two checks is refused in the other") {
    CHECK(contains(cli({"check", "--against", "cpu"}).err, "--against requires MODEL"));
    CHECK(contains(cli({"check", "--prompt", "A"}).err, "--prompt requires MODEL"));
    CHECK(contains(cli({"check", "four-witnesses-iha", "--seed", "3"}).err, "excludes --seed"));
    const Ended unknown = cli({"check", "four-witnesses-iha", "--against", "tpu"});
    CHECK(unknown.code == 2);
    CHECK(contains(unknown.err,
                   "\"tpu\" is not a backend; use auto, cpu, cuda, cuda-tf32 or reference.\n"));
}

namespace {

/// A report without what depends on the time or on what computed.
json undated(json report) {
    if (report.is_object()) {
        for (const char* name : {"milliseconds", "seconds", "cpu_seconds", "backend"})
            report.erase(name);
        for (auto& [name, value] : report.items()) value = undated(value);
    } else if (report.is_array()) {
        for (json& value : report) value = undated(value);
    }
    return report;
}

}  // namespace

TEST_CASE("every command computes the same on a device, to the bit") {
    const TemporaryFolder folder;
    const std::string iha = saved(folder, "i.safetensors", untrained("four-witnesses", "iha")),
                      mha = saved(folder, "m.safetensors", untrained("pointer-chain", "mha")),
                      mlp = saved(folder, "r.safetensors", untrained("relations", "iha-mlp"));
    using Arguments = std::vector<std::string>;
    const std::vector<Arguments> rows = {
        {"run", iha},
        {"run", mlp},
        {"run", mha, "--steps", "3", "--temperature", "1", "--top-k", "3", "--seed", "4"},
        {"run", iha, "--weight", "alphaQ[1,1,0]=0.8"},
        {"eval", iha, "--examples", "60"},
        {"eval", mlp, "--examples", "20"},
        {"attribute", iha},
        {"attribute", iha, "--lens", "--heads"},
        {"attribute", mha, "--examples", "3"},
        {"flow", iha},
        {"heads", iha},
        {"heads", iha, "--examples", "4"},
        {"split", iha, "--cell", "L0H1.q0k1[8,5]"},
        {"split", iha, "--examples", "3"},
        {"ablate", iha, "--rank", "tiles"},
        {"ablate", mha, "--rank", "heads", "--examples", "3"},
        {"ablate", iha, "--part", "L0H1"},
    };
    for (const Arguments& row : rows) {
        std::string said;
        for (const std::string& word : row) said += word + " ";
        CAPTURE(said);
        const auto on = [&](const std::string& backend) {
            Arguments all = row;
            for (const char* word : {"--json", "--backend", backend.c_str(), "--threads", "1"})
                all.emplace_back(word);
            const Ended ended = with(moduleFile("far_module"), all);
            CHECK(ended.err == "");
            CHECK(ended.code == 0);
            return undated(json::parse(ended.out, nullptr, false));
        };
        const json near = on("cpu");
        CHECK_FALSE(near.is_discarded());
        CHECK(on("cuda") == near);
    }
}

TEST_CASE("training on a device gives the weights that the processor gives") {
    const TemporaryFolder folder;
    for (const std::string arm : {"mha", "iha"}) {
        CAPTURE(arm);
        const auto trained = [&](const std::string& backend) {
            const std::string file = folder / (arm + backend + ".safetensors");
            const Ended ended =
                with(moduleFile("far_module"),
                     {"train", "four-witnesses", "--arm", arm, "--steps", "6", "--seed", "2",
                      "--out", file, "--backend", backend, "--threads", "1"});
            CHECK(ended.err == "");
            REQUIRE(ended.code == 0);
            return file;
        };
        CHECK(sameWeights(trained("cpu"), trained("cuda")));
    }
}
