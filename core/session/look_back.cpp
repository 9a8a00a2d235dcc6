#include "core/session/look_back.h"

#include "core/io/model_file.h"
#include "core/session/bundled.h"
#include "core/session/verdict.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

Result<std::vector<std::string>> bundledArms() {
    const auto assets = assetsFolder();
    if (!assets) return tl::unexpected(assets.error());
    std::vector<std::string> names;
    for (const BundledExample& example : bundledExamples(*assets))
        if (example.task == lookBackTask)
            for (const BundledModel& model : example.models) names.push_back(model.name);
    if (names.empty())
        return fail(Error::Kind::notFound, (*assets / "models").string(),
                    "there are no trained models of the look-back bank",
                    fmt::format("train some with \"headloom-cli train {} --arm iha --out FILE\"",
                                lookBackTask));
    return names;
}

Result<LookBackArm> openArm(const std::string& name) {
    const auto file = findModelFile(name);
    if (!file) return tl::unexpected(file.error());
    auto model = loadModel(*file);
    if (!model) return tl::unexpected(model.error());
    const auto recipe = recipeFromJson(model->recipe);
    if (!recipe || recipe->task != lookBackTask)
        return fail(Error::Kind::badInput, name, "was not trained on the look-back bank",
                    fmt::format("give a model of the task {}", lookBackTask));
    if (model->config.nLayers() != 1)
        return fail(Error::Kind::badInput, name,
                    fmt::format("has {} layers: what a later one reads is no longer at the token "
                                "it came from",
                                model->config.nLayers()),
                    "give a model of one layer");
    LookBackArm arm{name, nullptr, *recipe, model->weights.parameterCount()};
    arm.model = std::make_shared<const Model>(std::move(*model));
    return arm;
}

Example exampleOf(const LookBackArms& arms, std::uint64_t number) {
    return arms.task->example(Split::heldOut, heldOutSeed, number);
}

}  // namespace

Result<LookBackArms> openLookBackArms(const std::vector<std::string>& names) {
    auto known = names.empty() ? bundledArms() : Result<std::vector<std::string>>(names);
    if (!known) return tl::unexpected(known.error());
    LookBackArms all;
    for (const std::string& name : *known) {
        auto arm = openArm(name);
        if (!arm) return tl::unexpected(arm.error());
        auto task = taskOf(arm->recipe);
        if (!task) return tl::unexpected(task.error());
        if (!all.task) all.task = std::move(*task);
        // a task that is set by default and one that spells its settings out are the same
        else if ((*task)->info().settings != all.task->info().settings)
            return fail(
                Error::Kind::badInput, name,
                fmt::format("its task is set differently from that of {}", all.arms.front().name),
                "compare models of one task, which read the same examples");
        if (auto fits = checkFits(all.task->info(), arm->model->config); !fits)
            return tl::unexpected(fits.error());
        all.arms.push_back(std::move(*arm));
    }
    return all;
}

Result<ChainRun> readLookBack(const LookBackArms& arms, const LookBackArm& arm,
                              std::uint64_t number, Backend& backend,
                              const std::function<bool()>& cancelled) {
    ChainRequest request;
    request.model = arm.model;
    request.truth = exampleOf(arms, number);
    request.effectiveMaps = true;
    request.activations = false;
    request.cancelled = cancelled;
    return runChain(request, backend);
}

void OffsetReading::add(const ChainRun& run) {
    maps_ = mapsFor(run, kind_);
    profiles_.resize(maps_.size());
    const std::vector<int> rows = rowsWithTarget(*run.truth, run.model->config.nSlots);
    for (std::size_t map = 0; map < maps_.size(); ++map)
        profiles_[map].add(maps_[map].values, rows);
    if (!mixes_) mixes_.emplace(static_cast<int>(maps_.size()), reach_);
    mixes_->add(valuesOf(maps_), rows);
}

std::vector<int> OffsetReading::carried(const OffsetRule& rule) const {
    return offsetsCarried(profiles_, reach_, rule);
}

std::vector<OffsetMix> OffsetReading::mixes() const {
    return mixes_ ? mixes_->solve() : std::vector<OffsetMix>();
}

std::vector<Tensor> valuesOf(const std::vector<OffsetMap>& maps) {
    std::vector<Tensor> values;
    for (const OffsetMap& map : maps) values.push_back(map.values);
    return values;
}

Result<OffsetReading> offsetsOver(const LookBackArms& arms, const LookBackArm& arm, OffsetMaps kind,
                                  std::uint64_t first, int count, Backend& backend,
                                  const std::function<bool()>& cancelled) {
    if (count < 1)
        return fail(Error::Kind::badInput, "examples", "there must be at least one example",
                    "give a number from 1 up");
    OffsetReading all(kind, arms.reach());
    for (int i = 0; i < count; ++i) {
        const auto run =
            readLookBack(arms, arm, first + static_cast<std::uint64_t>(i), backend, cancelled);
        if (!run) return tl::unexpected(run.error());
        all.add(*run);
    }
    return all;
}

Result<std::vector<Evaluation>> evaluateLookBack(const LookBackArms& arms, int examples,
                                                 const std::string& backend, int threads) {
    const auto evaluator = Evaluator::make(*arms.task, examples, backend, threads);
    if (!evaluator) return tl::unexpected(evaluator.error());
    std::vector<Evaluation> all;
    for (const LookBackArm& arm : arms.arms) {
        auto made = (*evaluator)->evaluate(arm.model->config, arm.model->weights, false);
        if (!made) return tl::unexpected(made.error());
        all.push_back(std::move(*made));
    }
    return all;
}

std::string lookBackVerdict(const LookBackArms& arms, const std::vector<Evaluation>& evaluations) {
    std::vector<ArmResult> results;
    for (std::size_t i = 0; i < arms.arms.size(); ++i) {
        const LookBackArm& arm = arms.arms[i];
        ArmResult result{arm.model->name, {evaluations[i].teacherForced.exact}, {}};
        if (arm.recipe.measured) result.seconds.push_back(arm.recipe.measured->cpuSeconds);
        results.push_back(std::move(result));
    }
    return verdictOn(results);
}

}  // namespace headloom
