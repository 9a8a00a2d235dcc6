#include "core/session/live_training.h"

#include "core/models/guarded.h"
#include "core/session/chosen_backend.h"
#include "core/session/kept_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace headloom {

namespace {

using Clock = std::chrono::steady_clock;
using Moment = std::shared_ptr<const LearningMoment>;

/// Points on the curve of a whole run.
constexpr std::int64_t pointsPerRun = 400;

/// What one turn of a run brought, worked out without the lock.
struct Turn {
    std::vector<LossPoint> losses;
    std::vector<ScorePoint> scores;
    std::vector<Moment> moments;
    std::shared_ptr<const Model> model;
    std::int64_t step = 0, steps = 0;
    int restarts = 0;
    double seconds = 0;
    std::optional<TrainingEnd> end;
    std::optional<LearningOutcome> outcome;
    std::string problem;
    std::optional<Error> deviceFailed;
};

struct Job {
    int index = 0;
    std::string name;
    LearningRecipe recipe;
    LiveRun shown;  ///< but for its moments
    std::shared_ptr<const Model> latest;
    std::atomic<bool> watched{false};
    bool busy = false;               ///< a worker has it; the fields below are that worker's
    Moment rewindTo;                 ///< asked for while it was busy
    std::atomic<bool> hurry{false};  ///< ends the turn early

    std::unique_ptr<LearningRun> run;  ///< empty: begin with `from`, or anew
    Moment from;
    Moment last;  ///< the newest, whether it is among those kept or not
    std::string backend;
    std::int64_t nextMoment = 0;
    double lossSum = 0;
    std::int64_t lossCount = 0;

    bool ended() const {
        return shown.state != RunState::waiting && shown.state != RunState::running;
    }
    double progress() const {
        return static_cast<double>(shown.step) /
               static_cast<double>(std::max<std::int64_t>(1, shown.steps));
    }
    std::int64_t spacing(int parts) const {
        return std::max<std::int64_t>(1, stepsOf(recipe) / std::max(1, parts));
    }
};

std::shared_ptr<const Model> named(Model model, const std::string& name) {
    model.name = name;
    return std::make_shared<const Model>(std::move(model));
}

}  // namespace

struct LiveTraining::State {
    State(std::size_t runs, const LiveOptions& how)
        : options(how), moments(static_cast<int>(runs), how.momentBytes) {}

    LiveOptions options;
    std::function<void()> news;
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::unique_ptr<Job>> jobs;
    KeptMoments moments;
    std::atomic<bool> running{false}, stopping{false};
    std::vector<std::thread> workers;

    void serve();
    Job* next();
    Result<void> prepare(Job& job, Turn& turn) const;
    Result<void> advance(Job& job, Turn& turn) const;
    Turn take(Job& job) const;
    void goOnOnCpu(Job& job, const Error& why);
    void merge(Job& job, Turn turn);
    void rewind(Job& job, const Moment& moment);
    Job& job(int run) const { return *jobs[static_cast<std::size_t>(run)]; }
    Result<Moment> find(int run, std::int64_t step) const;
};

LiveTraining::LiveTraining(std::vector<LiveArm> arms, std::vector<std::uint64_t> seeds,
                           const LiveOptions& options, std::function<void()> news)
    : state_(std::make_unique<State>(arms.size() * seeds.size(), options)) {
    state_->news = std::move(news);
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
        for (const std::uint64_t seed : seeds) {
            auto job = std::make_unique<Job>();
            job->index = static_cast<int>(state_->jobs.size());
            job->name = arms[arm].name;
            job->recipe = seeded(arms[arm].recipe, seed);
            if (auto* tokens = std::get_if<Recipe>(&job->recipe)) tokens->settings.seconds = 0;
            job->shown.arm = static_cast<int>(arm);
            job->shown.seed = seed;
            job->shown.steps = stepsOf(job->recipe);
            job->backend = options.backend;
            state_->jobs.push_back(std::move(job));
        }
    }
    for (int i = 0; i < std::max(1, options.workers); ++i)
        state_->workers.emplace_back([state = state_.get()] { state->serve(); });
}

LiveTraining::~LiveTraining() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
    }
    state_->changed.notify_all();
    for (std::thread& worker : state_->workers) worker.join();
}

int LiveTraining::runCount() const {
    return static_cast<int>(state_->jobs.size());
}

void LiveTraining::start() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->running = std::any_of(state_->jobs.begin(), state_->jobs.end(),
                                      [](const auto& job) { return !job->ended(); });
    }
    state_->changed.notify_all();
}

void LiveTraining::stop() {
    const std::lock_guard lock(state_->mutex);
    state_->running = false;
}

LivePicture LiveTraining::picture() const {
    const std::lock_guard lock(state_->mutex);
    LivePicture picture;
    picture.running = state_->running;
    for (const auto& job : state_->jobs) {
        picture.runs.push_back(job->shown);
        picture.runs.back().moments = state_->moments.steps(job->index);
    }
    picture.momentBytes = state_->moments.bytes();
    picture.momentLimit = state_->moments.limit();
    return picture;
}

void LiveTraining::watch(std::vector<int> runs) {
    const std::lock_guard lock(state_->mutex);
    for (const auto& job : state_->jobs)
        job->watched = std::find(runs.begin(), runs.end(), job->index) != runs.end();
}

std::shared_ptr<const Model> LiveTraining::latest(int run) const {
    const std::lock_guard lock(state_->mutex);
    return state_->job(run).latest;
}

Result<Moment> LiveTraining::State::find(int run, std::int64_t step) const {
    Moment moment = moments.at(run, step);
    if (!moment)
        return fail(Error::Kind::notFound, "training",
                    fmt::format("step {} of this run is not kept", step),
                    "choose one of the moments that are marked");
    return moment;
}

Result<Moment> LiveTraining::momentAt(int run, std::int64_t step) const {
    const std::lock_guard lock(state_->mutex);
    return state_->find(run, step);
}

Result<Model> LiveTraining::modelAt(int run, std::int64_t step) const {
    const auto moment = momentAt(run, step);
    if (!moment) return tl::unexpected(moment.error());
    auto model = (*moment)->model();
    if (model) model->name = fmt::format("{}, step {}", state_->job(run).name, step);
    return model;
}

Result<void> LiveTraining::rewind(int run, std::int64_t step) {
    const std::lock_guard lock(state_->mutex);
    const auto moment = state_->find(run, step);
    if (!moment) return tl::unexpected(moment.error());
    Job& job = state_->job(run);
    if (job.busy) {
        job.rewindTo = *moment;
        job.hurry = true;
    } else {
        state_->rewind(job, *moment);
    }
    return {};
}

void LiveTraining::finish() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] {
        const bool busy = std::any_of(state_->jobs.begin(), state_->jobs.end(),
                                      [](const auto& job) { return job->busy; });
        return !busy && !state_->running;
    });
}

Job* LiveTraining::State::next() {
    if (!running) return nullptr;
    Job* chosen = nullptr;
    for (const auto& job : jobs)
        if (!job->busy && !job->ended() && (!chosen || job->progress() < chosen->progress()))
            chosen = job.get();
    return chosen;
}

void LiveTraining::State::serve() {
    std::unique_lock lock(mutex);
    for (;;) {
        Job* job = nullptr;
        changed.wait(lock, [&] { return stopping || (job = next()) != nullptr; });
        if (stopping) return;
        job->busy = true;
        job->hurry = false;
        lock.unlock();
        Turn turn = take(*job);
        lock.lock();
        job->busy = false;
        if (Moment back = std::exchange(job->rewindTo, nullptr))
            rewind(*job, back);
        else
            merge(*job, std::move(turn));
        if (std::all_of(jobs.begin(), jobs.end(), [](const auto& one) { return one->ended(); }))
            running = false;
        changed.notify_all();
        lock.unlock();
        news();
        lock.lock();
    }
}

Result<void> LiveTraining::State::prepare(Job& job, Turn& turn) const {
    if (job.run) return {};
    auto made =
        job.from ? resumeLearning(*job.from, job.backend) : startLearning(job.recipe, job.backend);
    if (!made) return tl::unexpected(made.error());
    job.run = std::move(*made);
    if (!job.from) turn.moments.push_back(std::make_shared<LearningMoment>(job.run->moment()));
    job.nextMoment = (job.from ? job.from->step() : 0) + job.spacing(options.momentsPerRun);
    job.lossSum = 0;
    job.lossCount = 0;
    return {};
}

Turn LiveTraining::State::take(Job& job) const {
    Turn turn;
    const auto done = guarded([&] { return advance(job, turn); });
    if (done) return turn;
    if (isDevice(job.backend) && mayBeOfDevice(done.error()))
        turn.deviceFailed = done.error();
    else
        turn.problem = done.error().sentence();
    return turn;
}

Result<void> LiveTraining::State::advance(Job& job, Turn& turn) const {
    if (auto ready = prepare(job, turn); !ready) return ready;
    const auto until = Clock::now() + std::chrono::duration<double>(options.sliceSeconds);
    const std::int64_t spacing = job.spacing(pointsPerRun);
    bool stepped = false;
    LearningRun::Events events;
    events.cancelled = [&] {
        return stepped && (stopping || !running || job.hurry || Clock::now() >= until);
    };
    events.stepped = [&](std::int64_t step, double loss, double cpuSeconds) {
        stepped = true;
        job.lossSum += loss;
        ++job.lossCount;
        if (step % spacing != 0) return;
        turn.losses.push_back({step, cpuSeconds, job.lossSum / static_cast<double>(job.lossCount)});
        job.lossSum = 0;
        job.lossCount = 0;
    };
    events.scored = [&](const ScorePoint& score) { turn.scores.push_back(score); };
    const auto end = job.run->run(events);
    turn.step = job.run->step();
    turn.steps = job.run->steps();
    turn.restarts = job.run->restarts();
    turn.seconds = job.run->cpuSeconds();
    if (!end) return tl::unexpected(end.error());
    if (*end != TrainingEnd::interrupted) turn.end = *end;
    turn.outcome = job.run->outcome();
    if (turn.step >= job.nextMoment || turn.end) {
        turn.moments.push_back(std::make_shared<LearningMoment>(job.run->moment()));
        job.nextMoment = turn.step + job.spacing(options.momentsPerRun);
    }
    if (job.watched) turn.model = named(job.run->model(), job.name);
    return {};
}

/// From the last moment, or from the beginning: what the device had done since is lost with it.
void LiveTraining::State::goOnOnCpu(Job& job, const Error& why) {
    job.backend = "cpu";
    if (job.last) {
        rewind(job, job.last);
    } else {
        job.run.reset();
        job.shown.state = RunState::running;
    }
    job.shown.notice = fmt::format("{} It goes on from step {}.", goesOnOnCpu(why), job.shown.step);
}

void LiveTraining::State::merge(Job& job, Turn turn) {
    LiveRun& shown = job.shown;
    LearningCurve& curve = shown.curve;
    curve.losses.insert(curve.losses.end(), turn.losses.begin(), turn.losses.end());
    curve.scores.insert(curve.scores.end(), turn.scores.begin(), turn.scores.end());
    for (Moment& moment : turn.moments) {
        job.last = moment;
        moments.keep(job.index, std::move(moment));
    }
    if (turn.deviceFailed) return goOnOnCpu(job, *turn.deviceFailed);
    if (turn.model) job.latest = std::move(turn.model);
    shown.step = turn.step;
    if (turn.steps > 0) shown.steps = turn.steps;
    shown.restarts = turn.restarts;
    shown.seconds = turn.seconds;
    if (turn.outcome) shown.outcome = turn.outcome;
    shown.state = RunState::running;
    if (!turn.problem.empty()) {
        shown.state = RunState::failed;
        shown.problem = std::move(turn.problem);
    } else if (turn.end) {
        shown.state =
            *turn.end == TrainingEnd::goalReached ? RunState::goalReached : RunState::finished;
    }
}

void LiveTraining::State::rewind(Job& job, const Moment& moment) {
    LiveRun& shown = job.shown;
    moments.rewindTo(job.index, moment->step());
    job.from = job.last = moment;
    job.run.reset();
    shown.step = moment->step();
    shown.seconds = moment->cpuSeconds();
    shown.curve.rewindTo(shown.step);
    shown.state = RunState::running;
    shown.problem.clear();
    shown.outcome.reset();
    if (auto model = moment->model()) job.latest = named(std::move(*model), job.name);
}

}  // namespace headloom
