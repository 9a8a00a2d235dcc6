#include "core/models/ablation.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

using Kind = ModelPart::Kind;
using Site = LayerChanges::Rows::Site;

/// A block of cells of a layer's maps; -1: all along that axis.
struct Region {
    int head = -1, queryPseudo = -1, keyPseudo = -1, query = -1, key = -1;
    bool others = false;  ///< only the cells of tokens other than the query's own
};

bool isTileOrCell(Kind kind) {
    return kind == Kind::tile || kind == Kind::cell;
}
bool readsAsQuery(Kind kind) {
    return kind == Kind::head || kind == Kind::pseudoQuery || kind == Kind::pseudo;
}
bool isReadAsKey(Kind kind) {
    return kind == Kind::pseudoKey || kind == Kind::pseudo;
}

Region regionOf(const Cut& cut, bool asKey) {
    const ModelPart& part = cut.part;
    Region region;
    region.query = cut.row;
    region.others = cut.instead == Instead::self;
    if (part.kind == Kind::layer || part.kind == Kind::attention) return region;
    region.head = part.head;
    if (asKey) {
        region.keyPseudo = part.keyPseudo;
        return region;
    }
    if (part.kind != Kind::head) region.queryPseudo = part.queryPseudo;
    if (!isTileOrCell(part.kind)) return region;
    region.keyPseudo = part.keyPseudo;
    if (part.kind == Kind::tile) return region;
    region.query = part.query;
    region.key = part.key;
    return region;
}

/// Collects what is switched off in one layer.
class LayerCutter {
  public:
    LayerCutter(const ModelConfig& config, int layer, int rows, const ActivationTrace* donor)
        : layer_(config.layers[static_cast<std::size_t>(layer)]),
          heads_(config.nHeads),
          pseudo_(layer_.nPseudo),
          rows_(rows),
          overMaps_(layer_.kind == AttentionKind::talkingHeads ||
                    layer_.kind == AttentionKind::differential) {
        if (!donor) return;
        const auto at = static_cast<std::size_t>(layer);
        donor_ = &donor->layers[at];
        after_ = at + 1 < donor->layers.size() ? donor->layers[at + 1].residPre : donor->residFinal;
    }

    void add(const Cut& cut);
    LayerChanges finish();

  private:
    void blank(const Cut& cut);
    void keepSelf(const Cut& cut);
    void replace(const Cut& cut);
    void replaceRows(const Cut& cut, Site site, int head, int pseudo);
    void replaceCells(const Cut& cut, const Region& region);
    Tensor donated(Site site) const;
    Tensor factors(const std::vector<Region>& regions) const;
    template <class Visit>
    void eachTile(const Region& region, const Visit& visit) const;

    const LayerConfig& layer_;
    int heads_, pseudo_, rows_;
    bool overMaps_;  ///< nothing can be masked before a softmax that is not the last word
    const LayerTrace* donor_ = nullptr;
    Tensor after_;  ///< the donor's residual stream after the layer
    std::vector<Region> hidden_, blanked_;
    LayerChanges made_;
};

template <class Visit>
void LayerCutter::eachTile(const Region& region, const Visit& visit) const {
    const auto matches = [](int wanted, int index) { return wanted < 0 || wanted == index; };
    for (int head = 0; head < heads_; ++head)
        for (int p = 0; p < pseudo_; ++p)
            for (int r = 0; r < pseudo_; ++r)
                if (matches(region.head, head) && matches(region.queryPseudo, p) &&
                    matches(region.keyPseudo, r))
                    visit(head, p, r);
}

void LayerCutter::blank(const Cut& cut) {
    const Kind kind = cut.part.kind;
    if (readsAsQuery(kind)) blanked_.push_back(regionOf(cut, false));
    if (isReadAsKey(kind)) hidden_.push_back(regionOf(cut, true));
    if (isTileOrCell(kind)) (cut.renormalise ? hidden_ : blanked_).push_back(regionOf(cut, false));
}

void LayerCutter::keepSelf(const Cut& cut) {
    const Kind kind = cut.part.kind;
    const bool before = !overMaps_ && (!isTileOrCell(kind) || cut.renormalise);
    std::vector<Region>& regions = before ? hidden_ : blanked_;
    if (kind != Kind::pseudoKey) regions.push_back(regionOf(cut, false));
    if (isReadAsKey(kind)) regions.push_back(regionOf(cut, true));
}

Tensor LayerCutter::donated(Site site) const {
    if (!donor_) return {};
    switch (site) {
        case Site::keys:
            return donor_->mixedK;
        case Site::values:
            return donor_->mixedV;
        case Site::heads:
            return donor_->normZ ? donor_->normZ : donor_->y;
        case Site::attention:
        case Site::mlp:
            break;
    }
    const Tensor& from = site == Site::attention ? donor_->residPre : donor_->residMid;
    const Tensor& to = site == Site::attention ? donor_->residMid : after_;
    const Tensor difference = to.copy();
    for (std::int64_t at = 0; at < difference.count(); ++at)
        difference.data<float>()[at] -= from.data<float>()[at];
    return difference;
}

void LayerCutter::replaceRows(const Cut& cut, Site site, int head, int pseudo) {
    made_.rows.push_back({site, head * pseudo_ + pseudo, cut.row, cut.instead,
                          cut.instead == Instead::other ? donated(site) : Tensor()});
}

void LayerCutter::replaceCells(const Cut& cut, const Region& region) {
    eachTile(region, [&](int head, int p, int r) {
        made_.cells.push_back({head, p, r, region.query, region.key, cut.instead,
                               cut.instead == Instead::other ? donor_->maps : Tensor()});
    });
}

void LayerCutter::replace(const Cut& cut) {
    const ModelPart& part = cut.part;
    if (isTileOrCell(part.kind)) return replaceCells(cut, regionOf(cut, false));
    if (isReadAsKey(part.kind))
        for (const Site site : {Site::keys, Site::values})
            replaceRows(cut, site, part.head, part.keyPseudo);
    if (!readsAsQuery(part.kind)) return;
    // The mean of what a head reads is what its mean row reads, and its maps then say so.
    if (cut.instead == Instead::mean) return replaceCells(cut, regionOf(cut, false));
    for (int p = 0; p < pseudo_; ++p)
        if (part.kind == Kind::head || p == part.queryPseudo)
            replaceRows(cut, Site::heads, part.head, p);
}

void LayerCutter::add(const Cut& cut) {
    const Kind kind = cut.part.kind;
    if (kind == Kind::weight) return;
    if (cut.instead == Instead::self) return keepSelf(cut);
    if (kind == Kind::layer || kind == Kind::attention) replaceRows(cut, Site::attention, 0, 0);
    if (kind == Kind::layer || kind == Kind::mlp) replaceRows(cut, Site::mlp, 0, 0);
    if (cut.instead == Instead::zero)
        blank(cut);
    else
        replace(cut);
}

/// 0 in the regions, 1 elsewhere: [H, P, P, N, N], or [H, P, P, 1, 1] where whole tiles are meant.
Tensor LayerCutter::factors(const std::vector<Region>& regions) const {
    bool cells = false;
    for (const Region& region : regions)
        cells = cells || region.query >= 0 || region.key >= 0 || region.others;
    const std::int64_t side = cells ? rows_ : 1;
    const Tensor made = Tensor::host({heads_, pseudo_, pseudo_, side, side}, DType::f32);
    std::fill_n(made.data<float>(), made.count(), 1.f);
    for (const Region& region : regions)
        eachTile(region, [&](int head, int p, int r) {
            float* tile = made.data<float>() + ((head * pseudo_ + p) * pseudo_ + r) * side * side;
            for (std::int64_t i = 0; i < side; ++i)
                for (std::int64_t j = 0; j < side; ++j)
                    if ((region.query < 0 || region.query == i) &&
                        (region.key < 0 || region.key == j) && !(region.others && i == j))
                        tile[i * side + j] = 0;
        });
    return made;
}

LayerChanges LayerCutter::finish() {
    if (!hidden_.empty()) {
        made_.multiplier = factors(hidden_);
        made_.renormalise = true;
        // The seam has one factor a cell; what is blanked after the softmax is blanked here.
        for (const Region& region : blanked_)
            eachTile(region, [&](int head, int p, int r) {
                LayerChanges::Cells change{head, p, r, region.query, region.key, Instead::zero, {}};
                if (region.others) change.instead = Instead::self;
                made_.cells.push_back(std::move(change));
            });
    } else if (!blanked_.empty()) {
        made_.multiplier = factors(blanked_);
    }
    return std::move(made_);
}

Result<void> refused(const Cut& cut, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, nameOf(cut.part), std::move(what), std::move(remedy));
}

Result<void> checkCut(const Cut& cut, const ModelConfig& config) {
    const Kind kind = cut.part.kind;
    const LayerConfig& layer = config.layers[static_cast<std::size_t>(cut.part.layer)];
    const bool overMaps =
        layer.kind == AttentionKind::talkingHeads || layer.kind == AttentionKind::differential;
    if (kind == Kind::weight && cut.instead != Instead::zero)
        return refused(cut, "a weight is the same at every position and in every prompt",
                       "set it to zero");
    if (cut.instead == Instead::self && (kind == Kind::mlp || kind == Kind::cell))
        return refused(cut, "it does not choose between tokens", "set it to zero or to its mean");
    if (cut.renormalise && !isTileOrCell(kind))
        return refused(cut, "only a tile or a cell can be left out before the softmax",
                       "switch it off without renormalising");
    if (overMaps && (cut.renormalise || isReadAsKey(kind)))
        return refused(cut,
                       fmt::format("the rows of {} are signed and do not sum to 1, so what is left "
                                   "cannot be scaled up to that",
                                   config.kindWords(layer)),
                       "switch off the head, or cells without renormalising");
    if (isReadAsKey(kind) && cut.instead != Instead::zero && cut.instead != Instead::self &&
        config.kvHeads() != config.nHeads)
        return refused(cut, "its keys and values are shared by several heads",
                       "set it to zero, which hides them from this head alone");
    return {};
}

/// A donor lies on the prompt token by token; of tokens that are yet to be passed, the first ones
/// do.
Result<void> checkOther(const Cut& cut, const Ablation& ablation, int rows) {
    const bool passed = ablation.donor != nullptr;
    if (!passed && ablation.otherPrompt.empty())
        return refused(cut, "there is no other prompt to take it from", "give one");
    const auto tokens = passed ? ablation.donor->logits.size(1)
                               : static_cast<std::int64_t>(ablation.otherPrompt.size());
    if (passed ? tokens == rows : tokens >= rows) return {};
    return refused(cut,
                   fmt::format("the other prompt has {} tokens and this one {}, so they do not lie "
                               "on one another",
                               tokens, rows),
                   "give a prompt of the same length");
}

}  // namespace

std::string_view nameOf(Instead instead) {
    switch (instead) {
        case Instead::zero:
            return "zero";
        case Instead::mean:
            return "mean";
        case Instead::self:
            return "self";
        case Instead::other:
            return "other";
    }
    return {};
}

Result<Instead> insteadFrom(std::string_view name) {
    for (const Instead instead : {Instead::zero, Instead::mean, Instead::self, Instead::other})
        if (nameOf(instead) == name) return instead;
    return fail(Error::Kind::badInput, std::string(name),
                "nothing of this name takes a part's place", "use zero, mean, self or other");
}

std::string nameOf(const Cut& cut) {
    std::string name = fmt::format("{}: {}", nameOf(cut.part), nameOf(cut.instead));
    if (cut.renormalise) name += ", renormalised";
    if (cut.row >= 0) name += fmt::format(", at token {}", cut.row);
    return name;
}

bool Ablation::takesFromOther() const {
    return std::any_of(cuts.begin(), cuts.end(),
                       [](const Cut& cut) { return cut.instead == Instead::other; });
}

Result<void> checkAblation(const Ablation& ablation, const ModelConfig& config, int rows) {
    for (const Cut& cut : ablation.cuts) {
        if (auto fine = checkPart(cut.part, config, rows); !fine) return fine;
        if (auto fine = checkCut(cut, config); !fine) return fine;
        if (cut.row >= rows)
            return refused(cut, fmt::format("there is no token {}", cut.row),
                           fmt::format("the prompt has tokens 0 to {}", rows - 1));
        if (cut.instead != Instead::other) continue;
        if (auto fine = checkOther(cut, ablation, rows); !fine) return fine;
    }
    return {};
}

Weights withoutWeights(const Ablation& ablation, const Weights& weights) {
    Weights made = weights;
    for (const Cut& cut : ablation.cuts) {
        if (cut.part.kind != Kind::weight) continue;
        const std::string name = tensorNameOf(cut.part.matrix, cut.part.layer);
        const Tensor changed = made.find(name).copy();
        std::int64_t at = 0;
        for (std::size_t axis = 0; axis < cut.part.index.size(); ++axis)
            at = at * changed.size(static_cast<int>(axis)) + cut.part.index[axis];
        changed.data<float>()[at] = 0;
        made.replace(name, changed);
    }
    return made;
}

std::vector<LayerChanges> layerChanges(const Ablation& ablation, const ModelConfig& config,
                                       int rows) {
    std::vector<LayerChanges> made;
    if (ablation.empty()) return made;
    for (int layer = 0; layer < config.nLayers(); ++layer) {
        LayerCutter cutter(config, layer, rows, ablation.donor.get());
        for (const Cut& cut : ablation.cuts)
            if (cut.part.layer == layer) cutter.add(cut);
        made.push_back(cutter.finish());
    }
    return made;
}

}  // namespace headloom
