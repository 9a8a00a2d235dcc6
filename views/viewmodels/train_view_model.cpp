#include "views/viewmodels/train_view_model.h"

#include "core/base/cores.h"
#include "core/io/model_file.h"
#include "core/session/verdict.h"
#include "core/tasks/task.h"

#include <QMetaObject>

#include <algorithm>

namespace headloom {

namespace {

/// A picture at most every so many milliseconds: 30 a second are smooth and leave time to train.
constexpr int frameMilliseconds = 33;

/// A run's turn: with a dozen runs on one core each moves some ten times a second.
constexpr double turnSeconds = 0.008;

QString idOf(int run) {
    return QStringLiteral("training:%1").arg(run);
}

/// One core stays free for the window.
int workerCount() {
    return std::max(1, coreCount() - 1);
}

}  // namespace

TrainViewModel::TrainViewModel(ExploreViewModel& explore, QObject* parent)
    : QObject(parent), explore_(explore) {
    frame_.setSingleShot(true);
    connect(&frame_, &QTimer::timeout, this, &TrainViewModel::refresh);
    connect(&explore.session(), &ExploreSession::stateChanged, this, &TrainViewModel::watch);
    connect(&setup_, &ComparisonSetup::changed, this, &TrainViewModel::setupChanged);
    connect(this, &TrainViewModel::pointed, &explore, &ExploreViewModel::setPointedText);
}

TrainViewModel::~TrainViewModel() = default;

// ---- the comparison ---------------------------------------------------------------------------

void TrainViewModel::start() {
    if (!training_) {
        std::vector<LiveArm> arms;
        names_.clear();
        for (int arm = 0; arm < static_cast<int>(setup_.arms().size()); ++arm) {
            const auto recipe = setup_.recipe(arm);
            if (!recipe) {
                emit failed(QString::fromStdString(recipe.error().sentence()));
                return;
            }
            names_.push_back(setup_.shown(arm).title);
            arms.push_back({names_.back().toStdString(), *recipe});
        }
        std::vector<std::uint64_t> seeds;
        for (int seed = 0; seed < setup_.seeds(); ++seed)
            seeds.push_back(static_cast<std::uint64_t>(seed));
        LiveOptions options;
        options.backend = explore_.session().backend();
        options.workers = workerCount();
        options.sliceSeconds = turnSeconds;
        noticeSaid_ = false;
        run_ = 0;
        moment_ = -1;
        training_ = std::make_unique<LiveTraining>(std::move(arms), seeds, options, [this] {
            if (!news_.exchange(true))
                QMetaObject::invokeMethod(this, &TrainViewModel::schedule, Qt::QueuedConnection);
        });
        published_.assign(static_cast<std::size_t>(training_->runCount()), nullptr);
        picture_ = training_->picture();
        showLive();
        setup_.setLocked(true);
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
    // A run may be in the middle of an evaluation, which this thread does not wait for.
    ending_.start([dropped = std::shared_ptr<LiveTraining>(std::move(training_))]() mutable {
        dropped.reset();
    });
    showsMoment_ = false;
    picture_ = {};
    moment_ = -1;
    news_ = false;
    setup_.setLocked(false);
    emit pictureChanged();
}

/// Every run stands among the choices of the columns; the first seeds of the first arm and of the
/// last interleaved one (or else of the last) come into view.
void TrainViewModel::showLive() {
    ExploreSession& session = explore_.session();
    auto task = setup_.makeTask();
    if (!task) return;
    const auto& open = session.state().task;
    if (session.state().exampleId != setup_.task() || !open ||
        open->info().settings != (*task)->info().settings)
        session.openTask(setup_.task(), std::move(*task));
    std::vector<LiveModel> models;
    for (int run = 0; run < training_->runCount(); ++run)
        models.push_back({{idOf(run), tr("%1, in training").arg(runTitle(run)), {}}, nullptr});
    const int last = static_cast<int>(setup_.arms().size()) - 1;
    int rival = last;
    while (rival > 0 && !setup_.shown(rival).interleaved) --rival;
    if (rival == 0) rival = last;
    const ModelChoice first = models.front().choice;
    const ModelChoice second = models[static_cast<std::size_t>(rival * setup_.seeds())].choice;
    session.setLive(setup_.task(), std::move(models));
    session.setChoice(Side::left, first);
    if (last > 0) session.setChoice(Side::right, second);
}

/// What a run looks like before it publishes: its newest kept moment, or as it begins, unless so
/// many weights would hold the window up; the column then waits for the run's first turn.
std::shared_ptr<const Model> TrainViewModel::standIn(int run) const {
    constexpr std::int64_t mostParameters = 1'000'000;
    const LiveRun& one = picture_.runs[static_cast<std::size_t>(run)];
    if (setup_.shown(one.arm).parameters > mostParameters) return nullptr;
    auto model = one.moments.empty() ? setup_.recipe(one.arm).and_then([&](const auto& recipe) {
        return firstModel(seeded(recipe, one.seed));
    })
                                     : training_->modelAt(run, one.moments.back());
    if (!model) return nullptr;
    model->name = tr("%1, in training").arg(runTitle(run)).toStdString();
    return std::make_shared<const Model>(std::move(*model));
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
    training_->watch(runs);
    for (const int run : runs) {
        auto& shown = published_[static_cast<std::size_t>(run)];
        if (!shown && (shown = standIn(run))) explore_.session().updateLive(idOf(run), shown);
    }
}

void TrainViewModel::schedule() {
    if (!training_) news_ = false;  // of a comparison that was dropped
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
    sayNotice();
}

/// Once a comparison, as every run meets the same device.
void TrainViewModel::sayNotice() {
    if (noticeSaid_) return;
    const auto told = std::find_if(picture_.runs.begin(), picture_.runs.end(),
                                   [](const LiveRun& run) { return !run.notice.empty(); });
    if (told == picture_.runs.end()) return;
    noticeSaid_ = true;
    emit failed(tr("%1: %2").arg(runTitle(static_cast<int>(told - picture_.runs.begin())),
                                 QString::fromStdString(told->notice)));
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
                  static_cast<int>(setup_.arms().size()) * setup_.seeds());
    int ended = 0, restarts = 0;
    std::int64_t done = 0, all = 0;
    for (const LiveRun& run : picture_.runs) {
        done += run.step;
        all += run.steps;
        restarts += run.restarts;
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
    QString runs = tr("%1 of %2 runs done").arg(ended).arg(picture_.runs.size());
    if (restarts > 0) runs += QStringLiteral(" · ") + tr("%n restart(s)", nullptr, restarts);
    return tr("%1 % · %2 · %3").arg(share).arg(runs, memory);
}

QString TrainViewModel::verdictText() const {
    std::vector<ArmResult> results;
    for (const QString& name : names_) results.push_back({name.toStdString(), {}, {}});
    for (const LiveRun& run : picture_.runs) {
        if (!run.outcome) {
            if (run.state == RunState::failed) continue;
            return {};
        }
        ArmResult& result = results[static_cast<std::size_t>(run.arm)];
        result.scores.push_back(run.outcome->error.value_or(run.outcome->exact));
        result.seconds.push_back(run.outcome->cpuSeconds);
    }
    const ScoreMeaning meaning = setup_.filters() ? ScoreMeaning::error : ScoreMeaning::exact;
    return QString::fromStdString(verdictOn(results, meaning));
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

Result<std::int64_t> TrainViewModel::chosenStep() const {
    const auto& moments = picture_.runs[static_cast<std::size_t>(run_)].moments;
    if (moment_ >= 0) return moment_;
    if (moments.empty())
        return fail(Error::Kind::notFound, "training", "this run has not begun",
                    "press Start first");
    return moments.back();
}

void TrainViewModel::openMoment() {
    if (!training_) return;
    auto model =
        chosenStep().and_then([this](std::int64_t step) { return training_->modelAt(run_, step); });
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
    const auto saved = chosenStep().and_then([&](std::int64_t step) -> Result<void> {
        const auto moment = training_->momentAt(run_, step);
        if (!moment) return tl::unexpected(moment.error());
        if (const auto* filter =
                std::get_if<std::shared_ptr<const FilterCheckpoint>>(&(*moment)->state()))
            return saveFilter(
                path.toStdString(),
                savedFilter(**filter, picture_.runs[static_cast<std::size_t>(run_)].curve));
        const auto model = training_->modelAt(run_, step);
        if (!model) return tl::unexpected(model.error());
        return saveModel(path.toStdString(), *model);
    });
    if (!saved) emit failed(QString::fromStdString(saved.error().sentence()));
}

}  // namespace headloom
