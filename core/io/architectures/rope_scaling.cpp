#include "core/io/architectures/rope_scaling.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace headloom {

std::vector<double> llama3Divisors(const Llama3Scaling& scaling, double theta, std::int64_t width) {
    RotaryParams rotary;
    rotary.theta = theta;
    std::vector<double> divisors;
    for (std::int64_t pair = 0; pair < width / 2; ++pair) {
        const double turns = scaling.originalContext * rotary.frequency(pair, width) /
                             (2 * std::numbers::pi);  // in the original context
        const double blend = (turns - scaling.lowFactor) / (scaling.highFactor - scaling.lowFactor);
        if (turns > scaling.highFactor)
            divisors.push_back(1);
        else if (turns < scaling.lowFactor)
            divisors.push_back(scaling.factor);
        else
            divisors.push_back(1 / ((1 - blend) / scaling.factor + blend));
    }
    return divisors;
}

namespace {

tl::unexpected<Error> unsupported(std::string what) {
    return fail(Error::Kind::unsupported, "rotary positions", std::move(what),
                "look at its tensors; it does not run");
}

Result<void> scale(const ConfigValues& values, ModelConfig& config, LoadReport& report) {
    std::string kind = values.text("ropeScaling").value_or("none");
    if (kind == "none" && values.boolean("llama3Rope").value_or(false)) kind = "llama3";
    if (kind == "none" || kind == "default") return {};
    const double factor = values.number("ropeFactor").value_or(kind == "llama3" ? 8 : 1);
    if (!(factor > 0)) return unsupported(fmt::format("a scaling factor of {}", factor));
    if (kind == "linear") {
        for (LayerConfig& layer : config.layers) layer.positionFactor = 1 / factor;
        report.notes.push_back(fmt::format("rotary positions are divided by {}", factor));
        return {};
    }
    if (kind == "dynamic") {
        report.notes.push_back(
            "rotary frequencies are those of the trained context; the rescaling beyond it "
            "(\"dynamic\") is not computed");
        return {};
    }
    if (kind != "llama3")
        return unsupported(fmt::format("scaling of the kind \"{}\" is not computed", kind));
    Llama3Scaling scaling;
    scaling.factor = factor;
    scaling.lowFactor = values.number("ropeLowFactor").value_or(scaling.lowFactor);
    scaling.highFactor = values.number("ropeHighFactor").value_or(scaling.highFactor);
    scaling.originalContext = values.number("ropeOriginal").value_or(scaling.originalContext);
    if (!(scaling.highFactor > scaling.lowFactor))
        return unsupported("its high frequency factor is not above the low one");
    const int width = config.rotaryWidth > 0 ? config.rotaryWidth : config.dHead();
    config.ropeDivisors = llama3Divisors(scaling, config.ropeTheta, width);
    report.notes.push_back(
        fmt::format("slow rotations are slowed down up to {} times (llama3)", factor));
    return {};
}

/// Divisors that the file has worked out already, as GGUF's rope_freqs.
Result<void> readDivisors(const TensorSource& source, const Piece& piece, ModelConfig& config,
                          LoadReport& report) {
    const auto divisors = source.read(*piece.entry, DType::f64);
    if (!divisors) return tl::unexpected(divisors.error());
    config.ropeDivisors.assign(divisors->values<double>().begin(),
                               divisors->values<double>().end());
    report.notes.push_back(fmt::format("rotary frequencies are divided by {}", piece.entry->name));
    return {};
}

}  // namespace

Result<void> planRotation(const ConfigValues& values, const TensorSource& source,
                          const MatchedTensors& tensors, ModelConfig& config, LoadReport& report) {
    config.ropeTheta = values.number("ropeTheta").value_or(10000.0);
    const auto local = values.number("localRopeTheta");
    if (local && *local != config.ropeTheta)
        return unsupported("windowed layers rotate at another speed than the others");
    const auto width = values.integer("rotaryWidth");
    const auto fraction = values.number("rotaryFraction");
    std::int64_t turning = config.dHead();
    if (width)
        turning = *width;
    else if (fraction)
        turning = static_cast<std::int64_t>(std::floor(*fraction * config.dHead()));
    if (turning < 0 || turning > config.dHead())
        return unsupported(
            fmt::format("{} of {} components of a head rotate", turning, config.dHead()));
    if (turning == 0)
        for (LayerConfig& layer : config.layers) layer.positions = PositionKind::none;
    if (turning < config.dHead()) config.rotaryWidth = static_cast<int>(turning);
    if (const Piece* divisors = tensors.find("rope.divisors"))
        return readDivisors(source, *divisors, config, report);
    return scale(values, config, report);
}

}  // namespace headloom
