#include "core/session/map_figure.h"

#include "core/base/utf8.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

using Kind = ModelPart::Kind;

tl::unexpected<Error> noMaps(const ModelPart& part, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, nameOf(part), std::move(what), std::move(remedy));
}

std::vector<float> numbersOf(const Tensor& map) {
    return {map.values<float>().begin(), map.values<float>().end()};
}

/// maps [1, H, P, P, N, N].
void addTiles(const Tensor& maps, const ModelPart& part, Figure& figure) {
    const bool one = part.kind == Kind::tile, all = part.kind == Kind::layer;
    const int heads = static_cast<int>(maps.size(1)), pseudo = static_cast<int>(maps.size(2));
    figure.across = one ? 1 : pseudo > 1 ? pseudo : static_cast<int>(std::ceil(std::sqrt(heads)));
    for (int head = 0; head < heads; ++head)
        for (int p = 0; p < pseudo; ++p)
            for (int r = 0; r < pseudo; ++r) {
                if (!all && head != part.head) continue;
                if (one && (p != part.queryPseudo || r != part.keyPseudo)) continue;
                const ModelPart tile = ModelPart::ofTile(part.layer, head, p, r);
                figure.panels.push_back(
                    {pseudo > 1 ? nameOf(tile) : nameOf(ModelPart::ofHead(part.layer, head)),
                     numbersOf(maps.at(0).at(head).at(p).at(r))});
            }
}

/// M [1, target, source, N, N].
void addEffective(const Tensor& maps, const ModelPart& part, Figure& figure) {
    figure.across = static_cast<int>(maps.size(2));
    for (int target = 0; target < maps.size(1); ++target)
        for (int source = 0; source < maps.size(2); ++source)
            if (part.kind == Kind::layer || target == part.head)
                figure.panels.push_back({fmt::format("L{} M[{},{}]", part.layer, target, source),
                                         numbersOf(maps.at(0).at(target).at(source))});
}

/// A scale for what is there: signed where anything is below zero.
void chooseScale(Figure& figure) {
    float lowest = 0, largest = 0;
    for (const FigurePanel& panel : figure.panels)
        for (const float value : panel.values)
            if (std::isfinite(value)) {
                lowest = std::min(lowest, value);
                largest = std::max(largest, std::abs(value));
            }
    figure.isSigned = lowest < 0;
    figure.maximum = largest > 0 ? largest : 1;
}

/// Of what the model computes with, so that a figure can be told from one of other weights.
unsigned long fingerprint(const Weights& weights) {
    unsigned long crc = crc32(0, nullptr, 0);
    for (const auto& [name, tensor] : weights.entries()) {
        crc = crc32_z(crc, reinterpret_cast<const Bytef*>(name.data()), name.size());
        crc = crc32_z(crc, reinterpret_cast<const Bytef*>(tensor.raw()), tensor.bytes());
    }
    return crc;
}

}  // namespace

Result<Figure> mapFigure(const ChainRun& run, const ModelPart& part, bool effective,
                         const std::filesystem::path& assets) {
    if (auto fine = checkPart(part, run.model->config, run.rows); !fine)
        return tl::unexpected(fine.error());
    const bool whole = part.kind == Kind::layer || part.kind == Kind::head;
    if (!whole && part.kind != Kind::tile)
        return noMaps(part, "this is no part that has maps of its own",
                      "choose a layer, a head or a tile");
    if (effective && !whole)
        return noMaps(part, "effective maps go from head to head and have no tiles",
                      "choose a layer or a head");
    const auto layer = static_cast<std::size_t>(part.layer);
    Figure figure;
    if (effective) {
        const Tensor made = layer < run.effective.size() ? run.effective[layer] : Tensor();
        if (!made) return noMaps(part, "it has no effective maps", run.noEffective);
        addEffective(made, part, figure);
        figure.quantity = "M[target, source]";
    } else {
        const Tensor& maps = run.trace.layers[layer].maps;
        if (!maps || run.mapLayer >= 0)
            return noMaps(part, "its maps were not kept", "use a shorter prompt");
        addTiles(maps, part, figure);
    }
    for (int row = 0; row < run.rows; ++row)
        figure.rowLabels.push_back(
            visible(run.model->vocabulary.text(run.tokens[static_cast<std::size_t>(row)])));
    figure.columnLabels = figure.rowLabels;
    figure.causal = run.model->config.layers[layer].mask != MaskKind::none;
    chooseScale(figure);
    auto palette = readPalette(assets, figure.isSigned ? "prgn-light" : "inferno");
    if (!palette) return tl::unexpected(palette.error());
    figure.palette = std::move(*palette);
    return figure;
}

std::vector<std::string> provenanceOf(const ChainRun& run, const std::string& model) {
    std::vector<std::string> lines = {fmt::format("Model {}: {}; weights crc32 {:08x}", model,
                                                  run.model->config.summary(),
                                                  fingerprint(run.model->weights))};
    const auto words = [&run](const std::vector<int>& tokens) {
        std::string text;
        for (int row = 0; row < run.rows; ++row)
            text += (row == 0 ? "" : " ") +
                    visible(run.model->vocabulary.text(tokens[static_cast<std::size_t>(row)]));
        return text;
    };
    lines.push_back("Tokens: " + words(run.tokens));
    std::string cuts;
    for (const Cut& cut : run.ablation.cuts) cuts += (cuts.empty() ? "" : "; ") + nameOf(cut);
    if (!cuts.empty()) lines.push_back("Switched off: " + cuts);
    if (!run.ablation.otherPrompt.empty())
        lines.push_back("Other prompt: " + words(run.ablation.otherPrompt));
    return lines;
}

}  // namespace headloom
