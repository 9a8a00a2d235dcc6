#include "core/io/layer_file.h"
#include "core/io/safetensors.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <map>

using namespace headloom;
using headloom::testing::TemporaryFolder;

namespace {

using Tensors = std::map<std::string, Tensor>;

/// N = 3, D = 4, H = 2, P = 3, float64.
Tensors ihaLayer() {
    const auto zeros = [](const Shape& shape) { return Tensor::host(shape, DType::f64); };
    Tensors tensors = {{"x", zeros({3, 4})},           {"wq", zeros({2, 4, 2})},
                       {"wk", zeros({2, 4, 2})},       {"wv", zeros({2, 4, 2})},
                       {"wo", zeros({4, 4})},          {"alpha_q", zeros({2, 2, 3})},
                       {"alpha_k", zeros({2, 2, 3})},  {"alpha_v", zeros({2, 2, 3})},
                       {"collapse", zeros({2, 2 * 3})}};
    // Row 3 of W_O is entry 1 of head 1.
    tensors["wo"].data<double>()[3 * 4 + 2] = 7;
    return tensors;
}

Result<LayerFile> loaded(const Tensors& tensors) {
    const TemporaryFolder folder;
    REQUIRE(writeSafetensors(folder / "l", {tensors.begin(), tensors.end()}));
    return loadLayerFile(folder / "l");
}

std::string sentenceOf(const Tensors& tensors) {
    const auto layer = loaded(tensors);
    if (layer) return "";
    const std::string text = layer.error().sentence();
    return text.substr(text.find(", tensor") + 2);
}

Tensors with(Tensors tensors, const std::string& name, const Shape& shape) {
    tensors[name] = Tensor::host(shape, DType::f64);
    return tensors;
}
Tensors without(Tensors tensors, std::initializer_list<const char*> names) {
    for (const char* name : names) tensors.erase(name);
    return tensors;
}

}  // namespace

TEST_CASE("an IHA layer is read in its own precision") {
    const LayerFile layer = loaded(ihaLayer()).value();
    CHECK(layer.kind == AttentionKind::iha);
    CHECK(layer.collapse == CollapseKind::full);
    CHECK(layer.nHeads == 2);
    CHECK(layer.dHead == 2);
    CHECK(layer.nPseudo == 3);
    CHECK(layer.tokens() == 3);
    CHECK(layer.width() == 4);
    CHECK(layer.x.dtype() == DType::f64);
    CHECK(layer.weights.wO.shape() == Shape{2, 2, 4});
    CHECK(layer.weights.wO.at(1).at(1).data<double>()[2] == 7);
}

TEST_CASE("one float32 tensor makes the whole layer float32, another tensor does not") {
    Tensors tensors = ihaLayer();
    tensors["y"] = Tensor::host({1}, DType::f32);
    CHECK(loaded(tensors)->x.dtype() == DType::f64);
    tensors["wk"] = tensors["wk"].cast(DType::f32);
    CHECK(loaded(tensors)->x.dtype() == DType::f32);
    CHECK(loaded(tensors)->weights.wQ.dtype() == DType::f32);
}

TEST_CASE("kind and collapse follow from what is there") {
    const LayerFile mha =
        loaded(without(ihaLayer(), {"alpha_q", "alpha_k", "alpha_v", "collapse", "wo"})).value();
    CHECK(mha.kind == AttentionKind::mha);
    CHECK(mha.nPseudo == 1);
    CHECK_FALSE(mha.weights.wO);
    CHECK(loaded(with(ihaLayer(), "collapse", {2, 3}))->collapse == CollapseKind::perHead);
}

TEST_CASE("a tensor that fits no layer is named with what was expected") {
    CHECK(sentenceOf(without(ihaLayer(), {"wk"})) ==
          "tensor \"wk\": is missing; a layer file has wk [H, D, d].");
    CHECK(sentenceOf(with(ihaLayer(), "x", {3, 4, 1})) ==
          "tensor \"x\": has shape [3, 4, 1]; a layer file has x [N, D].");
    CHECK(sentenceOf(with(ihaLayer(), "x", {0, 4})) ==
          "tensor \"x\": has shape [0, 4]; a layer needs at least one token and a width of at "
          "least 1.");
    CHECK(sentenceOf(with(ihaLayer(), "wq", {3, 4, 2})) ==
          "tensor \"wq\": H = 3 does not divide D = 4; choose H so that every head has the same "
          "whole width D/H.");
    CHECK(sentenceOf(with(ihaLayer(), "wq", {0, 4, 2})) ==
          "tensor \"wq\": H = 0 does not divide D = 4; choose H so that every head has the same "
          "whole width D/H.");
    CHECK(sentenceOf(with(ihaLayer(), "wv", {2, 4, 1})) ==
          "tensor \"wv\": has shape [2, 4, 1]; with the other tensors of this file it must be [2, "
          "4, 2].");
    CHECK(sentenceOf(with(ihaLayer(), "wo", {4, 3})) ==
          "tensor \"wo\": has shape [4, 3]; with the other tensors of this file it must be [4, "
          "4].");
    CHECK(sentenceOf(with(ihaLayer(), "alpha_q", {2, 2, 0})) ==
          "tensor \"alpha_q\": has P = 0 pseudo-heads; P must be at least 1.");
    CHECK(sentenceOf(with(ihaLayer(), "alpha_k", {2, 2, 2})) ==
          "tensor \"alpha_k\": has shape [2, 2, 2]; with the other tensors of this file it must be "
          "[2, 2, 3].");
    CHECK(sentenceOf(with(ihaLayer(), "collapse", {2, 5})) ==
          "tensor \"collapse\": has shape [2, 5]; with the other tensors of this file it must be "
          "[2, 6].");
    CHECK(sentenceOf(without(ihaLayer(), {"collapse"})) ==
          "tensor \"collapse\": is missing; a layer file has collapse [H, H*P] or [H, P].");
    CHECK(sentenceOf(without(ihaLayer(), {"alpha_q", "alpha_k", "alpha_v"})) ==
          "tensor \"collapse\": is there without alphas; give alpha_q, alpha_k and alpha_v too, or "
          "leave it out for MHA.");
}

TEST_CASE("tiles interleave token-major") {
    // One head, P = 2, N = 2; cell (p, r, i, j) holds the digits p r i j.
    std::vector<float> cells;
    for (const int p : {0, 1})
        for (const int r : {0, 1})
            for (const int i : {0, 1})
                for (const int j : {0, 1})
                    cells.push_back(static_cast<float>(1000 * p + 100 * r + 10 * i + j));
    const Tensor maps = interleavedMaps(Tensor::of({1, 1, 2, 2, 2, 2}, cells));
    CHECK(maps.shape() == Shape{1, 4, 4});
    // Row n*P + p, column m*P + r.
    const std::vector<float> expected = {0,    100,  1,    101,   //
                                         1000, 1100, 1001, 1101,  //
                                         10,   110,  11,   111,   //
                                         1010, 1110, 1011, 1111};
    CHECK(std::equal(expected.begin(), expected.end(), maps.data<float>()));
}

TEST_CASE("results are written as float32") {
    const TemporaryFolder folder;
    const Tensor y = Tensor::of<double>({1, 2, 1}, {0.5, 2});
    const Tensor tiles = Tensor::of<double>({1, 1, 1, 1, 2, 2}, {1, 0, 0.25, 0.75});
    REQUIRE(saveLayerResult(folder / "out", y, tiles));
    const auto file = SafetensorsFile::open(folder / "out").value();
    CHECK(file.find("y")->dtype == "F32");
    CHECK(file.find("y")->shape == std::vector<std::int64_t>{2, 1});
    CHECK(file.find("maps")->shape == std::vector<std::int64_t>{1, 2, 2});
    CHECK(file.read(*file.find("maps"), DType::f32)->data<float>()[3] == 0.75f);
}
