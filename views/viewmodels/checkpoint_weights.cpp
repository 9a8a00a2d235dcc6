#include "views/viewmodels/checkpoint_weights.h"

#include "core/models/guarded.h"
#include "views/viewmodels/words.h"

#include <atomic>

namespace headloom {

namespace {
constexpr int progressBeatMs = 100;
}  // namespace

/// How far a load has come, written by the worker.
struct CheckpointWeights::Reached {
    std::atomic<std::uint64_t> done{0}, total{0};
};

CheckpointWeights::CheckpointWeights(QObject* parent) : QObject(parent) {
    beat_.setInterval(progressBeatMs);
    connect(&beat_, &QTimer::timeout, this, &CheckpointWeights::progressed);
    connect(&job_, &LatestJob::busyChanged, this, [this] {
        loading() ? beat_.start() : beat_.stop();
        emit progressed();
    });
}

CheckpointWeights::~CheckpointWeights() = default;

double CheckpointWeights::share() const {
    const std::uint64_t total = reached_ ? reached_->total.load() : 0;
    return total > 0 ? static_cast<double>(reached_->done.load()) / static_cast<double>(total) : 0;
}

void CheckpointWeights::load(const CheckpointShown& shown) {
    reached_ = std::make_shared<Reached>();
    job_.start([this, path = shown.path.toStdString(), order = shown.alphaOrder,
                reached = reached_](const auto& cancelled) -> LatestJob::Deliver {
        LoadOptions options = optionsFor(order);
        options.progress = [&](const LoadProgress& progress) {
            reached->done = progress.done;
            reached->total = progress.total;
            return !cancelled();
        };
        auto read = guarded([&] { return loadCheckpoint(path, options); });
        if (!read) return [this, sentence = sentenceOf(read.error())] { emit failed(sentence); };
        if (!read->model)
            return [this, sentence = QString::fromStdString(read->report.notRunnable)] {
                emit failed(sentence);
            };
        auto model = std::make_shared<const Model>(std::move(*read->model));
        return [this, model] { emit loaded(model); };
    });
}

}  // namespace headloom
