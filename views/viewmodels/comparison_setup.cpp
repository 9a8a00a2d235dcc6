#include "views/viewmodels/comparison_setup.h"

#include "core/session/recipe.h"
#include "core/tasks/task.h"
#include "views/viewmodels/catalogue.h"

#include <algorithm>

namespace headloom {

namespace {

/// Held-out examples that the blind guess is counted on: some milliseconds.
constexpr int guessExamples = 200;

bool interleaves(const ModelConfig& config) {
    return std::any_of(config.layers.begin(), config.layers.end(),
                       [](const LayerConfig& layer) { return layer.kind == AttentionKind::iha; });
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
    return all;
}

QString ComparisonSetup::taskExplanation() const {
    const auto task = makeTask();
    return task ? QString::fromStdString((*task)->info().explanation) : QString();
}

void ComparisonSetup::setTask(const QString& task) {
    if (locked_ || task == task_) return;
    task_ = task;
    taskSettings_.clear();
    chooseDefaults();
    emit changed();
}

TaskChoices ComparisonSetup::taskChoices() const {
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
    const auto all = armsOf(task_.toStdString());
    for (const ArmInfo& arm : all)
        if (static_cast<int>(arms_.size()) < mostArms)
            arms_.push_back({QString::fromStdString(arm.id), {}});
    steps_ = 0;
    if (arms_.empty()) return;
    if (const auto recipe = recipeOf(arms_.front()))
        steps_ = static_cast<int>(recipe->settings.steps);
}

std::vector<ArmChoice> ComparisonSetup::armChoices() const {
    std::vector<ArmChoice> all;
    QString plain;  // the arm whose attention can be exchanged
    for (const ArmInfo& arm : armsOf(task_.toStdString())) {
        const QString id = QString::fromStdString(arm.id);
        all.push_back({titleText(QString::fromStdString(arm.title)), {id, {}}});
        if (plain.isEmpty() && id.startsWith(QLatin1String("mha"))) plain = id;
    }
    if (plain.isEmpty()) return all;
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
    arms_.push_back({QString::fromStdString(armsOf(task_.toStdString()).back().id), {}});
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

Result<Recipe> ComparisonSetup::recipeOf(const ArmSetup& setup) const {
    const auto base = makeRecipe(task_.toStdString(), setup.base.toStdString(), 0, taskSettings_);
    if (!base) return base;
    ArmChanges changes = setup.changes;
    if (steps_ > 0) changes.steps = steps_;
    return headloom::changed(*base, changes);
}

ArmShown ComparisonSetup::shown(int arm) const {
    const ArmSetup& setup = arms_[static_cast<std::size_t>(arm)];
    ArmShown shown;
    auto recipe = recipeOf(setup);
    if (!recipe) {
        shown.problem = QString::fromStdString(recipe.error().sentence());
        recipe = makeRecipe(task_.toStdString(), setup.base.toStdString(), 0);
        if (!recipe) return shown;
    } else {
        for (const WeightSpec& spec : weightSpecs(recipe->config))
            shown.parameters += spec.shape.count();
    }
    const ModelConfig& config = recipe->config;
    shown.interleaved = interleaves(config);
    for (const LayerConfig& layer : config.layers)
        shown.pseudo = std::max(shown.pseudo, layer.nPseudo);
    shown.heads = setup.changes.heads.value_or(config.nHeads);
    shown.pseudo = setup.changes.pseudo.value_or(shown.pseudo);
    shown.layers = setup.changes.layers.value_or(config.nLayers());
    shown.width = setup.changes.width.value_or(config.dModel);
    shown.mlp = setup.changes.mlp.value_or(config.dMlp / std::max(1, config.dModel));
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

std::vector<ReferenceLine> ComparisonSetup::referenceLines(CurveValue value) const {
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
    return headloom::makeTask(task_.toStdString(), taskSettings_);
}

Result<Recipe> ComparisonSetup::recipe(int arm) const {
    return recipeOf(arms_[static_cast<std::size_t>(arm)]);
}

}  // namespace headloom
