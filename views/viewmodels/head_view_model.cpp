#include "views/viewmodels/head_view_model.h"

#include "core/models/guarded.h"

#include <algorithm>

namespace headloom {

namespace {

constexpr std::int64_t mostPixels = 256;

const LayerConfig& layerOf(const Model& model, int layer) {
    return model.config.layers[static_cast<std::size_t>(layer)];
}

Result<std::optional<CircuitShown>> compute(const Model& model, int layer, int head,
                                            Circuit circuit, std::optional<PseudoPair> tile,
                                            const LatestJob::Cancelled& cancelled) {
    const Tensor whole =
        headCircuit(model.config, model.weights, layer, head, circuit, tile, cancelled);
    if (!whole) return std::optional<CircuitShown>();
    CircuitShown shown;
    const Tensor small = pooled(whole, mostPixels);
    const std::int64_t rows = small.size(0);
    shown.picture = matrixShown(small, (whole.size(0) + rows - 1) / rows);
    shown.singularValues =
        circuitSingularValues(model.config, model.weights, layer, head, circuit, tile, cancelled);
    return std::optional(std::move(shown));
}

}  // namespace

HeadViewModel::HeadViewModel(QObject* parent) : QObject(parent) {}

void HeadViewModel::setModel(std::shared_ptr<const Model> model) {
    model_ = std::move(model);
    choose(layer_, head_, tile_);
}

int HeadViewModel::layers() const {
    return model_ ? model_->config.nLayers() : 0;
}

int HeadViewModel::heads() const {
    return model_ ? model_->config.nHeads : 0;
}

int HeadViewModel::pseudos() const {
    if (!model_) return 0;
    const LayerConfig& layer = layerOf(*model_, layer_);
    const bool mixes = layer.kind == AttentionKind::iha || layer.kind == AttentionKind::ihaLite;
    return mixes ? layer.nPseudo : 0;
}

void HeadViewModel::choose(int layer, int head, std::optional<PseudoPair> tile) {
    layer_ = std::clamp(layer, 0, std::max(0, layers() - 1));
    head_ = std::clamp(head, 0, std::max(0, heads() - 1));
    const int last = pseudos() - 1;
    tile_ =
        tile && last >= 0
            ? std::optional(PseudoPair{std::clamp(tile->p, 0, last), std::clamp(tile->r, 0, last)})
            : std::nullopt;
    start();
}

const std::optional<CircuitShown>& HeadViewModel::circuit(Circuit which) const {
    return which == Circuit::qk ? qk_ : ov_;
}

QString HeadViewModel::text() const {
    if (!model_) return {};
    if (!problem_.isEmpty()) return problem_;
    if (layerOf(*model_, layer_).kind == AttentionKind::differential)
        return tr("Differential attention has two query and key circuits a head; neither is shown");
    const QString left = tr("Norms, biases and rotary positions are not in it.");
    if (tile_)
        return tr("Query pseudo-head %1 with key pseudo-head %2 of head %3, mixing and collapse "
                  "multiplied out. %4")
            .arg(tile_->p)
            .arg(tile_->r)
            .arg(head_)
            .arg(left);
    if (pseudos() > 0)
        return tr("Source head %1 before mixing: what the pseudo-heads are mixed from. %2")
            .arg(head_)
            .arg(left);
    const int groups = model_->config.kvHeads();
    if (groups != heads())
        return tr("Head %1 with the keys and values of group %2. %3")
            .arg(head_)
            .arg(head_ / (heads() / groups))
            .arg(left);
    return tr("Head %1. %2").arg(head_).arg(left);
}

void HeadViewModel::stop() {
    if (!working()) return;
    job_.cancel();
    stopped_ = true;
    problem_ = tr("The circuits of this head were stopped.");
    emit computed();
}

void HeadViewModel::start() {
    qk_.reset();
    ov_.reset();
    problem_.clear();
    stopped_ = false;
    job_.cancel();
    if (model_)
        job_.start([this, model = model_, layer = layer_, head = head_,
                    tile = tile_](const auto& cancelled) -> LatestJob::Deliver {
            const auto one = [&](Circuit circuit) {
                return guarded(
                    [&] { return compute(*model, layer, head, circuit, tile, cancelled); });
            };
            const auto qk = one(Circuit::qk);
            if (cancelled()) return {};
            const auto ov = one(Circuit::ov);
            return [this, qk, ov] {
                if (qk && ov) {
                    qk_ = *qk;
                    ov_ = *ov;
                } else {
                    problem_ = QString::fromStdString((qk ? ov : qk).error().sentence());
                }
                emit computed();
            };
        });
    emit chosen();
}

}  // namespace headloom
