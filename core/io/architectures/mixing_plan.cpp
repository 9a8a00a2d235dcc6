#include "core/io/architectures/mixing_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headloom {

namespace {

const char* const mixings[] = {"attn.alpha_Q", "attn.alpha_K", "attn.alpha_V"};

tl::unexpected<Error> notRunnable(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::unsupported, std::move(where), std::move(what), std::move(remedy));
}

/// "target-source" or "source_target_pseudo" as a list.
std::vector<std::string> axesIn(std::string order) {
    std::replace(order.begin(), order.end(), '_', '-');
    std::vector<std::string> axes;
    for (std::size_t at = 0; at < order.size();) {
        const std::size_t end = std::min(order.find('-', at), order.size());
        axes.push_back(order.substr(at, end - at));
        at = end + 1;
    }
    return axes;
}

/// Whether no axis order makes a difference: the first two axes can be swapped.
Result<bool> symmetric(const TensorSource& source, const TensorEntry& entry) {
    const auto alpha = source.read(entry, DType::f32);
    if (!alpha) return tl::unexpected(alpha.error());
    const std::int64_t heads = alpha->size(0), pseudo = alpha->count() / (heads * heads);
    const float* values = alpha->data<float>();
    for (std::int64_t m = 0; m < heads; ++m)
        for (std::int64_t h = 0; h < m; ++h)
            for (std::int64_t p = 0; p < pseudo; ++p)
                if (values[(m * heads + h) * pseudo + p] != values[(h * heads + m) * pseudo + p])
                    return false;
    return true;
}

Result<bool> allSymmetric(const TensorSource& source, const MatchedTensors& tensors) {
    for (const auto& [name, piece] : tensors.pieces) {
        if (name.find(".attn.alpha_") == std::string::npos) continue;
        const auto& shape = piece.entry->shape;
        if (shape.size() < 2 || shape[0] != shape[1]) return false;
        const auto same = symmetric(source, *piece.entry);
        if (!same || !*same) return same;
    }
    return true;
}

Result<void> planAxes(const ConfigValues& values, const TensorSource& source,
                      const MatchedTensors& tensors, std::size_t rank, ModelPlan& plan,
                      LoadReport& report) {
    const auto order = values.text("alphaOrder");
    if (!order) {
        const auto same = allSymmetric(source, tensors);
        if (!same) return tl::unexpected(same.error());
        if (*same) {
            report.notes.push_back(
                "the alphas are the same with source and target heads swapped, so their order does "
                "not matter");
            return {};
        }
        report.question = {"alphaOrder", {"source-target", "target-source"}};
        return notRunnable(
            "alphas",
            "nothing says which axis is the source head and which the target: both are possible "
            "and give different models",
            "give --alpha-order source-target or --alpha-order target-source");
    }
    std::vector<std::string> axes = axesIn(*order);
    if (axes.size() == 2 && rank == 3) axes.emplace_back("pseudo");
    if (axes.size() == 3 && rank == 2) std::erase(axes, "pseudo");
    std::vector<std::string> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    const std::vector<std::string> wanted =
        rank == 3 ? std::vector<std::string>{"pseudo", "source", "target"}
                  : std::vector<std::string>{"source", "target"};
    if (sorted != wanted)
        return notRunnable("alphas", fmt::format("\"{}\" is not an order of their axes", *order),
                           "use source-target or target-source");
    plan.mixingAxes = axes;
    report.notes.push_back(fmt::format("the axes of the alphas are {}", fmt::join(axes, ", ")));
    return {};
}

Result<MaskKind> maskNamed(const std::string& name) {
    if (name == "token_causal") return MaskKind::token;
    if (name == "flat_causal") return MaskKind::flat;
    return maskFrom(name);
}

Result<void> planInterleaved(const ConfigValues& values, const MatchedTensors& tensors,
                             const Piece& alpha, ModelPlan& plan, LoadReport& report) {
    ModelConfig& config = plan.config;
    std::size_t pseudoAxis = 2;
    for (std::size_t i = 0; i < plan.mixingAxes.size(); ++i)
        if (plan.mixingAxes[i] == "pseudo") pseudoAxis = i;
    const Piece* collapse = tensors.firstOf("attn.R");
    if (!collapse || collapse->entry->shape.size() != 2)
        return notRunnable("alphas", "there is no collapse of the pseudo-heads beside them",
                           "the file is not whole");
    const std::int64_t pseudo = alpha.entry->shape[pseudoAxis], columns = collapse->entry->shape[1];
    if (pseudo < 1 || pseudo > 1024)
        return notRunnable("alphas", fmt::format("{} pseudo-heads", pseudo), "the file is damaged");
    report.dimensions.push_back({"nPseudo", pseudo, values.integer("nPseudo"), pseudo});
    const bool perHead = columns == pseudo && config.nHeads > 1;
    const std::string stated = values.text("collapse").value_or("");
    if ((stated == "per_head" && columns != pseudo) || (stated == "global" && perHead))
        report.warnings.push_back(
            fmt::format("the configuration says {} = {}, but the collapse is {} by {}: it is used "
                        "as it is",
                        values.keyOf("collapse"), stated, collapse->entry->shape[0], columns));
    const auto mask = maskNamed(values.text("mask").value_or("token"));
    if (!mask) return tl::unexpected(mask.error());
    const auto positions = positionsFrom(values.text("ihaPositions").value_or("virtual"));
    if (!positions) return tl::unexpected(positions.error());
    for (LayerConfig& layer : config.layers) {
        layer.kind = AttentionKind::iha;
        layer.nPseudo = static_cast<int>(pseudo);
        if (layer.mask != MaskKind::none) layer.mask = *mask;
        if (layer.positions != PositionKind::none) layer.positions = *positions;
        // for one head both forms have one shape and one meaning
        if (perHead) layer.collapse = CollapseKind::perHead;
    }
    return {};
}

/// More targets than sources: pseudo-heads that attend each to their own kind and are averaged. As
/// their rotations are those of whole tokens, mixed matrices say the same, and nothing of the layer
/// is interleaved.
Result<void> planFolded(const MatchedTensors& tensors, const Piece& alpha, ModelPlan& plan,
                        LoadReport& report) {
    ModelConfig& config = plan.config;
    const std::size_t target = plan.mixingAxes[0] == "target" ? 0 : 1;
    const std::int64_t targets = alpha.entry->shape[target],
                       sources = alpha.entry->shape[1 - target];
    const bool three = tensors.any(mixings[1]) && tensors.any(mixings[2]);
    if (sources != config.nHeads || targets % sources != 0 || !three)
        return notRunnable(alpha.entry->name, "mixes heads into another number of heads",
                           "look at its tensors; it does not run");
    plan.foldedPseudo = static_cast<int>(targets / sources);
    config.headWidth = config.dHead();
    config.nHeads = config.nKvHeads = static_cast<int>(targets);
    report.notes.push_back(fmt::format(
        "the {} pseudo-heads of each head attend on their own and are averaged: they run, and are "
        "shown, as {} ordinary heads, head h's from h * {} on",
        plan.foldedPseudo, targets, plan.foldedPseudo));
    return {};
}

}  // namespace

Result<void> planMixing(const ConfigValues& values, const TensorSource& source,
                        const MatchedTensors& tensors, ModelPlan& plan, LoadReport& report) {
    const Piece* alpha = tensors.firstOf(mixings[0]);
    if (!alpha) return {};
    const std::size_t rank = alpha->entry->shape.size();
    if (rank != 2 && rank != 3)
        return notRunnable(alpha->entry->name, fmt::format("has {} axes", rank),
                           "a mixing has two axes, or three with pseudo-heads");
    if (plan.config.kvHeads() != plan.config.nHeads)
        return notRunnable("alphas", "mixing grouped keys and values is not computed here",
                           "look at its tensors; it does not run");
    if (auto fine = planAxes(values, source, tensors, rank, plan, report); !fine) return fine;
    if (rank == 3) return planInterleaved(values, tensors, *alpha, plan, report);
    if (alpha->entry->shape[0] != alpha->entry->shape[1])
        return planFolded(tensors, *alpha, plan, report);
    for (LayerConfig& layer : plan.config.layers) layer.kind = AttentionKind::ihaLite;
    return {};
}

}  // namespace headloom
