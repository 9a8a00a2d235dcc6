#include "core/io/architectures/weight_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace headloom {

namespace {

// Trained matrices have numbers of 1e-3 to 10; bytes in the wrong order give 1e-38 or 1e38.
constexpr double largestPlausible = 1e5, smallestPlausible = 1e-8;

struct Numbers {
    std::int64_t notFinite = 0;
    double largest = 0;
    std::set<std::int64_t> heads;  ///< those with a number that is not finite
};

Numbers numbersOf(const Tensor& tensor) {
    Numbers found;
    const bool perHead = tensor.shape().rank() == 3;
    const std::int64_t inHead =
        perHead ? tensor.count() / std::max<std::int64_t>(tensor.size(0), 1) : tensor.count();
    const float* values = tensor.data<float>();
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        if (std::isfinite(values[i])) {
            found.largest = std::max(found.largest, std::abs(double{values[i]}));
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
                                    : fmt::format(" (heads {})", fmt::join(found.heads, ", "))));
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
