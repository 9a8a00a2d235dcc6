#include "core/session/evaluate.h"

#include "core/models/decoder.h"
#include "core/models/guarded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace headloom {

namespace {

constexpr int chunkSize = 50;  // enough to fill a core, few enough that activations stay in cache

/// The largest of V logits, the lowest id on a tie; as chooseToken does when greedy.
int mostProbable(const float* logits, std::int64_t nClasses) {
    return static_cast<int>(std::max_element(logits, logits + nClasses) - logits);
}

Result<Tensor> logitsOf(const Decoder& decoder, const Tensor& ids, Backend& backend,
                        ActivationTrace& trace) {
    ForwardOptions options;
    options.captureMaps = options.keepActivations = false;
    auto made = decoder.forward(ids, options);
    if (!made) return tl::unexpected(made.error());
    trace = std::move(*made);
    return onHost(trace.logits, backend);
}

}  // namespace

Result<void> checkFits(const TaskInfo& task, const ModelConfig& config) {
    const int classes = task.nClasses > 0 ? task.nClasses : task.vocabulary.size();
    if (config.dVocab == task.vocabulary.size() && config.nClasses() == classes &&
        config.nSlots == task.nSlots && config.nCtx >= task.inputLength)
        return {};
    return fail(Error::Kind::badInput, "model",
                fmt::format("{} tokens, {} output slots of {} and a context of {} do not fit the "
                            "task {}",
                            config.dVocab, config.nSlots, config.nClasses(), config.nCtx, task.id),
                "evaluate a model on the task it was trained on");
}

Evaluator::Evaluator(const Task& task, int examples, std::vector<std::unique_ptr<Backend>> backends)
    : info_(task.info()),
      examples_(examples),
      backends_(std::move(backends)),
      pool_(static_cast<int>(backends_.size())) {
    for (int first = 0; first < examples; first += chunkSize) {
        const int count = std::min(chunkSize, examples - first);
        Chunk chunk;
        chunk.batch =
            makeBatch(task, Split::heldOut, heldOutSeed, static_cast<std::uint64_t>(first), count);
        for (int i = first; info_.generated && i < first + count; ++i) {
            const Example example =
                task.example(Split::heldOut, heldOutSeed, static_cast<std::uint64_t>(i));
            chunk.promptLength = example.promptLength;
            chunk.truth.emplace_back(example.tokens.begin() + example.promptLength,
                                     example.tokens.end());
        }
        chunks_.push_back(std::move(chunk));
    }
}

Result<std::unique_ptr<Evaluator>> Evaluator::make(const Task& task, int examples,
                                                   const std::string& backend, int threads) {
    if (examples < 1)
        return fail(Error::Kind::badInput, "examples", "there must be at least one example",
                    "give a number from 1 up");
    std::vector<std::unique_ptr<Backend>> backends;
    int wanted = std::max(1, threads);
    for (int i = 0; i < wanted; ++i) {
        auto made = makeBackend(backend, 1);
        if (!made) return tl::unexpected(made.error());
        // a device is busy with one, and would hold the weights once for each
        if (!(*made)->info().isHost) wanted = 1;
        backends.push_back(std::move(*made));
    }
    return std::unique_ptr<Evaluator>(new Evaluator(task, examples, std::move(backends)));
}

Result<Evaluator::Tally> Evaluator::score(const Chunk& chunk, const ModelConfig& config,
                                          const Weights& weights, bool freeRunning,
                                          Backend& backend) const {
    const Decoder decoder(config, place(weights, backend), backend);
    ActivationTrace trace;
    const auto logits = logitsOf(decoder, chunk.batch.ids, backend, trace);
    if (!logits) return tl::unexpected(logits.error());
    const auto loss = decoder.loss(trace, chunk.batch.targets, 1.0);
    if (!loss) return tl::unexpected(loss.error());

    Tally tally;
    tally.loss = *loss;
    const std::int64_t examples = chunk.batch.ids.size(0), rows = chunk.batch.ids.size(1),
                       slots = config.nSlots, nClasses = config.nClasses();
    const float* logit = logits->data<float>();
    const std::int32_t* target = chunk.batch.targets.data<std::int32_t>();
    for (std::int64_t b = 0; b < examples; ++b) {
        bool chainRight = true;
        for (std::int64_t row = 0; row < rows; ++row) {
            bool rowRight = true, counts = false;
            for (std::int64_t slot = 0; slot < slots; ++slot, logit += nClasses, ++target) {
                if (*target < 0) continue;
                const bool right = mostProbable(logit, nClasses) == *target;
                counts = true;
                rowRight = rowRight && right;
                ++tally.predictions;
                tally.right += right;
            }
            chainRight = chainRight && rowRight;
            if (!counts || !info_.exactRows) continue;
            ++tally.units;
            tally.whole += rowRight;
        }
        if (info_.exactRows) continue;
        ++tally.units;
        tally.whole += chainRight;
    }
    if (!freeRunning || !info_.generated) return tally;

    assert(chunk.batch.ids.shape().rank() == 2);  // TaskInfo::vocabulary
    // Without a cache: all examples of the chunk go on together, each row of logits is the last.
    const auto steps = static_cast<std::int64_t>(chunk.truth.front().size());
    std::vector<char> right(static_cast<std::size_t>(examples), 1);
    std::vector<std::vector<std::int32_t>> written(static_cast<std::size_t>(examples));
    for (std::int64_t step = 0; step < steps; ++step) {
        const std::int64_t length = chunk.promptLength + step;
        const Tensor ids = Tensor::host({examples, length}, DType::i32);
        for (std::int64_t b = 0; b < examples; ++b) {
            std::int32_t* row = ids.data<std::int32_t>() + b * length;
            row = std::copy_n(chunk.batch.ids.data<std::int32_t>() + b * rows, chunk.promptLength,
                              row);
            std::copy_n(written[static_cast<std::size_t>(b)].begin(), step, row);
        }
        const auto next = logitsOf(decoder, ids, backend, trace);
        if (!next) return tl::unexpected(next.error());
        for (std::int64_t b = 0; b < examples; ++b) {
            const auto at = static_cast<std::size_t>(b);
            const int token =
                mostProbable(next->data<float>() + ((b + 1) * length - 1) * nClasses, nClasses);
            const bool same = token == chunk.truth[at][static_cast<std::size_t>(step)];
            written[at].push_back(token);
            tally.freeRight += same;
            right[at] = right[at] && same;
        }
    }
    tally.freeWhole = std::count(right.begin(), right.end(), 1);
    return tally;
}

Result<Evaluation> Evaluator::evaluate(const ModelConfig& config, const Weights& weights,
                                       bool freeRunning) {
    if (auto fine = checkFits(info_, config); !fine) return tl::unexpected(fine.error());
    std::vector<Result<Tally>> tallies(chunks_.size(), Tally{});
    pool_.run(static_cast<int>(chunks_.size()), [&](int i, int worker) {
        const auto at = static_cast<std::size_t>(i);
        tallies[at] = guarded([&] {
            return score(chunks_[at], config, weights, freeRunning,
                         *backends_[static_cast<std::size_t>(worker)]);
        });
    });
    Tally sum;
    for (const Result<Tally>& tally : tallies) {
        if (!tally) return tl::unexpected(tally.error());
        sum.loss += tally->loss;
        sum.right += tally->right;
        sum.predictions += tally->predictions;
        sum.whole += tally->whole;
        sum.units += tally->units;
        sum.freeRight += tally->freeRight;
        sum.freeWhole += tally->freeWhole;
    }
    const auto share = [](std::int64_t part, std::int64_t all) {
        return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(all, 1));
    };
    Evaluation evaluation;
    evaluation.examples = examples_;
    evaluation.loss = sum.loss / static_cast<double>(std::max<std::int64_t>(sum.predictions, 1));
    evaluation.teacherForced = {share(sum.right, sum.predictions), share(sum.whole, sum.units)};
    if (freeRunning && info_.generated)
        evaluation.freeRunning = {share(sum.freeRight, sum.predictions),
                                  share(sum.freeWhole, sum.units)};
    return evaluation;
}

}  // namespace headloom
