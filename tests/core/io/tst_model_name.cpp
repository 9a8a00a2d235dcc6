#include "core/io/model_name.h"

#include <doctest/doctest.h>

#include <filesystem>

using namespace headloom;

TEST_CASE("a checkpoint is called by its file, or by its folder where files are called alike") {
    CHECK(modelName("/models/SmolLM-135M/model.safetensors") == "SmolLM-135M");
    CHECK(modelName("/models/SmolLM-135M/model.safetensors.index.json") == "SmolLM-135M");
    CHECK(modelName("/models/gpt2/pytorch_model.bin") == "gpt2");
    CHECK(modelName("/models/mine/epoch-3.pt") == "epoch-3");
    CHECK(modelName("/models/a/../b/model.safetensors") == "b");
    CHECK(modelName("/model.safetensors") == "model");
    // a folder by all of its name, whatever looks like an ending
    const auto folder = std::filesystem::temp_directory_path() / "Llama-3.2-1B";
    std::filesystem::create_directories(folder);
    CHECK(modelName(folder) == "Llama-3.2-1B");
    CHECK(modelName(folder / "") == "Llama-3.2-1B");
    std::filesystem::remove(folder);
}
