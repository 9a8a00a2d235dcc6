#include "app/cli/comparison_report.h"

#include "app/cli/text.h"
#include "core/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace headloom::cli {

namespace {

using json = nlohmann::json;

json sideJson(const BackendComparison::Side& side) {
    return {{"name", side.device.name},
            {"description", side.device.description},
            {"milliseconds", side.milliseconds},
            {"passes", side.passes}};
}

json orNull(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

}  // namespace

std::string comparisonAsText(const ComparisonShown& shown, const BackendComparison& comparison) {
    std::string text = fmt::format("{}: {}\n{} tokens read with all maps and activations\n\n",
                                   shown.model, shown.summary, comparison.rows);
    Table times({"backend", "ms", "passes", "what it is"});
    for (const auto* side : {&comparison.tested, &comparison.against})
        times.add({side->device.name, fmt::format("{:.3f}", side->milliseconds),
                   std::to_string(side->passes), side->device.description});
    text += times.text() + "\n";
    Table table({"abs", "rel", "at most", "", "tensor"});
    for (const TensorDifference& tensor : comparison.tensors)
        if (!shown.beyondOnly || !tensor.within())
            table.add({fmt::format("{:.2e}", tensor.maxAbsolute),
                       fmt::format("{:.2e}", tensor.maxRelative),
                       fmt::format("{:.2e}", tensor.tolerance), tensor.within() ? "ok" : "FAIL",
                       fmt::format("{} {}", tensor.name, tensor.shape.text())});
    return text + table.text() + "\n" + verdictOn(comparison) + "\n" +
           wrapped(toleranceReason(), 0);
}

std::string comparisonAsJson(const ComparisonShown& shown, const BackendComparison& comparison) {
    json tensors = json::array();
    for (const TensorDifference& tensor : comparison.tensors) {
        const auto sizes = tensor.shape.sizes();
        tensors.push_back({{"name", tensor.name},
                           {"shape", std::vector<std::int64_t>(sizes.begin(), sizes.end())},
                           {"max_absolute", orNull(tensor.maxAbsolute)},
                           {"max_relative", orNull(tensor.maxRelative)},
                           {"tolerance", tensor.tolerance},
                           {"within", tensor.within()}});
    }
    return jsonText({{"model", asUtf8(shown.model)},
                     {"rows", comparison.rows},
                     {"backend", sideJson(comparison.tested)},
                     {"against", sideJson(comparison.against)},
                     {"tensors", tensors},
                     {"beyond", comparison.beyond()},
                     {"verdict", verdictOn(comparison)},
                     {"reason", toleranceReason()}});
}

}  // namespace headloom::cli
