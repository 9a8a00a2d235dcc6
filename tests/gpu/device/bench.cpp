#include "tests/gpu/device/bench.h"

#include "app/cli/bench_cases.h"
#include "core/base/rng.h"
#include "core/models/guarded.h"
#include "tests/gpu/device/passes.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string_view>
#include <vector>

namespace headloom::device {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double quantile(std::vector<double> samples, double share) {
    std::sort(samples.begin(), samples.end());
    return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))];
}

struct Samples {
    std::vector<double> host, gpu;  ///< milliseconds
};

class Bench {
  public:
    Bench(Device& device, const BenchOptions& options)
        : backend_(*device.backend), tools_(device.tools.get()), options_(options) {}

    /// Goes on after what fails. False: something did.
    bool all() {
        for (const cli::BenchCase& size : chosen(cli::forwardCases())) {
            attempt(size.name, [&] { return forward(size, true); });
            attempt(size.name, [&] { return forward(size, false); });
            attempt(size.name, [&] { return decode(size); });
        }
        for (const cli::BenchCase& size : chosen(cli::trainCases()))
            attempt(size.name, [&] { return train(size); });
        if (!tools_) return done_;
        if (options_.small) {
            attempt("maps", [&] { return mapWriting("iha-small", 1, 4, 4, 64, 16); });
        } else {
            attempt("maps", [&] { return mapWriting("iha-class", 8, 8, 8, 128, 16); });
            attempt("maps", [&] { return mapWriting("mha-long", 8, 8, 1, 1024, 64); });
        }
        return done_;
    }

  private:
    using Piece = std::function<Result<void>()>;

    std::vector<cli::BenchCase> chosen(const std::vector<cli::BenchCase>& sizes) const {
        std::vector<cli::BenchCase> some;
        for (cli::BenchCase size : sizes) {
            if (options_.small && !std::string_view(size.name).ends_with("-small")) continue;
            if (options_.small) size.batch = 1;
            some.push_back(size);
        }
        return some;
    }

    template <class Work>
    void attempt(const char* name, Work work) {
        const auto done = guarded(work);
        if (done) return;
        std::printf("FAILED  bench %s: %s\n", name, done.error().sentence().c_str());
        done_ = false;
    }

    /// Two runs that do not count, then as many as fit: 5 to 500.
    Result<Samples> sample(const Piece& work) {
        Samples samples;
        const bool once = options_.seconds <= 0;
        const auto fits = [&, begin = Clock::now()](int runs) {
            return once ? runs < 1
                        : runs < 5 ||
                              (millisecondsSince(begin) < 1000 * options_.seconds && runs < 500);
        };
        for (int i = once ? 0 : -2; fits(i); ++i) {
            const Clock::time_point start = Clock::now();
            if (tools_) tools_->start();
            if (auto done = work(); !done) return tl::unexpected(done.error());
            const double gpu = tools_ ? tools_->stop() : 0;
            if (i < 0) continue;
            samples.host.push_back(millisecondsSince(start));
            if (tools_) samples.gpu.push_back(gpu);
        }
        return samples;
    }

    Result<void> measure(const std::string& name, const Piece& work) {
        const auto samples = sample(work);
        if (!samples) return tl::unexpected(samples.error());
        std::printf("bench\t%s\t%s\t%.3f\t%.3f\t%.3f", name.c_str(), backend_.info().name.c_str(),
                    quantile(samples->host, 0.5), quantile(samples->host, 0.25),
                    quantile(samples->host, 0.75));
        if (tools_) std::printf("\t%.3f", quantile(samples->gpu, 0.5));
        std::printf("\n");
        std::fflush(stdout);
        return {};
    }

    /// Logits come back to the host: what a user waits for.
    Result<void> forward(const cli::BenchCase& size, bool keepMaps) {
        const Decoder decoder = decoderOf(size);
        const Tensor ids = randomIds(size.batch, size.tokens, size.vocabulary);
        ForwardOptions options;
        options.keepActivations = false;
        options.captureMaps = keepMaps;
        return measure((keepMaps ? "forward/" : "forward, no maps/") + std::string(size.name),
                       [&]() -> Result<void> {
                           const auto trace = decoder.forward(ids, options);
                           if (!trace) return tl::unexpected(trace.error());
                           onHost(trace->logits, backend_);
                           return {};
                       });
    }

    Result<void> decode(const cli::BenchCase& size) {
        const Decoder decoder = decoderOf(size);
        auto cache = KvCache::make(decoder.config(), backend_);
        if (!cache) return tl::unexpected(cache.error());
        const Tensor prompt = randomIds(1, size.tokens / 2, size.vocabulary);
        ForwardOptions filling;
        filling.captureMaps = filling.keepActivations = false;
        filling.cache = &*cache;
        if (auto filled = decoder.forward(prompt, filling); !filled)
            return tl::unexpected(filled.error());
        const Tensor next = randomIds(1, 1, size.vocabulary);
        return measure(std::string("token/") + size.name, [&]() -> Result<void> {
            cache->truncate(prompt.count());
            const auto logits = decodeToken(decoder, next, *cache, backend_);
            if (!logits) return tl::unexpected(logits.error());
            return {};
        });
    }

    Result<void> train(const cli::BenchCase& size) {
        const ModelConfig config = size.config();
        TrainingStep step(config, ownCopy(initialWeights(config, 0), backend_), backend_);
        const Tensor ids = randomIds(size.batch, size.tokens, size.vocabulary);
        return measure(std::string("train/") + size.name, [&]() -> Result<void> {
            const auto loss = step(ids);
            if (!loss) return tl::unexpected(loss.error());
            return {};
        });
    }

    /// Attention alone with its maps, beside a copy of as many bytes: bytes of maps written a
    /// second over the bytes that the copy reads and writes.
    Result<void> mapWriting(const char* name, std::int64_t batch, std::int64_t heads,
                            std::int64_t pseudo, std::int64_t tokens, std::int64_t width) {
        const auto random = [&](const Shape& shape) {
            const Tensor host = Tensor::host(shape, DType::f32);
            Rng rng(3);
            for (float& number : host.values<float>()) number = static_cast<float>(rng.normal());
            return place(host, backend_);
        };
        const Shape rows{batch, heads, pseudo, tokens, width};
        const Tensor q = random(rows), k = random(rows), v = random(rows);
        const Tensor y = backend_.allocate(rows, DType::f32);
        const Shape cells{batch, heads, pseudo, pseudo, tokens, tokens};
        const Tensor maps = backend_.allocate(cells, DType::f32);
        const Tensor other = backend_.allocate(cells, DType::f32);
        backend_.zero(other);
        const auto attention = sample([&]() -> Result<void> {
            backend_.attention({}, q, k, v, y, maps);
            return {};
        });
        if (!attention) return tl::unexpected(attention.error());
        const auto copy = sample([&]() -> Result<void> {
            tools_->copy(other, maps);
            return {};
        });
        if (!copy) return tl::unexpected(copy.error());
        const double written = static_cast<double>(maps.bytes()) / 1e6;  // GB/s by milliseconds
        const double wrote = written / quantile(attention->gpu, 0.5);
        const double copied = 2 * written / quantile(copy->gpu, 0.5);
        std::printf("maps\t%s\t%s\t%.0f MB\t%.0f GB/s of %.0f GB/s\t%.0f %%\n", name,
                    backend_.info().name.c_str(), written, wrote, copied, 100 * wrote / copied);
        std::fflush(stdout);
        return {};
    }

    Decoder decoderOf(const cli::BenchCase& size) {
        const ModelConfig config = size.config();
        return Decoder(config, place(initialWeights(config, 0), backend_), backend_);
    }

    Backend& backend_;
    GpuTools* tools_;
    const BenchOptions& options_;
    bool done_ = true;
};

}  // namespace

bool bench(Device& device, const BenchOptions& options) {
    return Bench(device, options).all();
}

}  // namespace headloom::device
