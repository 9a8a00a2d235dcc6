#include "app/cli/bench_cases.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "core/base/rng.h"
#include "core/models/decoder.h"
#include "core/models/guarded.h"
#include "core/train/trainer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace headloom::cli {

namespace {

struct BenchOptions {
    std::string mode = "all", filter;
    int repeat = 15;
    bool json = false;
    BackendOptions backend;
};

struct Measurement {
    std::string name;
    double milliseconds = 0;
};

using Piece = std::function<Result<void>()>;

/// Median of `repeat` runs after one that is not counted.
Result<double> median(int repeat, const Piece& work) {
    std::vector<double> samples;
    for (int i = 0; i <= repeat; ++i) {
        if (interrupted()) return fail(Error::Kind::interrupted, {}, "stopped");
        const auto start = std::chrono::steady_clock::now();
        if (auto done = work(); !done) return tl::unexpected(done.error());
        const auto end = std::chrono::steady_clock::now();
        if (i > 0)
            samples.push_back(std::chrono::duration<double, std::milli>(end - start).count());
    }
    std::sort(samples.begin(), samples.end());
    const std::size_t half = samples.size() / 2;
    return samples.size() % 2 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

Tensor randomIds(std::int64_t batch, const BenchCase& size) {
    Rng random(1);
    std::vector<std::int32_t> ids(static_cast<std::size_t>(batch * size.tokens));
    for (std::int32_t& id : ids)
        id = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(size.vocabulary)));
    return Tensor::of<std::int32_t>({batch, size.tokens}, ids);
}

Result<double> measureForward(const BenchCase& size, const BenchOptions& options) {
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    const ModelConfig config = size.config();
    const Decoder decoder(config, place(initialWeights(config, 0), **backend), **backend);
    const Tensor ids = randomIds(size.batch, size);
    ForwardOptions forward;
    forward.keepActivations = false;  // the maps of every layer are kept, nothing else is
    return median(options.repeat, [&]() -> Result<void> {
        const auto trace = decoder.forward(ids, forward);
        if (!trace) return tl::unexpected(trace.error());
        onHost(trace->logits, **backend);  // waits for a device that works on its own
        return {};
    });
}

/// The same tokens again and again, each to be answered by itself.
class FixedBatch : public BatchSource {
  public:
    explicit FixedBatch(const BenchCase& size) : ids_(randomIds(size.batch, size)) {}
    Batch batch(std::uint64_t first, std::int64_t count) const override {
        const std::int64_t from = static_cast<std::int64_t>(first) % ids_.size(0);
        const Tensor ids = ids_.slice(from, count);
        return {ids, ids.reshaped({count, ids.size(1), 1})};
    }

  private:
    Tensor ids_;
};

/// Forward, cross-entropy, backward and AdamW of the trainer itself, a shard a thread.
Result<double> measureTraining(const BenchCase& size, const BenchOptions& options) {
    const ModelConfig config = size.config();
    const FixedBatch source(size);
    TrainSettings settings;
    settings.batch = static_cast<int>(size.batch);
    settings.learningRate = 1e-3;
    settings.clipNorm = 0;
    const auto trainer = Trainer::make(config, settings, {initialWeights(config, 0), {}, {}, 0, 0},
                                       source, options.backend.name, *options.backend.threads);
    if (!trainer) return tl::unexpected(trainer.error());
    return median(options.repeat, [&]() -> Result<void> {
        const auto report = (*trainer)->step();
        if (!report) return tl::unexpected(report.error());
        return {};
    });
}

Result<void> measureAll(const char* mode, const std::vector<BenchCase>& cases,
                        Result<double> (*measure)(const BenchCase&, const BenchOptions&),
                        const BenchOptions& options, std::vector<Measurement>& measured) {
    if (options.mode != "all" && options.mode != mode) return {};
    for (const BenchCase& size : cases) {
        const std::string name = fmt::format("{}/{}", mode, size.name);
        if (name.find(options.filter) == std::string::npos) continue;
        const auto milliseconds = guarded([&] { return measure(size, options); });
        if (!milliseconds) return tl::unexpected(milliseconds.error());
        measured.push_back({name, *milliseconds});
        if (options.json) continue;
        fmt::print("{} {:.3f} ms\n", name, *milliseconds);
        std::fflush(stdout);
    }
    return {};
}

Result<ExitCode> bench(const BenchOptions& options) {
    if (options.repeat < 1)
        return fail(Error::Kind::badInput, "--repeat",
                    fmt::format("{} runs have no median", options.repeat), "use 1 or more");
    const auto backend = options.backend.open();
    if (!backend) return tl::unexpected(backend.error());
    std::vector<Measurement> measured;
    if (auto done = measureAll("forward", forwardCases(), measureForward, options, measured); !done)
        return tl::unexpected(done.error());
    if (auto done = measureAll("train", trainCases(), measureTraining, options, measured); !done)
        return tl::unexpected(done.error());
    if (measured.empty())
        return fail(Error::Kind::notFound, "--case",
                    fmt::format("no case is named like \"{}\"", options.filter),
                    "use a part of a name such as forward/iha-class");
    if (!options.json) return exitDone;
    const DeviceInfo device = (*backend)->info();
    nlohmann::ordered_json root = {{"backend", device.name},
                                   {"device", device.description},
                                   {"threads", *options.backend.threads},
                                   {"repeat", options.repeat},
                                   {"results", nlohmann::ordered_json::array()}};
    for (const Measurement& one : measured)
        root["results"].push_back({{"name", one.name}, {"ms", one.milliseconds}});
    fmt::print("{}\n", root.dump(1));
    return exitDone;
}

}  // namespace

void addBenchCommand(CLI::App& program, Work& work) {
    auto options = std::make_shared<BenchOptions>();
    options->backend.threads = 1;
    CLI::App* command =
        program.add_subcommand("bench", "Measure forward passes with maps, and training steps");
    command->add_option("MODE", options->mode, "forward, train or all (default all)")
        ->type_name("")
        ->check(CLI::IsMember({"forward", "train", "all"}));
    command
        ->add_option("--case", options->filter,
                     "only cases whose name contains this, as forward/iha")
        ->type_name("TEXT");
    command->add_option("--repeat", options->repeat, "runs to take the median of (default 15)")
        ->type_name("N");
    command->add_flag("--json", options->json, "print JSON");
    options->backend.addTo(*command, "threads to compute with (default 1)");
    command->footer(
        "One line a case: name and median milliseconds, random weights. A block is LayerNorm,\n"
        "attention (rotary positions, flat causal mask), residual, LayerNorm, GELU MLP of\n"
        "four times the width, residual. Forward keeps the maps of every layer; train is\n"
        "forward, cross-entropy, backward and one AdamW step.");
    command->callback([options, &work] { work = [options] { return bench(*options); }; });
}

}  // namespace headloom::cli
