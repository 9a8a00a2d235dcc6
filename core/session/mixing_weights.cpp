#include "core/session/mixing_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headloom {

namespace {

tl::unexpected<Error> bad(std::string_view where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::string(where), std::move(what), std::move(remedy));
}

constexpr const char* form = "write it as in alphaQ[2,1,0] or L0.R[1,3]";

std::string listed(const std::vector<MixingTensor>& matrices) {
    std::string text;
    for (const MixingTensor one : matrices)
        text += (text.empty() ? "" : ", ") + std::string(nameOf(one));
    return text;
}

/// Whole numbers between commas and nothing else.
std::optional<std::vector<int>> numbersIn(std::string_view text) {
    std::vector<int> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        int number = 0;
        const auto [next, failed] = std::from_chars(at, end, number);
        if (failed != std::errc()) return std::nullopt;
        numbers.push_back(number);
        if (next == end) return numbers;
        if (*next != ',') return std::nullopt;
        at = next + 1;
    }
}

/// Takes "L3." off the front; no layer named: 0.
std::optional<int> takeLayer(std::string_view& text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || dot > text.find('[')) return 0;
    const std::string_view part = text.substr(0, dot);
    if (part.size() < 2 || (part[0] != 'L' && part[0] != 'l')) return std::nullopt;
    const auto numbers = numbersIn(part.substr(1));
    if (!numbers || numbers->size() != 1) return std::nullopt;
    text.remove_prefix(dot + 1);
    return numbers->front();
}

/// What stands along an axis: "source head", for sentences.
const char* axisName(MixingTensor matrix, std::size_t axis) {
    if (matrix == MixingTensor::collapse) return axis == 0 ? "target head" : "column";
    constexpr const char* names[] = {"source head", "target head", "pseudo-head"};
    return names[axis];
}

/// The tensor of a weight, once its layer is known to have one.
Result<Tensor> tensorOf(const MixingWeight& weight, const Model& model) {
    const std::vector<LayerConfig>& layers = model.config.layers;
    if (weight.layer < 0 || weight.layer >= static_cast<int>(layers.size()))
        return bad("layer", fmt::format("there is no layer {}", weight.layer),
                   fmt::format("use 0 to {}", static_cast<int>(layers.size()) - 1));
    const LayerConfig& layer = layers[static_cast<std::size_t>(weight.layer)];
    const std::vector<MixingTensor> there = mixingTensorsOf(layer);
    if (std::find(there.begin(), there.end(), weight.matrix) != there.end())
        return model.weights.find(tensorNameOf(weight.matrix, weight.layer));
    const std::string_view kind = model.config.kindWords(layer);
    return bad(nameOf(weight.matrix), fmt::format("layer {} ({}) has none", weight.layer, kind),
               there.empty() ? std::string("choose a model that mixes heads, such as an IHA")
                             : "it has " + listed(there));
}

}  // namespace

std::string textOf(const MixingWeight& weight, const Model& model) {
    std::string text = model.config.nLayers() > 1 ? fmt::format("L{}.", weight.layer) : "";
    text += nameOf(weight.matrix);
    const int rank = model.weights.find(tensorNameOf(weight.matrix, weight.layer)).shape().rank();
    for (int axis = 0; axis < rank; ++axis)
        text += fmt::format("{}{}", axis == 0 ? '[' : ',',
                            weight.index[static_cast<std::size_t>(axis)]);
    return text + ']';
}

Result<std::int64_t> offsetOf(const MixingWeight& weight, const Model& model) {
    const auto tensor = tensorOf(weight, model);
    if (!tensor) return tl::unexpected(tensor.error());
    std::int64_t offset = 0;
    for (int axis = 0; axis < tensor->shape().rank(); ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        const std::int64_t size = tensor->size(axis);
        if (weight.index[at] < 0 || weight.index[at] >= size)
            return bad(
                nameOf(weight.matrix),
                fmt::format("there is no {} {}", axisName(weight.matrix, at), weight.index[at]),
                fmt::format("use 0 to {}", size - 1));
        offset = offset * size + weight.index[at];
    }
    return offset;
}

Result<MixingWeight> mixingWeightFrom(std::string_view text, const Model& model) {
    std::string_view rest = text;
    const auto layer = takeLayer(rest);
    const std::size_t open = rest.find('[');
    if (!layer || open == std::string_view::npos || rest.back() != ']')
        return bad(text, "is not the name of a weight", form);
    const auto matrix = mixingTensorFrom(rest.substr(0, open));
    if (!matrix) return tl::unexpected(matrix.error());
    MixingWeight weight{*layer, *matrix, {}};
    const auto tensor = tensorOf(weight, model);
    if (!tensor) return tl::unexpected(tensor.error());
    const auto numbers = numbersIn(rest.substr(open + 1, rest.size() - open - 2));
    if (!numbers) return bad(text, "its indices are not whole numbers between commas", form);
    const auto rank = static_cast<std::size_t>(tensor->shape().rank());
    if (numbers->size() != rank)
        return bad(text,
                   fmt::format("{} has {} indices, not {}", nameOf(*matrix), rank, numbers->size()),
                   fmt::format("its shape is {}", tensor->shape().text()));
    std::copy(numbers->begin(), numbers->end(), weight.index.begin());
    if (const auto offset = offsetOf(weight, model); !offset) return tl::unexpected(offset.error());
    return weight;
}

Result<MixingAssignment> mixingAssignmentFrom(std::string_view text, const Model& model) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        return bad(text, "has no value", "write for example alphaQ[2,1,0]=0.8");
    const auto weight = mixingWeightFrom(text.substr(0, equals), model);
    if (!weight) return tl::unexpected(weight.error());
    const std::string_view number = text.substr(equals + 1);
    float value = 0;
    const auto [next, failed] =
        std::from_chars(number.data(), number.data() + number.size(), value);
    if (failed != std::errc() || next != number.data() + number.size() || !std::isfinite(value))
        return bad(text, fmt::format("\"{}\" is not a finite number", number),
                   "write for example alphaQ[2,1,0]=0.8");
    return MixingAssignment{*weight, value};
}

}  // namespace headloom
