#include "core/session/many_prompts.h"

#include "core/base/thread_pool.h"
#include "core/models/guarded.h"
#include "core/session/chosen_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <map>
#include <mutex>

namespace headloom {

namespace {

using Numbers = std::vector<double>;  // of all tables, cell by cell

/// The model as it is read, with the weights that are switched off, and what else is.
Result<ChainRequest> changedRequest(const ManyPromptsRequest& request) {
    ChainRequest changed;
    changed.model = request.model;
    changed.maps = changed.activations = false;
    changed.cancelled = request.cancelled;
    Ablation weights;
    for (const Cut& cut : request.cuts)
        (cut.part.kind == ModelPart::Kind::weight ? weights : changed.ablation).cuts.push_back(cut);
    if (weights.empty()) return changed;
    if (auto fine = checkAblation(weights, request.model->config, request.model->config.nCtx);
        !fine)
        return tl::unexpected(fine.error());
    auto model = std::make_shared<Model>(*request.model);
    model->weights = withoutWeights(weights, request.model->weights);
    changed.model = std::move(model);
    return changed;
}

Result<Numbers> answersTo(const ManyPromptsRequest& request, ChainRequest chain, NamedPrompt prompt,
                          Backend& backend) {
    chain.prompt = std::move(prompt.tokens);
    chain.truth = std::move(prompt.truth);
    Numbers all;
    auto made = runChain(chain, backend);
    if (!made) return tl::unexpected(made.error());
    const auto run = std::make_shared<const ChainRun>(std::move(*made));
    for (const auto& question : request.questions) {
        const auto numbers = question->answer(run, backend, request.cancelled);
        if (!numbers) return tl::unexpected(numbers.error());
        all.insert(all.end(), numbers->begin(), numbers->end());
    }
    return all;
}

/// Adds answers up in the order of their prompts, whichever comes first.
class Sum {
  public:
    Sum(const ManyPromptsRequest& request) : request_(&request) {
        averages_.asked = request.prompts.count();
        for (const auto& question : request.questions)
            for (AveragedTable& table : question->tables()) {
                table.cells.resize(table.lines.size() * table.columns.size());
                averages_.tables.push_back(std::move(table));
            }
    }

    /// Nothing after the first error is needed.
    bool ended() const { return ended_; }

    void take(int index, Result<Numbers> numbers) {
        const std::lock_guard lock(mutex_);
        early_.emplace(index, std::move(numbers));
        while (!ended_ && !early_.empty() && early_.begin()->first == averages_.done) {
            add(early_.begin()->second);
            early_.erase(early_.begin());
        }
    }

    Result<ManyAverages> result() && {
        const bool stopped = error_ && error_->kind == Error::Kind::interrupted;
        if (error_ && !(stopped && averages_.done > 0)) return tl::unexpected(*error_);
        return std::move(averages_);
    }

  private:
    void add(const Result<Numbers>& numbers) {
        if (!numbers) {
            error_ = numbers.error();
            ended_ = true;
            return;
        }
        auto value = numbers->begin();
        for (AveragedTable& table : averages_.tables)
            for (Spread& cell : table.cells) cell.add(*value++);
        assert(value == numbers->end());
        ++averages_.done;
        if (request_->progress) request_->progress(averages_.done);
    }

    const ManyPromptsRequest* request_;
    std::mutex mutex_;
    std::map<int, Result<Numbers>> early_;  ///< those whose turn has not come
    ManyAverages averages_;
    std::optional<Error> error_;
    std::atomic<bool> ended_ = false;
};

}  // namespace

Result<ManyAverages> averageOver(const ManyPromptsRequest& request) {
    const int count = request.prompts.count();
    int wanted = std::clamp(request.threads, 1, std::max(count, 1));
    std::vector<ChosenBackend> backends;
    for (int i = 0; i < wanted; ++i) {
        if (auto made = backends.emplace_back().choose(request.backend, 1); !made)
            return tl::unexpected(made.error());
        // a device is busy with one, and would hold the weights once for each
        if (!backends.front().backend().info().isHost) wanted = 1;
    }
    return guarded([&]() -> Result<ManyAverages> {
        auto chain = changedRequest(request);
        if (!chain) return tl::unexpected(chain.error());
        for (const auto& question : request.questions) question->prepare(*chain);
        Sum sum(request);
        ThreadPool pool(static_cast<int>(backends.size()));
        pool.run(count, [&](int index, int worker) {
            if (sum.ended()) return;
            const NamedPrompt prompt = request.prompts.at(index);
            auto numbers = backends[static_cast<std::size_t>(worker)].run([&](Backend& backend) {
                return guarded([&]() -> Result<Numbers> {
                    if (request.cancelled && request.cancelled())
                        return fail(Error::Kind::interrupted, {}, "stopped");
                    return answersTo(request, *chain, prompt, backend);
                });
            });
            if (!numbers && numbers.error().kind != Error::Kind::interrupted)
                numbers.error().where = fmt::format("{}, {}", prompt.name, numbers.error().where);
            sum.take(index, std::move(numbers));
        });
        auto averages = std::move(sum).result();
        for (ChosenBackend& backend : backends)
            if (auto why = backend.takeFellBack(); why && averages) averages->fellBack = why;
        return averages;
    });
}

}  // namespace headloom
