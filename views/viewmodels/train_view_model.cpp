#include "views/viewmodels/train_view_model.h"

#include "core/io/model_file.h"
#include "core/session/training_run.h"
#include "core/session/verdict.h"
#include "core/tasks/task.h"

#include <QMetaObject>

#include <algorithm>
#include <thread>

namespace headloom {

namespace {

/// A picture at most every so many milliseconds: 30 a second are smooth and leave time to train.
constexpr int frameMilliseconds = 33;

/// A run's turn: with a dozen runs on one core each moves some ten times a second.
constexpr double turnSeconds = 0.008;

/// Held-out examples that the blind guess is counted on: some milliseconds.
constexpr int guessExamples = 200;

QString idOf(int run) {
    return QStringLiteral("training:%1").arg(run);
}

/// One core stays free for the window.
int workerCount() {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
}

bool interleaves(const ModelConfig& config) {
    return std::any_of(config.layers.begin(), config.layers.end(),
                       [](const LayerConfig& layer) { return layer.kind == AttentionKind::iha; });
}

}  // namespace

TrainViewModel::TrainViewModel(ExploreViewModel& explore, QObject* parent)
    : QObject(parent), explore_(explore) {
    frame_.setSingleShot(true);
    connect(&frame_, &QTimer::timeout, this, &TrainViewModel::refresh);
    connect(&explore.session(), &ExploreSession::stateChanged, this, &TrainViewModel::watch);
    connect(this, &TrainViewModel::pointed, &explore, &ExploreViewModel::setPointedText);
    task_ = QString::fromStdString(taskIds().front());
    chooseDefaults();
}

TrainViewModel::~TrainViewModel() = default;

// ---- set-up -----------------------------------------------------------------------------------

std::vector<std::pair<QString, QString>> TrainViewModel::tasks() const {
    std::vector<std::pair<QString, QString>> all;
    for (const std::string& id : taskIds())
        if (const auto task = makeTask(id))
            all.emplace_back(QString::fromStdString(id),
                             QString::fromStdString((*task)->info().title));
    return all;
}

QString TrainViewModel::taskExplanation() const {
    const auto task = makeTask(task_.toStdString());
    return task ? QString::fromStdString((*task)->info().explanation) : QString();
}

void TrainViewModel::setTask(const QString& task) {
    if (stands() || task == task_) return;
    task_ = task;
    taskSettings_.clear();
    chooseDefaults();
    emit setupChanged();
}

TaskChoices TrainViewModel::taskChoices() const {
    const auto choices = headloom::taskChoices(task_.toStdString());
    return choices ? *choices : TaskChoices{};
}

QString TrainViewModel::taskSetting(const QString& name) const {
    if (const auto set = taskSettings_.find(name.toStdString()); set != taskSettings_.end())
        return QString::fromStdString(set->second);
    // What a preset brings stands in the task that is made with it.
    if (const auto task = makeTask(task_.toStdString(), taskSettings_)) {
        const TaskSettings& all = (*task)->info().settings;
        if (const auto used = all.find(name.toStdString()); used != all.end())
            return QString::fromStdString(used->second);
    }
    for (const TaskSetting& setting : taskChoices().settings)
        if (setting.name == name.toStdString()) return QString::fromStdString(setting.standard);
    return {};
}

void TrainViewModel::setTaskSetting(const QString& name, const QString& value) {
    if (stands() || value == taskSetting(name)) return;
    if (name == QLatin1String("preset")) taskSettings_.clear();
    if (value.isEmpty())
        taskSettings_.erase(name.toStdString());
    else
        taskSettings_[name.toStdString()] = value.toStdString();
    emit setupChanged();
}

QString TrainViewModel::taskProblem() const {
    const auto task = makeTask(task_.toStdString(), taskSettings_);
    return task ? QString() : QString::fromStdString(task.error().sentence());
}

void TrainViewModel::chooseDefaults() {
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

std::vector<ArmChoice> TrainViewModel::armChoices() const {
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

int TrainViewModel::armChoice(int arm) const {
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

void TrainViewModel::setArm(int arm, const ArmSetup& setup) {
    if (stands()) return;
    arms_[static_cast<std::size_t>(arm)] = setup;
    emit setupChanged();
}

void TrainViewModel::addArm() {
    if (stands() || static_cast<int>(arms_.size()) >= mostArms) return;
    arms_.push_back({QString::fromStdString(armsOf(task_.toStdString()).back().id), {}});
    emit setupChanged();
}

void TrainViewModel::removeArm(int arm) {
    if (stands() || arms_.size() < 2) return;
    arms_.erase(arms_.begin() + arm);
    emit setupChanged();
}

void TrainViewModel::setSeeds(int seeds) {
    if (stands() || seeds == seeds_) return;
    seeds_ = std::clamp(seeds, 1, mostSeeds);
    emit setupChanged();
}

void TrainViewModel::setSteps(int steps) {
    if (stands() || steps == steps_) return;
    steps_ = std::max(1, steps);
    emit setupChanged();
}

Result<Recipe> TrainViewModel::recipeOf(const ArmSetup& setup) const {
    const auto base = makeRecipe(task_.toStdString(), setup.base.toStdString(), 0, taskSettings_);
    if (!base) return base;
    ArmChanges changes = setup.changes;
    if (steps_ > 0) changes.steps = steps_;
    return changed(*base, changes);
}

ArmShown TrainViewModel::shown(int arm) const {
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

int TrainViewModel::dash(int arm) const {
    const bool kind = shown(arm).interleaved;
    int before = 0;
    for (int other = 0; other < arm; ++other)
        if (shown(other).interleaved == kind) ++before;
    return before;
}

// ---- the comparison ---------------------------------------------------------------------------

void TrainViewModel::start() {
    if (!training_) {
        std::vector<LiveArm> arms;
        names_.clear();
        for (int arm = 0; arm < static_cast<int>(arms_.size()); ++arm) {
            const auto recipe = recipeOf(arms_[static_cast<std::size_t>(arm)]);
            if (!recipe) {
                emit failed(QString::fromStdString(recipe.error().sentence()));
                return;
            }
            names_.push_back(shown(arm).title);
            arms.push_back({names_.back().toStdString(), *recipe});
        }
        std::vector<std::uint64_t> seeds;
        for (int seed = 0; seed < seeds_; ++seed) seeds.push_back(static_cast<std::uint64_t>(seed));
        LiveOptions options;
        options.workers = workerCount();
        options.sliceSeconds = turnSeconds;
        run_ = 0;
        moment_ = -1;
        training_ = std::make_unique<LiveTraining>(std::move(arms), seeds, options, [this] {
            if (!news_.exchange(true))
                QMetaObject::invokeMethod(this, &TrainViewModel::schedule, Qt::QueuedConnection);
        });
        published_.assign(static_cast<std::size_t>(training_->runCount()), nullptr);
        picture_ = training_->picture();
        showLive();
        emit setupChanged();
    }
    training_->start();
    refresh();
}

void TrainViewModel::stop() {
    if (!training_) return;
    training_->stop();
    refresh();
}

void TrainViewModel::reset() {
    if (!training_) return;
    training_.reset();
    showsMoment_ = false;
    picture_ = {};
    moment_ = -1;
    news_ = false;
    emit setupChanged();
    emit pictureChanged();
}

/// Every run stands among the choices of the columns, with its first weights until it has begun;
/// the first seeds of the first and of the last arm come into view.
void TrainViewModel::showLive() {
    std::vector<LiveModel> models;
    for (int run = 0; run < training_->runCount(); ++run) {
        const LiveRun& one = picture_.runs[static_cast<std::size_t>(run)];
        const auto recipe = recipeOf(arms_[static_cast<std::size_t>(one.arm)]);
        if (!recipe) continue;
        auto model = modelOf(*recipe, initialWeights(recipe->config, one.seed, recipe->mixing));
        if (!model) continue;
        const QString title = tr("%1, seed %2, in training")
                                  .arg(names_[static_cast<std::size_t>(one.arm)])
                                  .arg(one.seed);
        model->name = title.toStdString();
        models.push_back(
            {{idOf(run), title, {}}, std::make_shared<const Model>(std::move(*model))});
    }
    if (models.empty()) return;
    ExploreSession& session = explore_.session();
    auto task = makeTask(task_.toStdString(), taskSettings_);
    if (!task) return;
    const auto& open = session.state().task;
    if (session.state().exampleId != task_ || !open ||
        open->info().settings != (*task)->info().settings)
        session.openTask(task_, std::move(*task));
    const ModelChoice first = models.front().choice;
    const std::size_t last = models.size() - static_cast<std::size_t>(seeds_);
    const ModelChoice second = models[last].choice;
    session.setLive(task_, std::move(models));
    session.setChoice(Side::left, first);
    if (arms_.size() > 1) session.setChoice(Side::right, second);
}

int TrainViewModel::runOf(const QString& id) const {
    for (int run = 0; run < static_cast<int>(picture_.runs.size()); ++run)
        if (idOf(run) == id) return run;
    return -1;
}

void TrainViewModel::watch() {
    if (!training_) return;
    std::vector<int> runs;
    for (const auto& column : explore_.session().state().columns)
        if (const int run = runOf(column.choice.id); run >= 0) runs.push_back(run);
    training_->watch(std::move(runs));
}

void TrainViewModel::schedule() {
    if (!training_ || frame_.isActive()) return;
    const qint64 passed = sinceFrame_.isValid() ? sinceFrame_.elapsed() : frameMilliseconds;
    frame_.start(static_cast<int>(std::max<qint64>(0, frameMilliseconds - passed)));
}

void TrainViewModel::refresh() {
    if (!training_) return;
    news_ = false;
    sinceFrame_.start();
    picture_ = training_->picture();
    for (const auto& column : explore_.session().state().columns) {
        const int run = runOf(column.choice.id);
        if (run < 0 || (showsMoment_ && run == run_)) continue;
        auto newest = training_->latest(run);
        auto& published = published_[static_cast<std::size_t>(run)];
        if (!newest || newest == published) continue;
        published = newest;
        explore_.session().updateLive(column.choice.id, std::move(newest));
    }
    const auto& moments = picture_.runs[static_cast<std::size_t>(run_)].moments;
    if (moment_ >= 0 && !std::binary_search(moments.begin(), moments.end(), moment_)) moment_ = -1;
    emit pictureChanged();
}

bool TrainViewModel::ended() const {
    return stands() &&
           std::all_of(picture_.runs.begin(), picture_.runs.end(), [](const LiveRun& run) {
               return run.state != RunState::waiting && run.state != RunState::running;
           });
}

QString TrainViewModel::statusText() const {
    if (!training_)
        return tr("%n run(s): every arm with every seed", nullptr,
                  static_cast<int>(arms_.size()) * seeds_);
    int ended = 0;
    std::int64_t done = 0, all = 0;
    for (const LiveRun& run : picture_.runs) {
        done += run.step;
        all += run.steps;
        if (!run.problem.empty())
            return tr("%1: %2").arg(runTitle(static_cast<int>(&run - picture_.runs.data())),
                                    QString::fromStdString(run.problem));
        if (run.state == RunState::finished || run.state == RunState::goalReached) ++ended;
    }
    const int share = static_cast<int>(100 * done / std::max<std::int64_t>(1, all));
    const QString memory =
        tr("%1 of %2 MiB of moments")
            .arg(static_cast<double>(picture_.momentBytes) / 1048576.0, 0, 'f', 1)
            .arg(picture_.momentLimit >> 20);
    const QString runs = tr("%1 of %2 runs done").arg(ended).arg(picture_.runs.size());
    return tr("%1 % · %2 · %3").arg(share).arg(runs, memory);
}

QString TrainViewModel::verdictText() const {
    std::vector<ArmResult> results;
    for (const QString& name : names_) results.push_back({name.toStdString(), {}, {}});
    for (const LiveRun& run : picture_.runs) {
        if (!run.measured) {
            if (run.state == RunState::failed) continue;
            return {};
        }
        ArmResult& result = results[static_cast<std::size_t>(run.arm)];
        result.exact.push_back(run.measured->exact);
        result.seconds.push_back(run.measured->cpuSeconds);
    }
    return QString::fromStdString(verdictOn(results));
}

std::vector<ReferenceLine> TrainViewModel::referenceLines(CurveValue value) const {
    if (guessTask_ != task_ || guessSettings_ != taskSettings_) {
        const auto task = makeTask(task_.toStdString(), taskSettings_);
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

QString TrainViewModel::runTitle(int run) const {
    const LiveRun& one = picture_.runs[static_cast<std::size_t>(run)];
    return tr("%1, seed %2").arg(names_[static_cast<std::size_t>(one.arm)]).arg(one.seed);
}

// ---- the run in view --------------------------------------------------------------------------

void TrainViewModel::setRun(int run) {
    if (!training_ || run < 0 || run >= training_->runCount() || run == run_) return;
    if (showsMoment_) showNewest();
    run_ = run;
    moment_ = -1;
    emit pictureChanged();
}

void TrainViewModel::chooseMoment(std::int64_t step) {
    if (!training_) return;
    const auto& moments = picture_.runs[static_cast<std::size_t>(run_)].moments;
    if (moments.empty()) return;
    moment_ =
        *std::min_element(moments.begin(), moments.end(), [step](std::int64_t a, std::int64_t b) {
            return std::llabs(a - step) < std::llabs(b - step);
        });
    emit pictureChanged();
}

void TrainViewModel::rewind() {
    if (!training_ || moment_ < 0) return;
    if (const auto done = training_->rewind(run_, moment_); !done)
        emit failed(QString::fromStdString(done.error().sentence()));
    moment_ = -1;
    refresh();
}

std::vector<std::int64_t> TrainViewModel::moments() const {
    return stands() ? picture_.runs[static_cast<std::size_t>(run_)].moments
                    : std::vector<std::int64_t>();
}

bool TrainViewModel::showMoment(std::int64_t step) {
    if (!training_) return false;
    auto model = training_->modelAt(run_, step);
    if (!model) return false;
    moment_ = step;
    showsMoment_ = true;
    ExploreSession& session = explore_.session();
    const QString id = idOf(run_);
    const auto& columns = session.state().columns;
    const bool stands = columns[0].choice.id == id || columns[1].choice.id == id;
    session.updateLive(id, std::make_shared<const Model>(std::move(*model)));
    if (!stands) {
        const int arm = picture_.runs[static_cast<std::size_t>(run_)].arm;
        for (const ModelChoice& choice : session.choices())
            if (choice.id == id) session.setChoice(arm == 0 ? Side::left : Side::right, choice);
    }
    emit pictureChanged();
    return true;
}

void TrainViewModel::showNewest() {
    if (!training_) return;
    moment_ = -1;
    showsMoment_ = false;
    if (auto newest = training_->latest(run_))
        explore_.session().updateLive(idOf(run_), std::move(newest));
    emit pictureChanged();
}

Result<Model> TrainViewModel::chosenModel() const {
    const auto& moments = picture_.runs[static_cast<std::size_t>(run_)].moments;
    if (moment_ < 0 && moments.empty())
        return fail(Error::Kind::notFound, "training", "this run has not begun",
                    "press Start first");
    return training_->modelAt(run_, moment_ < 0 ? moments.back() : moment_);
}

void TrainViewModel::openMoment() {
    if (!training_) return;
    auto model = chosenModel();
    if (!model) {
        emit failed(QString::fromStdString(model.error().sentence()));
        return;
    }
    const int arm = picture_.runs[static_cast<std::size_t>(run_)].arm;
    const QString title = QString::fromStdString(model->name);
    explore_.session().openModel(arm == 0 ? Side::left : Side::right, title,
                                 std::make_shared<const Model>(std::move(*model)));
}

void TrainViewModel::saveMoment(const QString& path) {
    if (!training_) return;
    const auto model = chosenModel();
    const auto saved =
        model ? saveModel(path.toStdString(), *model) : Result<void>(tl::unexpected(model.error()));
    if (!saved) emit failed(QString::fromStdString(saved.error().sentence()));
}

}  // namespace headloom
