#include "views/viewmodels/comparison_setup.h"

#include "core/session/filter_arms.h"
#include "core/session/recipe.h"
#include "core/tasks/filter_nodes.h"
#include "core/tasks/task.h"
#include "views/viewmodels/catalogue.h"

#include <algorithm>
#include <set>

namespace headloom {

namespace {

/// Held-out examples that the blind guess is counted on: some milliseconds.
constexpr int guessExamples = 200;

/// Sizes of a token model.
void describe(const ModelConfig& config, ArmShown& shown) {
    for (const LayerConfig& layer : config.layers) {
        shown.interleaved = shown.interleaved || layer.kind == AttentionKind::iha;
        shown.pseudo = std::max(shown.pseudo, layer.nPseudo);
    }
    shown.heads = config.nHeads;
    shown.layers = config.nLayers();
    shown.width = config.dModel;
    shown.mlp = config.dMlp / std::max(1, config.dModel);
}

void describe(const FilterConfig& config, ArmShown& shown) {
    shown.interleaved = config.kind == AttentionKind::iha;
    shown.heads = config.nHeads;
    shown.pseudo = config.nPseudo;
    shown.layers = 1;
    shown.width = config.width();
    shown.oneLayer = true;
}

/// Settings that all arms share, under what is set in the arm itself.
ArmChanges over(const LearningChanges& common, ArmChanges own) {
    const auto take = [](auto& mine, const auto& shared) {
        if (!mine && shared)
            mine = static_cast<typename std::decay_t<decltype(mine)>::value_type>(*shared);
    };
    take(own.learningRate, common.learningRate);
    take(own.batch, common.batch);
    take(own.start, common.start);
    take(own.alphaNoise, common.noise);
    take(own.collapseNoise, common.noise);
    take(own.mixingRate, common.mixingRate);
    take(own.collapseRate, common.collapseRate);
    return own;
}

template <class Config>
std::int64_t parametersOf(const Config& config) {
    std::int64_t sum = 0;
    for (const WeightSpec& spec : weightSpecs(config)) sum += spec.shape.count();
    return sum;
}

bool isTask(const QString& id) {
    const std::vector<std::string> all = taskIds();
    return id == QLatin1String(graphFilterId) ||
           std::find(all.begin(), all.end(), id.toStdString()) != all.end();
}

}  // namespace

ComparisonSetup::ComparisonSetup(QObject* parent) : QObject(parent) {
    task_ = QString::fromStdString(taskIds().front());
    chooseDefaults();
}

void ComparisonSetup::setLocked(bool locked) {
    if (locked == locked_) return;
    locked_ = locked;
    emit changed();
}

std::vector<std::pair<QString, QString>> ComparisonSetup::tasks() const {
    std::vector<std::pair<QString, QString>> all;
    for (const std::string& id : taskIds())
        if (const auto task = headloom::makeTask(id))
            all.emplace_back(QString::fromStdString(id),
                             QString::fromStdString((*task)->info().title));
    if (const auto filters = makeFilterNodes({}))
        all.emplace_back(QLatin1String(graphFilterId),
                         QString::fromStdString((*filters)->info().title));
    return all;
}

QString ComparisonSetup::taskExplanation() const {
    const auto task = makeTask();
    return task ? QString::fromStdString((*task)->info().explanation) : QString();
}

void ComparisonSetup::setTask(const QString& task) {
    // What is looked at may be text of a checkpoint, which is no task to learn.
    if (locked_ || task == task_ || !isTask(task)) return;
    task_ = task;
    taskSettings_.clear();
    chooseDefaults();
    emit changed();
}

bool ComparisonSetup::filters() const {
    return task_ == QLatin1String(graphFilterId);
}

std::vector<ArmInfo> ComparisonSetup::armInfos() const {
    return filters() ? filterArms(taskSettings_) : armsOf(task_.toStdString());
}

TaskChoices ComparisonSetup::taskChoices() const {
    if (filters()) return graphFilterChoices();
    const auto choices = headloom::taskChoices(task_.toStdString());
    return choices ? *choices : TaskChoices{};
}

QString ComparisonSetup::taskSetting(const QString& name) const {
    if (const auto set = taskSettings_.find(name.toStdString()); set != taskSettings_.end())
        return QString::fromStdString(set->second);
    // What a preset brings stands in the task that is made with it.
    if (const auto task = makeTask()) {
        const TaskSettings& all = (*task)->info().settings;
        if (const auto used = all.find(name.toStdString()); used != all.end())
            return QString::fromStdString(used->second);
    }
    for (const TaskSetting& setting : taskChoices().settings)
        if (setting.name == name.toStdString()) return QString::fromStdString(setting.standard);
    return {};
}

void ComparisonSetup::setTaskSetting(const QString& name, const QString& value) {
    if (locked_ || value == taskSetting(name)) return;
    if (name == QLatin1String("preset")) taskSettings_.clear();
    if (value.isEmpty())
        taskSettings_.erase(name.toStdString());
    else
        taskSettings_[name.toStdString()] = value.toStdString();
    emit changed();
}

QString ComparisonSetup::taskProblem() const {
    const auto task = makeTask();
    return task ? QString() : QString::fromStdString(task.error().sentence());
}

void ComparisonSetup::chooseDefaults() {
    arms_.clear();
    for (const ArmInfo& arm : armInfos())
        if (static_cast<int>(arms_.size()) < mostArms)
            arms_.push_back({QString::fromStdString(arm.id), {}});
    steps_ = 0;
    if (arms_.empty()) return;
    if (const auto recipe = recipeOf(arms_.front())) steps_ = static_cast<int>(stepsOf(*recipe));
}

std::vector<ArmChoice> ComparisonSetup::armChoices() const {
    std::vector<ArmChoice> all;
    QString plain;  // the arm whose attention can be exchanged
    for (const ArmInfo& arm : armInfos()) {
        const QString id = QString::fromStdString(arm.id);
        all.push_back({titleText(QString::fromStdString(arm.title)), {id, {}}});
        if (plain.isEmpty() && id.startsWith(QLatin1String("mha"))) plain = id;
    }
    if (plain.isEmpty() || filters()) return all;
    const std::pair<AttentionKind, QString> kinds[] = {
        {AttentionKind::ihaLite, tr("IHA-lite: mixed heads, no pseudo-heads")},
        {AttentionKind::talkingHeads, tr("Talking heads")},
        {AttentionKind::differential, tr("Differential attention")}};
    for (const auto& [kind, title] : kinds) {
        ArmChanges changes;
        changes.kind = kind;
        all.push_back({title, {plain, changes}});
    }
    ArmChanges grouped;
    grouped.kvHeads = 1;
    all.push_back({tr("GQA, one key/value head"), {plain, grouped}});
    return all;
}

int ComparisonSetup::armChoice(int arm) const {
    const ArmSetup& setup = arms_[static_cast<std::size_t>(arm)];
    const std::vector<ArmChoice> choices = armChoices();
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const ArmSetup& one = choices[i].setup;
        if (one.base == setup.base && one.changes.kind == setup.changes.kind &&
            one.changes.kvHeads == setup.changes.kvHeads)
            return static_cast<int>(i);
    }
    return -1;
}

void ComparisonSetup::setArm(int arm, const ArmSetup& setup) {
    if (locked_) return;
    arms_[static_cast<std::size_t>(arm)] = setup;
    emit changed();
}

void ComparisonSetup::addArm() {
    if (locked_ || static_cast<int>(arms_.size()) >= mostArms) return;
    arms_.push_back({QString::fromStdString(armInfos().back().id), {}});
    emit changed();
}

void ComparisonSetup::removeArm(int arm) {
    if (locked_ || arms_.size() < 2) return;
    arms_.erase(arms_.begin() + arm);
    emit changed();
}

void ComparisonSetup::setSeeds(int seeds) {
    if (locked_ || seeds == seeds_) return;
    seeds_ = std::clamp(seeds, 1, mostSeeds);
    emit changed();
}

void ComparisonSetup::setSteps(int steps) {
    if (locked_ || steps == steps_) return;
    steps_ = std::max(1, steps);
    emit changed();
}

Result<LearningRecipe> ComparisonSetup::recipeOf(const ArmSetup& setup) const {
    ArmChanges changes = over(learning_, setup.changes);
    if (steps_ > 0) changes.steps = steps_;
    if (filters()) {
        auto recipe = filterRecipe(taskSettings_, setup.base.toStdString(), changes);
        if (!recipe) return tl::unexpected(recipe.error());
        return *recipe;
    }
    const auto base = makeRecipe(task_.toStdString(), setup.base.toStdString(), 0, taskSettings_);
    if (!base) return tl::unexpected(base.error());
    auto recipe = headloom::changed(*base, changes);
    if (!recipe) return tl::unexpected(recipe.error());
    recipe->settings.goal = learning_.goal.value_or(0);
    return *recipe;
}

void ComparisonSetup::setLearning(const LearningChanges& learning) {
    if (locked_ || learning == learning_) return;
    learning_ = learning;
    emit changed();
}

ArmShown ComparisonSetup::shown(int arm) const {
    const ArmSetup& setup = arms_[static_cast<std::size_t>(arm)];
    ArmShown shown;
    auto recipe = recipeOf(setup);
    if (recipe) {
        std::visit([&](const auto& one) { shown.parameters = parametersOf(one.config); }, *recipe);
    } else {
        shown.problem = QString::fromStdString(recipe.error().sentence());
        recipe = recipeOf({setup.base, {}});
    }
    if (recipe) std::visit([&](const auto& one) { describe(one.config, shown); }, *recipe);
    const ArmChanges& asked = setup.changes;
    shown.heads = asked.heads.value_or(shown.heads);
    shown.pseudo = asked.pseudo.value_or(shown.pseudo);
    shown.layers = asked.layers.value_or(shown.layers);
    shown.width = asked.width.value_or(shown.width);
    shown.mlp = asked.mlp.value_or(shown.mlp);
    const int choice = armChoice(arm);
    shown.title = choice < 0 ? setup.base : armChoices()[static_cast<std::size_t>(choice)].title;
    ArmChanges others = setup.changes;
    others.kind.reset();
    others.kvHeads.reset();
    if (const std::string changes = describe(others); !changes.empty())
        shown.title += QStringLiteral(", ") + QString::fromStdString(changes);
    return shown;
}

int ComparisonSetup::dash(int arm) const {
    const bool kind = shown(arm).interleaved;
    int before = 0;
    for (int other = 0; other < arm; ++other)
        if (shown(other).interleaved == kind) ++before;
    return before;
}

std::vector<ReferenceLine> ComparisonSetup::filterLines() const {
    constexpr double deviations = 2;  // a fresh measurement of the best maps falls within, mostly
    if (floorSettings_ != taskSettings_) floors_.clear();
    floorSettings_ = taskSettings_;
    std::vector<ReferenceLine> lines = {{1, tr("predicting zero"), 1, 1}};
    std::set<int> heads;
    for (const ArmSetup& setup : arms_) {
        const auto recipe = recipeOf(setup);
        if (!recipe) continue;
        const auto& filter = std::get<FilterRecipe>(*recipe);
        if (!heads.insert(filter.config.nHeads).second) continue;
        auto known = floors_.find(filter.config.nHeads);
        if (known == floors_.end())
            known = floors_.emplace(filter.config.nHeads, mhaFloor(filter)).first;
        const RankFloor& floor = known->second;
        if (floor.expected <= 0) continue;
        const double band = deviations * floor.deviation;
        lines.push_back({floor.expected, tr("floor of MHA, H = %1").arg(filter.config.nHeads),
                         floor.expected - band, floor.expected + band});
    }
    return lines;
}

std::vector<ReferenceLine> ComparisonSetup::referenceLines(CurveValue value) const {
    if (filters()) return filterLines();
    if (guessTask_ != task_ || guessSettings_ != taskSettings_) {
        const auto task = makeTask();
        guess_ = task ? blindGuess(**task, guessExamples) : BlindGuess{};
        guessTask_ = task_;
        guessSettings_ = taskSettings_;
    }
    if (guess_.loss <= 0) return {};
    if (value == CurveValue::loss) return {{guess_.loss, tr("without looking")}};
    // A whole chain is not guessed in any number of examples that fits a plot.
    if (value == CurveValue::exact) return {};
    return {{guess_.accuracy, tr("always the commonest answer")}};
}

Result<std::unique_ptr<Task>> ComparisonSetup::makeTask() const {
    if (filters()) {
        auto nodes = makeFilterNodes(taskSettings_);
        if (!nodes) return tl::unexpected(nodes.error());
        return std::move(*nodes);
    }
    return headloom::makeTask(task_.toStdString(), taskSettings_);
}

Result<LearningRecipe> ComparisonSetup::recipe(int arm) const {
    return recipeOf(arms_[static_cast<std::size_t>(arm)]);
}

}  // namespace headloom
