#include "views/viewmodels/theory_cost_model.h"

#include <algorithm>
#include <tuple>

namespace headloom {

namespace {

constexpr std::int64_t leastTokensDrawn = 64, mostTokensDrawn = 1 << 20;

auto tied(const CostSizes& s) {
    return std::tie(s.nTokens, s.nHeads, s.nKvHeads, s.nPseudo, s.dHead, s.nLayers, s.window,
                    s.nWindowed, s.bytesPerNumber, s.collapse, s.pairs);
}

/// The sizes behind presetNames.
std::vector<CostSizes> presetSizes() {
    std::vector<CostSizes> all{CostSizes()};
    for (const CostPreset& preset : costPresets()) all.push_back(preset.sizes);
    return all;
}

std::vector<std::int64_t> tokensDrawn(std::int64_t own) {
    std::vector<std::int64_t> drawn{own};
    for (std::int64_t n = leastTokensDrawn; n <= mostTokensDrawn; n *= 2) drawn.push_back(n);
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
    return drawn;
}

}  // namespace

TheoryCostModel::TheoryCostModel(QObject* parent) : QObject(parent) {
    work();
}

QStringList TheoryCostModel::presetNames() {
    QStringList names{tr("small decoder")};
    for (const CostPreset& preset : costPresets()) names << QString::fromStdString(preset.name);
    return names;
}

void TheoryCostModel::choosePreset(int index) {
    setSizes(presetSizes().at(static_cast<std::size_t>(index)));
}

int TheoryCostModel::preset() const {
    int index = 0;
    for (const CostSizes& preset : presetSizes()) {
        CostSizes same = sizes_;
        if (preset.nPseudo == 0) same.nPseudo = 0;
        if (tied(same) == tied(preset)) return index;
        ++index;
    }
    return -1;
}

void TheoryCostModel::setSizes(const CostSizes& sizes) {
    sizes_ = sizes;
    work();
    emit changed();
}

void TheoryCostModel::setQuantity(CostQuantity quantity) {
    quantity_ = quantity;
    emit changed();
}

void TheoryCostModel::step(int by) {
    const int last = static_cast<int>(costQuantities().size()) - 1;
    setQuantity(static_cast<CostQuantity>(std::clamp(static_cast<int>(quantity_) + by, 0, last)));
}

void TheoryCostModel::work() {
    auto made = costArms(sizes_);
    problem_ = made ? QString() : QString::fromStdString(made.error().sentence());
    arms_ = made ? std::move(*made) : std::vector<CostArm>();
}

std::vector<TheoryCostModel::Curve> TheoryCostModel::curves() const {
    std::vector<Curve> curves;
    for (const CostArm& arm : arms_) {
        // a window by rule is another one at every N
        const bool byRule = arm.name == "iha-windowed" && sizes_.window == 0;
        curves.push_back({byRule ? tr("IHA, W = N/(2P²)") : QString::fromStdString(arm.title), {}});
    }
    if (curves.empty()) return curves;
    CostSizes sizes = sizes_;
    for (const std::int64_t n : tokensDrawn(sizes_.nTokens)) {
        sizes.nTokens = n;
        const auto arms = costArms(sizes);
        if (!arms) break;
        for (std::size_t i = 0; i < curves.size(); ++i)
            curves[i].points.emplace_back(n, (*arms)[i].at(quantity_).value);
    }
    return curves;
}

}  // namespace headloom
