#include "core/session/filter_arms.h"

#include "core/tasks/filter_nodes.h"

#include <fmt/format.h>

namespace headloom {

namespace {

Result<SettingValues> read(const TaskSettings& settings) {
    return SettingValues::read(graphFilterChoices(), settings);
}

/// Changes that a filter has no place for.
Result<void> checkMeaning(const ArmChanges& changes) {
    const std::pair<bool, const char*> strange[] = {
        {changes.kvHeads.has_value(), "kvHeads"},
        {changes.layers.has_value(), "layers"},
        {changes.width.has_value(), "width"},
        {changes.mlp.has_value(), "mlp"},
        {changes.positionFactor.has_value(), "positionFactor"},
        {changes.mask.has_value(), "mask"},
        {changes.positions.has_value(), "positions"},
        {changes.score.has_value(), "score"},
        {changes.collapse.has_value(), "collapse"},
        {changes.window.has_value(), "window"}};
    for (const auto& [set, name] : strange)
        if (set)
            return fail(Error::Kind::badInput, name,
                        "a graph filter is one layer of linear attention and has no such setting",
                        "leave it out");
    return {};
}

}  // namespace

std::vector<ArmInfo> filterArms(const TaskSettings& settings) {
    const auto values = read(settings);
    const int order = values ? values->whole("k") : 4;
    return {{"mha", "MHA, 2 heads"},
            {"iha", "IHA, 2 heads x 2"},
            {"mha-k", fmt::format("MHA, {} heads: one a filter", order)}};
}

Result<FilterRecipe> filterRecipe(const TaskSettings& settings, const std::string& arm,
                                  const ArmChanges& changes) {
    const auto values = read(settings);
    if (!values) return tl::unexpected(values.error());
    if (const auto nodes = makeFilterNodes(settings); !nodes) return tl::unexpected(nodes.error());
    if (auto fine = checkMeaning(changes); !fine) return tl::unexpected(fine.error());
    FilterRecipe recipe;
    recipe.graph = filterGraphFrom(values->words("graph").front()).value();
    FilterConfig& config = recipe.config;
    config.order = values->whole("k");
    config.nNodes = values->whole("nodes");
    config.dNode = values->whole("dim");
    recipe.restarts = values->whole("restarts");
    if (arm == "iha") {
        config.kind = AttentionKind::iha;
        config.nPseudo = 2;
    } else if (arm == "mha-k") {
        config.nHeads = config.order;
    } else if (arm != "mha") {
        return fail(Error::Kind::notFound, "arm", fmt::format("\"{}\" is not an arm of it", arm),
                    "use mha, iha or mha-k");
    }
    config.kind = changes.kind.value_or(config.kind);
    config.nHeads = changes.heads.value_or(config.nHeads);
    config.nPseudo =
        config.kind == AttentionKind::iha ? changes.pseudo.value_or(config.nPseudo) : 1;
    recipe.learningRate = changes.learningRate.value_or(recipe.learningRate);
    recipe.batch = changes.batch.value_or(recipe.batch);
    recipe.steps = changes.steps.value_or(recipe.steps);
    recipe.mixing.start = changes.start.value_or(recipe.mixing.start);
    recipe.mixing.alphaNoise = changes.alphaNoise.value_or(recipe.mixing.alphaNoise);
    recipe.mixing.collapseNoise = changes.collapseNoise.value_or(recipe.mixing.collapseNoise);
    if (changes.mixingRate || changes.collapseRate)
        return fail(Error::Kind::badInput, "mixingRate",
                    "a filter's weights all learn at the same rate", "leave it empty");
    if (auto fine = validate(recipe); !fine) return tl::unexpected(fine.error());
    return recipe;
}

}  // namespace headloom
