#include "views/viewmodels/column_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headloom {

LayerMasses::LayerMasses(const Tensor& maps) {
    if (!maps) return;
    const Shape& shape = maps.shape();
    const std::int64_t keys = shape[-1];
    rows_ = shape[-2];
    pseudos_ = shape[-3];
    const std::int64_t tiles = maps.count() / std::max<std::int64_t>(1, rows_ * keys);
    prefix_.resize(static_cast<std::size_t>(tiles * (rows_ + 1)));
    const float* value = maps.data<float>();
    double* out = prefix_.data();
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
        *out++ = 0;
        for (std::int64_t row = 0; row < rows_; ++row, ++out) {
            double sum = 0;
            for (std::int64_t key = 0; key < keys; ++key) sum += *value++;
            out[0] = out[-1] + sum;
        }
    }
}

LayerMasses LayerMasses::ofRows(const Tensor& rowMasses) {
    LayerMasses made;
    made.rows_ = rowMasses.size(3);
    made.pseudos_ = rowMasses.size(4);
    const std::int64_t pseudoHeads = rowMasses.size(1) * made.pseudos_;
    made.prefix_.resize(static_cast<std::size_t>(pseudoHeads * made.pseudos_ * (made.rows_ + 1)));
    double* out = made.prefix_.data();
    for (std::int64_t from = 0; from < pseudoHeads; ++from)
        for (std::int64_t r = 0; r < made.pseudos_; ++r) {
            *out++ = 0;
            for (std::int64_t row = 0; row < made.rows_; ++row, ++out)
                *out = out[-1] +
                       rowMasses.data<float>()[(from * made.rows_ + row) * made.pseudos_ + r];
        }
    return made;
}

const double* LayerMasses::prefix(int head, int p, int r) const {
    const std::int64_t tile = (head * pseudos_ + p) * pseudos_ + r;
    return prefix_.data() + tile * (rows_ + 1);
}

double LayerMasses::row(int head, int p, int r, int row) const {
    const double* sums = prefix(head, p, r);
    return sums[row + 1] - sums[row];
}

double LayerMasses::mean(int head, int p, int r, int row) const {
    return prefix(head, p, r)[row + 1] / (row + 1);
}

namespace {

/// Numbers that are not finite never win and take no part (core/models/sampling.h).
RowSaid saidBy(std::span<const float> logits) {
    RowSaid said;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t id = 0; id < logits.size(); ++id) {
        if (!std::isfinite(logits[id]) || logits[id] <= largest) continue;
        largest = logits[id];
        said.best = static_cast<int>(id);
    }
    double sum = 0;
    for (const float logit : logits)
        if (std::isfinite(logit)) sum += std::exp(logit - largest);
    said.logTotal = largest + std::log(sum);
    return said;
}

}  // namespace

ColumnRun::ColumnRun(std::shared_ptr<const ChainRun> chainRun, const ColumnRun* like)
    : run(std::move(chainRun)) {
    if (like) {
        words = like->words;
        said = like->said;
    } else {
        words = wordGroups(*this);
        for (int row = 0; row < run->rows; ++row)
            for (int slot = 0; slot < config().nSlots; ++slot)
                said.push_back(saidBy(run->logits(row, slot)));
    }
    for (std::size_t i = 0; i < run->trace.layers.size(); ++i) {
        const LayerTrace& layer = run->trace.layers[i];
        const bool ofRows = i < run->rowMasses.size() && run->rowMasses[i];
        masses.push_back(ofRows ? LayerMasses::ofRows(run->rowMasses[i]) : LayerMasses(layer.maps));
        copies.push_back(layer.maps ? pseudoCopies(layer.maps) : std::vector<PseudoCopies>());
    }
}

int ColumnRun::clampedLayer(int layer) const {
    return std::clamp(layer, 0, std::max(0, config().nLayers() - 1));
}

int ColumnRun::clampedRow(int row) const {
    return std::clamp(row, 0, std::max(0, run->rows - 1));
}

double ColumnRun::probability(int row, int slot, int token) const {
    const double logit = run->logits(row, slot)[static_cast<std::size_t>(token)];
    if (!std::isfinite(logit)) return 0;
    return std::exp(logit - said[static_cast<std::size_t>(row * config().nSlots + slot)].logTotal);
}

const Tensor& ColumnRun::maps(int layer) const {
    return run->trace.layers[static_cast<std::size_t>(clampedLayer(layer))].maps;
}

int ColumnRun::mapIndex(int layer, int head) const {
    if (!maps(layer) || head < 0 || head >= heads()) return -1;
    if (run->mapLayer < 0) return head;
    const auto found = std::find(run->mapHeads.begin(), run->mapHeads.end(), head);
    return found == run->mapHeads.end() ? -1 : static_cast<int>(found - run->mapHeads.begin());
}

int ColumnRun::massIndex(int layer, int head) const {
    const auto at = static_cast<std::size_t>(clampedLayer(layer));
    if (at < run->rowMasses.size() && run->rowMasses[at])
        return head >= 0 && head < heads() ? head : -1;
    return mapIndex(layer, head);
}

Tensor ColumnRun::effectiveMaps(int layer) const {
    const auto at = static_cast<std::size_t>(clampedLayer(layer));
    return at < run->effective.size() ? run->effective[at] : Tensor();
}

std::int64_t ColumnRun::weightBytes() const {
    return run->model->weights.parameterCount() * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t ColumnRun::mapBytes() const {
    const auto bytes = [](const Tensor& tensor) {
        return tensor ? static_cast<std::int64_t>(tensor.bytes()) : 0;
    };
    std::int64_t sum = 0;
    for (const LayerTrace& layer : run->trace.layers) sum += bytes(layer.maps);
    for (const Tensor& layer : run->effective) sum += bytes(layer);
    return sum;
}

int ColumnRun::pseudos(int layer) const {
    return config().layers[static_cast<std::size_t>(clampedLayer(layer))].nPseudo;
}

bool ColumnRun::iha(int layer) const {
    return config().layers[static_cast<std::size_t>(clampedLayer(layer))].kind ==
           AttentionKind::iha;
}

bool ColumnRun::signedMaps(int layer) const {
    const AttentionKind kind = config().layers[static_cast<std::size_t>(clampedLayer(layer))].kind;
    return kind == AttentionKind::talkingHeads || kind == AttentionKind::differential ||
           linear(layer);
}

bool ColumnRun::linear(int layer) const {
    return config().layers[static_cast<std::size_t>(clampedLayer(layer))].score ==
           ScoreKind::linear;
}

}  // namespace headloom
