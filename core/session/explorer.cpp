#include "core/session/explorer.h"

#include "core/models/guarded.h"
#include "core/session/chosen_backend.h"
#include "core/session/layer_summaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace headloom {

struct Explorer::State {
    struct Numbered {
        std::uint64_t number = 0;
        ExploreRequest request;
    };

    std::function<void(std::shared_ptr<const ExploreResult>)> answer;
    std::function<void(std::shared_ptr<const OverviewPart>)> part;
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Numbered> waiting;
    bool running = false;
    bool stop = false;
    /// Number of the newest request, or one above it once the explorer ends: whatever is below it
    /// is stale. Read without the lock while a request runs.
    std::atomic<std::uint64_t> newest{0};
    std::atomic<double> progress{0};
    std::thread worker;

    // Of the worker alone.
    ChosenBackend chosen;

    void serve();
    void explore(const Numbered& numbered);
    void sumUp(const Numbered& numbered, const ExploreResult& result);
};

Explorer::Explorer(std::function<void(std::shared_ptr<const ExploreResult>)> answer,
                   std::function<void(std::shared_ptr<const OverviewPart>)> part)
    : state_(std::make_unique<State>()) {
    state_->answer = std::move(answer);
    state_->part = std::move(part);
    state_->worker = std::thread([state = state_.get()] { state->serve(); });
}

Explorer::~Explorer() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stop = true;
        state_->waiting.reset();
        ++state_->newest;
    }
    state_->changed.notify_all();
    state_->worker.join();
}

std::uint64_t Explorer::submit(ExploreRequest request) {
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(state_->mutex);
        number = ++state_->newest;
        state_->waiting = State::Numbered{number, std::move(request)};
    }
    state_->changed.notify_all();
    return number;
}

void Explorer::cancel() {
    const std::lock_guard lock(state_->mutex);
    state_->waiting.reset();
    ++state_->newest;
}

double Explorer::progress() const {
    return state_->progress;
}

void Explorer::finish() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return !state_->waiting && !state_->running; });
}

void Explorer::State::serve() {
    std::unique_lock lock(mutex);
    for (;;) {
        changed.wait(lock, [this] { return stop || waiting; });
        if (stop) return;
        const Numbered numbered = std::move(*waiting);
        waiting.reset();
        running = true;
        lock.unlock();
        explore(numbered);
        lock.lock();
        running = false;
        changed.notify_all();
    }
}

void Explorer::State::explore(const Numbered& numbered) {
    const auto stale = [this, &numbered] { return newest.load() != numbered.number; };
    auto result = std::make_shared<ExploreResult>();
    result->number = numbered.number;
    const int sides = std::max(1, int{numbered.request.left.model != nullptr} +
                                      int{numbered.request.right.model != nullptr});
    progress = 0;
    const auto run = [&](ChainRequest request, std::shared_ptr<const ChainRun>& out) {
        if (!request.model || stale()) return;
        request.progress = [this, sides, before = progress.load()](double share) {
            progress = before + share / sides;
        };
        request.cancelled = [stale, asked = request.cancelled] {
            return stale() || (asked && asked());
        };
        auto made = chosen.run([&](Backend& backend) { return runChain(request, backend); });
        if (made)
            out = std::make_shared<const ChainRun>(std::move(*made));
        else
            result->errors.push_back(made.error());
    };
    try {
        if (auto opened = chosen.choose(numbered.request.backend, numbered.request.threads,
                                        numbered.request.choice);
            !opened) {
            result->errors.push_back(opened.error());
        } else {
            run(numbered.request.left, result->left);
            run(numbered.request.right, result->right);
            result->device = chosen.backend().info();
            result->fellBack = chosen.takeFellBack();
        }
    } catch (const std::exception& failure) {
        result->errors.push_back(
            {Error::Kind::unsupported, {}, failure.what(), "please report this"});
    }
    if (stale()) return;
    answer(result);
    sumUp(numbered, *result);
}

void Explorer::State::sumUp(const Numbered& numbered, const ExploreResult& result) {
    const auto stale = [this, &numbered] { return newest.load() != numbered.number; };
    for (int side = 0; side < 2; ++side) {
        const auto& run = side == 0 ? result.left : result.right;
        const int from = numbered.request.overviewFrom[side];
        if (!run || from < 0) continue;
        const auto layers = static_cast<int>(run->trace.layers.size());
        for (int layer = from; layer < layers; ++layer) {
            auto heads = chosen.run([&](Backend& backend) {
                return guarded([&] { return layerSummaries(*run, layer, backend, stale); });
            });
            if (!heads || stale()) return;  // what fails here fails for the maps as well
            auto made = std::make_shared<OverviewPart>();
            made->number = numbered.number;
            made->side = side;
            made->layer = layer;
            made->heads = std::move(*heads);
            part(std::move(made));
        }
    }
}

}  // namespace headloom
