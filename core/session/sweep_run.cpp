#include "core/session/sweep_run.h"

#include "core/session/training_run.h"

namespace headloom {

namespace {

/// True for what would happen again on any machine at any time.
bool isOfTheTraining(const Error& error) {
    return error.kind == Error::Kind::badInput || error.kind == Error::Kind::unsupported;
}

/// The run that somebody began, if its checkpoint can be read and is of this recipe; else a new
/// one.
Result<std::unique_ptr<TrainingRun>> begin(const SweepJob& job, const SweepFolder& folder,
                                           const SweepOptions& options) {
    if (folder.begun(job))
        if (const auto checkpoint = loadCheckpoint(folder.checkpointFile(job));
            checkpoint && toJson(checkpoint->recipe) == toJson(job.recipe))
            return TrainingRun::resume(*checkpoint, options.backend, checkpoint->threads);
    return TrainingRun::start(job.recipe, options.backend, options.threads);
}

}  // namespace

Result<SweepResult> runSweepJob(const SweepJob& job, const SweepFolder& folder,
                                const SweepOptions& options) {
    const auto run = begin(job, folder, options);
    if (!run) return tl::unexpected(run.error());
    // From now on others see that someone is at it; and a folder that cannot be written says so
    // before the training, not after.
    const auto save = [&](const Checkpoint& checkpoint) -> Result<void> {
        return saveCheckpoint(folder.checkpointFile(job), checkpoint);
    };
    if (auto saved = save((*run)->checkpoint()); !saved) return tl::unexpected(saved.error());
    TrainingCallbacks callbacks;
    callbacks.cancelled = options.cancelled;
    callbacks.save = save;
    callbacks.saveEvery = options.saveEvery;
    SweepResult result;
    const auto end = (*run)->run(callbacks);
    if (end && *end == TrainingEnd::interrupted) {
        const Checkpoint checkpoint = (*run)->checkpoint();
        if (auto saved = save(checkpoint); !saved) return tl::unexpected(saved.error());
        return fail(Error::Kind::interrupted, job.name(),
                    "stopped after step " + std::to_string(checkpoint.state.step) + " and saved",
                    "run the sweep again to go on");
    }
    if (!end && !isOfTheTraining(end.error())) return tl::unexpected(end.error());
    if (!end) result.problem = end.error().sentence();
    result.recipe = (*run)->recipe();
    result.goalReached = end && *end == TrainingEnd::goalReached;
    result.parameters = (*run)->model().weights.parameterCount();
    if (auto saved = folder.save(job, result); !saved) return tl::unexpected(saved.error());
    return result;
}

const SweepJob* nextSweepJob(const std::vector<SweepJob>& jobs, const SweepFolder& folder) {
    const SweepJob* left = nullptr;
    for (const SweepJob& job : jobs) {
        if (folder.done(job)) continue;
        if (!folder.begun(job)) return &job;
        if (!left) left = &job;
    }
    return left;
}

}  // namespace headloom
