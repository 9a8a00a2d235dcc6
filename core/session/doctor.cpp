#include "core/session/doctor.h"

#include "core/base/counted.h"
#include "core/io/tensor_source.h"
#include "core/models/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

constexpr std::int64_t probeTokens = 24;
/// A GPT-2 as its authors initialise it has 0.01, small trained models 0.3 to 0.6.
constexpr double suspiciouslyUniform = 0.06;

Result<ActivationTrace> read(const Model& model, const std::vector<std::int32_t>& ids, bool maps,
                             Backend& backend, const std::function<bool()>& cancelled) {
    const Decoder decoder(model.config, place(model.weights, backend), backend);
    ForwardOptions options;
    options.captureMaps = maps;
    options.keepActivations = false;
    options.cancelled = cancelled;
    return decoder.forward(
        Tensor::of<std::int32_t>({1, static_cast<std::int64_t>(ids.size())}, ids), options);
}

/// Sum over the rows of maps [1, H, P, P, N, N] and how many rows there are; rows that see one key
/// only are left out.
std::pair<double, std::int64_t> distances(const Tensor& maps) {
    const std::int64_t heads = maps.size(1), pseudo = maps.size(2), rows = maps.size(4),
                       keys = maps.size(5);
    double sum = 0;
    std::int64_t counted = 0;
    for (std::int64_t at = 0; at < heads * pseudo; ++at)
        for (std::int64_t row = 0; row < rows; ++row) {
            std::vector<double> seen;
            for (std::int64_t r = 0; r < pseudo; ++r) {
                const float* weights = maps.data<float>() + ((at * pseudo + r) * rows + row) * keys;
                for (std::int64_t key = 0; key < keys; ++key)
                    if (weights[key] != 0) seen.push_back(weights[key]);
            }
            if (seen.size() < 2) continue;
            double distance = 0;
            for (const double weight : seen)
                distance += std::abs(weight - 1.0 / static_cast<double>(seen.size())) / 2;
            sum += distance;
            ++counted;
        }
    return {sum, counted};
}

tl::unexpected<Error> badReference(const std::filesystem::path& file, std::string what,
                                   std::string remedy) {
    return fail(Error::Kind::badFile, file.string(), std::move(what), std::move(remedy));
}

/// The ids that the reference's logits belong to.
Result<std::vector<std::int32_t>> idsOf(const TensorSource& source,
                                        const std::filesystem::path& file,
                                        const std::vector<int>& given) {
    if (!given.empty()) return std::vector<std::int32_t>(given.begin(), given.end());
    for (const char* name : {"ids", "input_ids"})
        if (const TensorEntry* entry = source.find(name)) {
            const auto tensor = source.read(*entry, DType::f64);
            if (!tensor) return tl::unexpected(tensor.error());
            std::vector<std::int32_t> ids;
            for (const double id : tensor->values<double>())
                ids.push_back(static_cast<std::int32_t>(std::clamp(id, -1.0, 2e9)));
            return ids;
        }
    return badReference(file, "does not say which tokens were read",
                        "give it a tensor \"ids\", or name them with --ids");
}

const TensorEntry* logitsOf(const TensorSource& source) {
    if (const TensorEntry* named = source.find("logits")) return named;
    return source.entries().size() == 1 ? &source.entries().front() : nullptr;
}

}  // namespace

Result<double> distanceFromUniform(const Model& model, Backend& backend,
                                   const std::function<bool()>& cancelled) {
    std::vector<std::int32_t> ids;
    const std::int64_t length = std::min<std::int64_t>(probeTokens, model.config.nCtx);
    for (std::int64_t i = 0; i < length; ++i)
        ids.push_back(static_cast<std::int32_t>(i % model.config.dVocab));
    const auto trace = read(model, ids, true, backend, cancelled);
    if (!trace) return tl::unexpected(trace.error());
    double sum = 0;
    std::int64_t rows = 0;
    for (const LayerTrace& layer : trace->layers) {
        const auto [distance, counted] = distances(onHost(layer.maps, backend));
        sum += distance;
        rows += counted;
    }
    return rows > 0 ? sum / static_cast<double>(rows) : 1.0;
}

std::string attentionHint(double distance) {
    if (std::isnan(distance))
        return "attention gives numbers that are not finite: so does a weight, or a sum is too "
               "large";
    if (distance >= suspiciouslyUniform) return {};
    return fmt::format(
        "every head looks at all tokens nearly alike (distance {:.3f} of 1): these weights may not "
        "have been loaded, or not been trained",
        distance);
}

std::string Parity::sentence() const {
    std::string text = fmt::format("logits of {} differ by at most {:.3g} (the largest is {:.3g})",
                                   counted(static_cast<std::uint64_t>(positions), "position"),
                                   maxDifference, scale);
    text += firstDifferent < 0 ? fmt::format(", within {:g} of it", tolerance)
                               : fmt::format(", first by more than {:g} of it at position {}",
                                             tolerance, firstDifferent);
    if (firstOtherToken >= 0)
        text += fmt::format("; the most probable token is another one from position {} on",
                            firstOtherToken);
    return text;
}

Result<Parity> compareLogits(const Model& model, const std::filesystem::path& reference,
                             const std::vector<int>& given, Backend& backend,
                             const std::function<bool()>& cancelled, double tolerance) {
    const auto source = openTensorSource(reference);
    if (!source) return tl::unexpected(source.error());
    const TensorEntry* entry = logitsOf(**source);
    if (!entry)
        return badReference(reference, "has no tensor \"logits\"", "save them under that name");
    const auto ids = idsOf(**source, reference, given);
    if (!ids) return tl::unexpected(ids.error());
    const auto want = (*source)->read(*entry, DType::f64);
    if (!want) return tl::unexpected(want.error());
    const auto rows = static_cast<std::int64_t>(ids->size());
    const std::int64_t outputs = rows > 0 ? want->count() / rows : 0;
    const std::int64_t width = std::int64_t{model.config.nSlots} * model.config.dVocab;
    if (rows == 0 || outputs * rows != want->count() || outputs < 1 || outputs > width)
        return badReference(reference,
                            fmt::format("has {} logits for {} tokens, the model gives {} each",
                                        want->count(), rows, width),
                            "save the logits of all positions, [N, V]");
    const auto trace = read(model, *ids, false, backend, cancelled);
    if (!trace) return tl::unexpected(trace.error());
    const Tensor got = onHost(trace->logits, backend);

    Parity parity;
    parity.positions = rows;
    parity.tolerance = tolerance;
    for (const double value : want->values<double>())
        parity.scale = std::max(parity.scale, std::abs(value));
    for (std::int64_t row = 0; row < rows; ++row) {
        const double* right = want->data<double>() + row * outputs;
        const float* own = got.data<float>() + row * width;
        double largest = 0;
        for (std::int64_t id = 0; id < outputs; ++id) {
            const double difference = std::abs(right[id] - own[id]);
            largest = std::isnan(difference) ? HUGE_VAL : std::max(largest, difference);
        }
        parity.maxDifference = std::max(parity.maxDifference, largest);
        if (largest > tolerance * parity.scale && parity.firstDifferent < 0)
            parity.firstDifferent = row;
        if (std::max_element(right, right + outputs) - right !=
                std::max_element(own, own + outputs) - own &&
            parity.firstOtherToken < 0)
            parity.firstOtherToken = row;
    }
    return parity;
}

}  // namespace headloom
