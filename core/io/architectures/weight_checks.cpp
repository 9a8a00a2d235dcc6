#include "core/io/architectures/weight_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <span>

namespace headloom {

namespace {

// Trained matrices have numbers of 1e-3 to 10; bytes in the wrong order give 1e-38 or 1e38.
constexpr double largestPlausible = 1e5, smallestPlausible = 1e-8;

struct Numbers {
    std::int64_t notFinite = 0;
    float largest = 0;             ///< magnitude
    std::set<std::int64_t> heads;  ///< those with a number that is not finite
};

/// The bits of a float32 without its sign: magnitudes in order, and NaN and infinities above all.
std::int32_t magnitude(float value) {
    return std::bit_cast<std::int32_t>(value) & 0x7fffffff;
}
const std::int32_t infinity = magnitude(std::numeric_limits<float>::infinity());

/// The largest magnitude of numbers that may well be finite, at the speed of memory.
std::int32_t largestOf(std::span<const float> values) {
    constexpr std::size_t block = 1024;
    std::int32_t largest = 0;
    while (values.size() >= block) {
        for (std::size_t i = 0; i < block; ++i) largest = std::max(largest, magnitude(values[i]));
        values = values.subspan(block);
    }
    for (const float value : values) largest = std::max(largest, magnitude(value));
    return largest;
}

Numbers numbersOf(const Tensor& tensor) {
    Numbers found;
    const auto values = tensor.values<float>();
    if (const std::int32_t largest = largestOf(values); largest < infinity) {
        found.largest = std::bit_cast<float>(largest);
        return found;
    }
    const bool perHead = tensor.shape().rank() == 3;
    const auto inHead =
        perHead ? tensor.count() / std::max<std::int64_t>(tensor.size(0), 1) : tensor.count();
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        const float value = values[static_cast<std::size_t>(i)];
        if (std::isfinite(value)) {
            found.largest = std::max(found.largest, std::abs(value));
            continue;
        }
        ++found.notFinite;
        if (perHead) found.heads.insert(i / inHead);
    }
    return found;
}

}  // namespace

std::vector<std::string> checkNumbers(const Weights& weights,
                                      const std::function<bool()>& cancelled) {
    std::vector<std::string> all;
    for (const auto& [name, tensor] : weights.entries()) {
        if (cancelled && cancelled()) break;
        const Numbers found = numbersOf(tensor);
        if (found.notFinite > 0)
            all.push_back(fmt::format(
                "{} of {} numbers of {} are not finite{}", found.notFinite, tensor.count(), name,
                found.heads.empty() ? ""
                                    : fmt::format(" (head{} {})", found.heads.size() > 1 ? "s" : "",
                                                  fmt::join(found.heads, ", "))));
        if (found.largest > largestPlausible)
            all.push_back(fmt::format("{} has numbers up to {:.3g}: larger than trained ones are",
                                      name, found.largest));
        const bool isMatrix = tensor.shape().rank() >= 2;
        if (isMatrix && found.largest == 0 && found.notFinite == 0)
            all.push_back(fmt::format("{} is all zero", name));
        else if (isMatrix && found.largest > 0 && found.largest < smallestPlausible)
            all.push_back(
                fmt::format("{} has no number above {:.3g}: bytes may have been read in the wrong "
                            "order",
                            name, found.largest));
    }
    return all;
}

}  // namespace headloom
