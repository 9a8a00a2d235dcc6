#include "views/viewmodels/theory_filter_model.h"

#include "core/session/verdict.h"

#include <QMetaObject>

#include <algorithm>

namespace headloom {

TheoryFilterModel::TheoryFilterModel(QObject* parent) : QObject(parent) {
    connect(&job_, &LatestJob::busyChanged, this, &TheoryFilterModel::changed);
}

void TheoryFilterModel::setAsked(const FilterAsked& asked) {
    if (asked == asked_) return;
    asked_ = asked;
    ++training_;
    runs_.clear();
    job_.cancel();
    emit changed();
}

Result<FilterRecipe> TheoryFilterModel::recipe(bool interleaved) const {
    const auto graph = filterGraphFrom(asked_.graph.toStdString());
    if (!graph)
        return fail(Error::Kind::unsupported, "training", "has no such graph",
                    "choose one of the named graphs");
    FilterRecipe made;
    made.graph = *graph;
    made.config.order = asked_.size.nFilters;
    made.config.nNodes = asked_.size.nNodes;
    made.config.dNode = asked_.size.dNode;
    made.config.nHeads = asked_.heads;
    made.restarts = restarts;
    if (interleaved) {
        made.config.kind = AttentionKind::iha;
        made.config.nPseudo = std::max(2, asked_.heads);
    }
    if (auto fine = validate(made); !fine) return tl::unexpected(fine.error());
    return made;
}

QString TheoryFilterModel::problem() const {
    for (const bool interleaved : {false, true})
        if (const auto made = recipe(interleaved); !made)
            return QString::fromStdString(made.error().sentence());
    return {};
}

template <class Take>
void TheoryFilterModel::post(std::uint64_t training, Take take) {
    QMetaObject::invokeMethod(
        this,
        [this, training, take = std::move(take)] {
            if (training == training_) take();
        },
        Qt::QueuedConnection);
}

void TheoryFilterModel::train() {
    const auto mha = recipe(false), iha = recipe(true);
    if (!mha || !iha) return void(emit failed(problem()));
    runs_.clear();
    job_.start([this, training = ++training_, mha = *mha,
                iha = *iha](const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        trainAll(training, {mha, iha}, cancelled);
        return {};
    });
    emit changed();
}

void TheoryFilterModel::trainAll(std::uint64_t training, const FilterRecipe (&recipes)[2],
                                 const LatestJob::Cancelled& cancelled) {
    post(training, [this, floor = mhaFloor(recipes[0])] { floor_ = floor; });
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
        for (FilterRecipe recipe : recipes) {
            recipe.seed = seed;
            const bool interleaved = recipe.config.kind == AttentionKind::iha;
            const auto tell = [&](const FilterProgress& now, bool isNew, bool ended) {
                post(training,
                     [this, run = Run{interleaved, now, ended}, isNew] { take(run, isNew); });
            };
            const auto run = FilterRun::start(recipe, "cpu");
            FilterProgress now;
            now.steps = recipe.steps;
            now.seed = seed;
            now.relativeError = 1;
            tell(now, true, false);
            FilterCallbacks callbacks;
            callbacks.cancelled = cancelled;
            callbacks.progress = callbacks.restarted = [&](const FilterProgress& news) {
                now = news;
                tell(now, false, false);
            };
            const auto result =
                run ? (*run)->run(callbacks) : Result<FilterResult>(tl::unexpected(run.error()));
            if (!result) {
                if (result.error().kind != Error::Kind::interrupted)
                    post(training, [this, error = result.error()] {
                        emit failed(QString::fromStdString(error.sentence()));
                    });
                return;
            }
            now.relativeError = result->relativeError;
            now.cpuSeconds = result->cpuSeconds;
            tell(now, false, true);
        }
}

void TheoryFilterModel::take(const Run& run, bool isNew) {
    if (isNew)
        runs_.push_back(run);
    else
        runs_.back() = run;
    emit changed();
}

void TheoryFilterModel::stop() {
    ++training_;
    job_.cancel();
}

std::vector<double> TheoryFilterModel::errors(bool interleaved) const {
    std::vector<double> errors;
    for (const Run& run : runs_)
        if (run.interleaved == interleaved) errors.push_back(run.now.relativeError);
    return errors;
}

QString TheoryFilterModel::verdict() const {
    std::vector<ArmResult> arms;
    for (const bool interleaved : {false, true}) {
        const auto made = recipe(interleaved);
        if (!made) return {};
        ArmResult arm{made->config.summary(), {}, {}};
        for (const Run& run : runs_) {
            if (run.interleaved != interleaved || !run.ended) continue;
            arm.scores.push_back(run.now.relativeError);
            arm.seconds.push_back(run.now.cpuSeconds);
        }
        arms.push_back(std::move(arm));
    }
    return QString::fromStdString(verdictOn(arms, ScoreMeaning::error));
}

}  // namespace headloom
