#include <doctest/doctest.h>

#include <algorithm>

#include "cli_support.h"

using namespace headloom;
using namespace headloom::testing;

namespace {

/// What the program says on stderr, without its name and the folder of the test, having checked
/// that it is one line, that nothing went to stdout and that the exit code is 2.
std::string refusal(std::vector<std::string> arguments, const TemporaryFolder* folder = nullptr) {
    const Ended ended = cli(arguments);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
    std::string text = ended.err.substr(0, ended.err.find('\n'));
    const std::string name = "headloom-cli: ";
    CHECK(text.starts_with(name));
    text.erase(0, name.size());
    if (folder) {
        const std::string prefix = folder->path().string() + "/";
        for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
            text.erase(at, prefix.size());
    }
    return text;
}

/// A layer file of zeros: N = 4, D wide, H heads, P pseudo-heads.
std::string layerFile(const TemporaryFolder& folder, std::int64_t width, std::int64_t heads,
                      std::int64_t pseudo) {
    const auto zeros = [](const Shape& shape) { return Tensor::host(shape, DType::f64); };
    const std::int64_t d = width / heads;
    const auto path = folder / "layer.safetensors";
    REQUIRE(writeSafetensors(path, {{"x", zeros({4, width})},
                                    {"wq", zeros({heads, width, d})},
                                    {"wk", zeros({heads, width, d})},
                                    {"wv", zeros({heads, width, d})},
                                    {"alpha_q", zeros({heads, heads, pseudo})},
                                    {"alpha_k", zeros({heads, heads, pseudo})},
                                    {"alpha_v", zeros({heads, heads, pseudo})},
                                    {"collapse", zeros({heads, heads * pseudo})}}));
    return path;
}

}  // namespace

TEST_CASE("usage") {
    CHECK(refusal({}) == "no command was given; see \"headloom-cli --help\".");
    CHECK(refusal({"weave"}) == "unknown command or option weave; see \"headloom-cli --help\".");
    CHECK(refusal({"--weave"}) ==
          "unknown command or option --weave; see \"headloom-cli --help\".");
    CHECK(refusal({"run"}) == "MODEL is required; see \"headloom-cli run --help\".");
    CHECK(refusal({"layer", "in"}) == "OUT is required; see \"headloom-cli layer --help\".");
    for (const char* command : {"run", "layer", "check", "bench", "convert", "info"}) {
        CAPTURE(command);
        CHECK(refusal({command, "--weave"}).find("--weave; see \"headloom-cli ") !=
              std::string::npos);
    }
    CHECK(refusal({"run", "m", "--steps", "two"}) ==
          "Could not convert: --steps = two; see \"headloom-cli run --help\".");
    CHECK(refusal({"run", "m", "--prompt", "a", "--ids", "1"}) ==
          "--prompt excludes --ids; see \"headloom-cli run --help\".");
    CHECK(refusal({"check", "--backend", "abacus"}) ==
          "backend: \"abacus\" is not a backend; use auto, cpu, cuda, cuda-tf32 or reference.");
    CHECK(refusal({"check", "--threads", "0"}) ==
          "--threads: 0 threads cannot be had; use 1 to 256.");
    CHECK(refusal({"bench", "--repeat", "0"}) == "--repeat: 0 runs have no median; use 1 or more.");
    CHECK(refusal({"bench", "--case", "weave"}) ==
          "--case: no case is named like \"weave\"; use a part of a name such as "
          "forward/iha-class.");
}

TEST_CASE("files that are missing, cut off or something else") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m", untrained("four-witnesses", "iha"));
    const std::string whole = contentsOf(model);
    const auto said = [&](const std::string& bytes) {
        folder.write("f", bytes);
        const std::string text = refusal({"run", folder / "f"}, &folder);
        CHECK(refusal({"info", folder / "f"}, &folder) == text);
        return text;
    };
    CHECK(refusal({"run", folder / "no"}, &folder)
              .starts_with("no: there is no such file or bundled model; check the path"));
    CHECK(said(whole.substr(0, whole.size() - 1)).find("but the file is cut off at") !=
          std::string::npos);
    CHECK(said(whole.substr(0, 100)).starts_with("f: is cut off: its header is "));
    CHECK(said("") == "f: is empty; download or save it again.");
    CHECK(said("version https://git-lfs.github.com/spec/v1\n") ==
          "f: is a Git LFS pointer, not the file itself; run \"git lfs pull\" in its folder.");
    CHECK(said("<!doctype html>") ==
          "f: is a web page; download the file itself, not the page that shows it.");
    // "run" takes other people's checkpoints too
    folder.write("text", "hello, model");
    CHECK(refusal({"info", folder / "text"}, &folder) ==
          "text: is not a safetensors file; name a file that ends in .safetensors.");
    CHECK(refusal({"run", folder / "text"}, &folder) ==
          "text: is no kind of checkpoint that this program knows; safetensors, GGUF, PyTorch's "
          ".pt, npy, npz and llama2.c are read.");
    REQUIRE(writeSafetensors(folder / "foreign", {{"w", Tensor::host({1}, DType::f32)}}));
    CHECK(refusal({"info", folder / "foreign"}, &folder) ==
          "foreign: is a safetensors file, but not a Headloom model (it has no headloom.config); "
          "open a model that \"headloom-cli train\" wrote.");
    CHECK(refusal({"run", folder / "foreign"}, &folder) ==
          "foreign: does not run: no known architecture has these tensors; look at them one by "
          "one; see \"headloom-cli inspect\".");
    CHECK(refusal({"layer", folder / "foreign", folder / "out"}, &folder) ==
          "foreign, tensor \"x\": is missing; a layer file has x [N, D].");
    const TemporaryFolder bare;
    CHECK(refusal({"run", bare.path()})
              .ends_with(": holds no checkpoint; name a file or a folder with one in it."));
}

TEST_CASE("configurations that cannot be") {
    const TemporaryFolder folder;
    const std::string file = layerFile(folder, 12, 2, 3), out = folder / "out";
    const auto layer = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"layer", file, out});
        return refusal(options, &folder);
    };
    CHECK(layer({"--heads", "5"}) ==
          "heads H: H = 5 does not divide D = 12; choose H so that every head has the same whole "
          "width D/H.");
    CHECK(layer({"--heads", "0"}) == "heads H: 0 is out of range; use 1..4096.");
    CHECK(
        layer({"--heads", "3"}) ==
        "--heads: the file's weights have H = 2, not 3; leave it out: H follows from the shape of "
        "wq.");
    CHECK(layer({"--pseudo", "0"}) == "layer 0: P = 0 pseudo-heads; P must lie in 1..1024.");
    CHECK(layer({"--pseudo", "2"}) ==
          "--pseudo: the file's weights have P = 3, not 2; leave it out: P follows from the shape "
          "of alpha_q.");
    CHECK(layer({"--window", "0"}) ==
          "--window: 0 tokens are too few; a window has at least 1 token; leave it out for none.");
    CHECK(layer({"--mask", "half"}) == "mask: \"half\" is not a mask; use flat, token or none.");
    CHECK(layer({"--positions", "some"}) ==
          "positions: \"some\" is not a kind of positions; use virtual, token or none.");
    CHECK(layer({"--score", "soft"}) ==
          "score: \"soft\" is not a score function; use softmax, linear or hard.");
    CHECK(refusal({"layer", file, file}, &folder) ==
          "layer.safetensors: is the input; write to another file.");
    CHECK(
        refusal({"layer", file, folder / "no" / "out"}, &folder) ==
        "no/out: cannot be written (No such file or directory); check that the folder exists, may "
        "be written and has room.");
    layerFile(folder, 10, 2, 1);  // d = 5
    CHECK(layer({}) ==
          "layer 0: rotary positions need an even head width, but d = 5; change the width, the "
          "number of heads, or use positions none.");
    CHECK(cli({"layer", file, out, "--positions", "none"}).code == 0);

    // The same from a model file, whose configuration is checked as a whole.
    const auto run = [&](const std::function<void(ModelConfig&)>& change) {
        Model model = untrained("four-witnesses", "iha");
        change(model.config);
        return refusal({"run", saved(folder, "m", model)}, &folder);
    };
    CHECK(run([](ModelConfig& config) { config.nHeads = 3; }) ==
          "m, heads H: H = 3 does not divide D = 32; choose H so that every head has the same "
          "whole width D/H.");
    CHECK(run([](ModelConfig& config) { config.layers[0].nPseudo = 0; }) ==
          "m, layer 0: P = 0 pseudo-heads; P must lie in 1..1024.");
    CHECK(run([](ModelConfig& config) {
              config.layers[0].window = -1;
          }).ends_with("a window has at least 1 token; leave it out for none."));
}

TEST_CASE("prompts and options of run") {
    const TemporaryFolder folder;
    const std::string model = saved(folder, "m", untrained("four-witnesses", "iha"));
    const auto run = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"run", model});
        return refusal(options, &folder);
    };
    CHECK(run({"--prompt", ""}) == "prompt: it is empty; give at least one token.");
    CHECK(run({"--prompt", "   "}) == "prompt: it is empty; give at least one token.");
    CHECK(run({"--ids", ""}) == "prompt: it is empty; give at least one token.");
    CHECK(run({"--prompt", "012345012345012345012"}) ==
          "prompt: 21 tokens are too many; this model reads at most 20.");
    CHECK(run({"--prompt", "01x"}) ==
          "prompt: \"x\" is not in this model's vocabulary; use only 0 1 2 3 4 5.");
    CHECK(run({"--ids", "0,6"}) == "prompt: token 6 is outside the vocabulary; use ids 0 to 5.");
    CHECK(run({"--ids", "-1"}) == "prompt: token -1 is outside the vocabulary; use ids 0 to 5.");
    for (const char* list : {"1,,2", "1,2,", ",1", "one", "1 2", "99999999999"}) {
        CAPTURE(list);
        CHECK(run({"--ids", list}) ==
              "--ids: \"" + std::string(list) +
                  "\" is not a list of token ids; separate whole numbers by commas, as in 1,2,3.");
    }
    CHECK(run({"--example", "-1"}) == "--example: there is no example -1; count from 0.");
    CHECK(run({"--steps", "0"}) == "--steps: 0 steps are too few; use 1 or more.");
    CHECK(run({"--temperature", "0"}) ==
          "--temperature: 0 is not above 0; use --greedy for the most probable token.");
    CHECK(run({"--temperature", "nan"}) ==
          "--temperature: nan is not above 0; use --greedy for the most probable token.");
    CHECK(run({"--top-k", "0"}) == "--top-k: 0 leaves no token to choose; use 1 or more.");

    Model open = untrained("four-witnesses", "iha");
    open.config.layers[0].mask = MaskKind::none;
    CHECK(refusal({"run", saved(folder, "open", open)}) ==
          "KV cache: a layer with mask none lets early tokens see later ones, so nothing can be "
          "cached; run the whole sequence at once, or use mask flat or token.");
    Model foreign = untrained("four-witnesses", "iha");
    foreign.recipe.clear();
    CHECK(refusal({"run", saved(folder, "foreign", foreign)}, &folder) ==
          "foreign: no task of Headloom is known for this model; give it something to read with "
          "--prompt or --ids.");
    foreign.vocabulary = {};
    CHECK(refusal({"run", saved(folder, "foreign", foreign), "--prompt", "x"}, &folder) ==
          "prompt: \"x\" is not an id from 0 to 5; give token ids separated by spaces, as in 1 403 "
          "407.");
    const std::string plain = saved(folder, "foreign", foreign);
    CHECK(
        refusal({"run", model, "--prompt", "0", "--tokenizer", plain}, &folder) ==
        "foreign: is no tokenizer; tokenizer.json, vocab.json with merges.txt, GGUF and llama2.c's "
        "tokenizer .bin are read.");
}
