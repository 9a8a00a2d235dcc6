#include "core/session/chain_writing.h"

#include "core/models/batch.h"
#include "core/session/donor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace headloom {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// What the next token is chosen from: the largest logits and their tokens, as many as the sampling
/// asks for, or the logits of all tokens and no ids.
struct Choices {
    std::vector<float> logits;
    std::vector<std::int32_t> ids;

    int choose(const SamplingParams& sampling, Rng& random) const {
        const int at = chooseToken(logits, sampling, random);
        return ids.empty() ? at : ids[static_cast<std::size_t>(at)];
    }
};

template <class T>
std::vector<T> numbersOf(const Tensor& tensor, Backend& backend) {
    const Tensor host = onHost(tensor, backend);
    return {host.values<T>().begin(), host.values<T>().end()};
}

/// How much of the writing is done, in tokens that were fed.
class Fed {
  public:
    /// `steps` are those after the prompt; without a cache each feeds all tokens before it.
    Fed(const std::function<void(double)>& progress, int prompt, int steps, bool cached)
        : progress_(progress),
          all_(prompt + (cached ? steps : steps * (prompt + (steps + 1) / 2.0))) {}

    /// A share of so many tokens, of which nothing is counted yet.
    void say(double tokens, double share) const {
        if (progress_) progress_(std::min(1.0, (done_ + tokens * share) / all_));
    }
    void count(double tokens) {
        done_ += tokens;
        say(0, 0);
    }

  private:
    const std::function<void(double)>& progress_;
    double all_, done_ = 0;
};

/// The choices after the last row, having fed `tokens` to the cache; without a cache they are all
/// there is.
Result<Choices> feed(const std::vector<int>& tokens, const Decoder& decoder, KvCache* cache,
                     const ChainRequest& request, Backend& backend, const Fed& fed) {
    ForwardOptions options;
    options.captureMaps = options.keepActivations = false;
    options.cache = cache;
    options.cancelled = request.cancelled;
    const auto rows = static_cast<int>(tokens.size());
    if (rows > 1)
        options.eachLayer = [&](int layer, const LayerTrace&) {
            fed.say(rows, (layer + 1.0) / decoder.config().nLayers());
        };
    if (!cache) {
        const auto ablation =
            withDonor(request.ablation, rows, request.model, backend, request.cancelled);
        if (!ablation) return tl::unexpected(ablation.error());
        options.changes = layerChanges(*ablation, request.model->config, rows);
    }
    const SamplingParams& sampling = request.sampling;
    const std::int64_t all = decoder.config().nClasses(),
                       wanted = sampling.temperature <= 0 ? 1 : sampling.topK;
    const bool some = wanted > 0 && wanted < all;
    const Tensor ids = pinned(idsOf(request.model->vocabulary, {tokens}), backend);
    Tensor logits, places;
    if (some) {
        logits = backend.allocate({1, wanted}, DType::f32);
        places = backend.allocate({1, wanted}, DType::i32);
    }
    Result<ActivationTrace> trace;
    const auto step = [&] {
        trace = decoder.forward(ids, options);
        if (!trace) return;
        const Tensor last = trace->logits.at(0).slice(rows - 1, 1);
        if (some)
            backend.topK(last, logits, places);
        else
            logits = last;
    };
    if (cache && rows == 1 && decoder.queuesAll())
        backend.together(step);
    else
        step();
    if (!trace) return tl::unexpected(trace.error());
    Choices choices{numbersOf<float>(logits, backend), {}};
    if (some) choices.ids = numbersOf<std::int32_t>(places, backend);
    return choices;
}

}  // namespace

Result<void> writeOn(const ChainRequest& request, const Decoder& decoder, Backend& backend,
                     ChainRun& run, const std::function<void(double)>& progress) {
    const ModelConfig& config = decoder.config();
    int steps = request.maxSteps;
    if (steps == 0 && request.truth)
        steps = static_cast<int>(request.truth->tokens.size()) - run.promptLength;
    if (steps <= 0) return {};
    if (config.nSlots > 1)
        return fail(Error::Kind::unsupported, "model",
                    fmt::format("it reads out {} answers at every token, so it writes no chain",
                                config.nSlots),
                    "let it read the given tokens instead");
    const auto room = static_cast<std::int64_t>(request.prompt.size()) + steps;
    auto cache = KvCache::make(config, backend, room);
    if (!cache) return tl::unexpected(cache.error());

    Rng random(request.seed);
    std::vector<int> next = request.prompt;
    KvCache* const kept = request.ablation.empty() ? &*cache : nullptr;
    std::vector<double> times;
    Fed fed(progress, static_cast<int>(request.prompt.size()), steps - 1, kept != nullptr);
    // The last token is chosen and not fed, so one step goes beyond the context.
    while (steps-- > 0 && static_cast<int>(run.tokens.size()) <= config.nCtx) {
        const auto start = Clock::now();
        const auto choices = feed(next, decoder, kept, request, backend, fed);
        if (!choices) return tl::unexpected(choices.error());
        fed.count(static_cast<double>(next.size()));
        if (run.tokens.size() > request.prompt.size())
            times.push_back(millisecondsSince(start));  // the first step reads the whole prompt
        const int token = choices->choose(request.sampling, random);
        run.tokens.push_back(token);
        if (token == run.model->vocabulary.endToken()) break;
        next = kept ? std::vector{token} : run.tokens;
    }
    if (!times.empty()) {
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        run.stepMilliseconds = *middle;
    }
    return {};
}

}  // namespace headloom
