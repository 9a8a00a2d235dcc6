#include "core/models/layer_changes.h"

#include <algorithm>
#include <cassert>
#include <set>

namespace headloom {

namespace {

/// Lets `work` change a tensor where numbers can be reached: in place, or in a copy that goes back.
template <class Work>
void onHostInPlace(const Tensor& tensor, Backend& backend, const Work& work) {
    if (backend.info().isHost) return work(tensor);
    const Tensor copy = Tensor::host(tensor.shape(), tensor.dtype());
    backend.download(tensor, copy);
    work(copy);
    backend.upload(copy, tensor);
}

Tensor hostCopy(const Tensor& tensor, Backend& backend) {
    if (backend.info().isHost) return tensor;
    const Tensor copy = Tensor::host(tensor.shape(), tensor.dtype());
    backend.download(tensor, copy);
    return copy;
}

template <class Work>
void withFloat(const Tensor& tensor, const Work& work) {
    if (tensor.dtype() == DType::f64)
        work(double{});
    else
        work(float{});
}

/// One tile, [N, Nk], and what its cells become.
template <class T>
struct TileCells {
    T* cells = nullptr;
    const T* other = nullptr;  ///< of the other pass, or empty
    std::int64_t rows = 0, keys = 0;

    /// What stands in a cell after the change, in double.
    double after(const LayerChanges::Cells& change, std::int64_t row, std::int64_t key,
                 const std::vector<double>& mean) const {
        switch (change.instead) {
            case Instead::zero:
                return 0;
            case Instead::mean:
                return mean[static_cast<std::size_t>(key)];
            case Instead::self:
                return row == key ? double(cells[row * keys + key]) : 0;
            case Instead::other:
                return double(other[row * keys + key]);
        }
        return 0;
    }
    std::vector<double> meanRow() const {
        std::vector<double> mean(static_cast<std::size_t>(keys));
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t key = 0; key < keys; ++key)
                mean[static_cast<std::size_t>(key)] +=
                    double(cells[row * keys + key]) / double(rows);
        return mean;
    }
};

/// y [N, d] of the pseudo-query and v [Nk, d] of the pseudo-key family.
template <class T>
void changeTile(const LayerChanges::Cells& change, const TileCells<T>& tile, const T* v, T* y,
                std::int64_t width) {
    const std::vector<double> mean =
        change.instead == Instead::mean ? tile.meanRow() : std::vector<double>();
    for (std::int64_t row = 0; row < tile.rows; ++row) {
        if (change.query >= 0 && change.query != row) continue;
        for (std::int64_t key = 0; key < tile.keys; ++key) {
            if (change.key >= 0 && change.key != key) continue;
            T& cell = tile.cells[row * tile.keys + key];
            const double after = tile.after(change, row, key, mean);
            const double difference = after - double(cell);
            if (difference == 0) continue;
            cell = T(after);
            for (std::int64_t c = 0; c < width; ++c)
                y[row * width + c] += T(difference * double(v[key * width + c]));
        }
    }
}

}  // namespace

std::vector<int> changedHeads(const LayerChanges& changes, std::int64_t heads,
                              std::int64_t pseudo) {
    std::set<int> changed;
    for (const LayerChanges::Cells& cells : changes.cells) changed.insert(cells.head);
    for (const LayerChanges::Rows& rows : changes.rows)
        if (rows.site == LayerChanges::Rows::Site::heads)
            changed.insert(rows.block / static_cast<int>(pseudo));
    for (int head = 0; changes.multiplier && head < heads; ++head) {
        const auto factors = changes.multiplier.slice(head, 1).values<float>();
        if (std::any_of(factors.begin(), factors.end(), [](float factor) { return factor != 1; }))
            changed.insert(head);
    }
    return {changed.begin(), changed.end()};
}

bool changesKeys(const LayerChanges& changes) {
    using Site = LayerChanges::Rows::Site;
    return std::any_of(changes.rows.begin(), changes.rows.end(), [](const auto& rows) {
        return rows.site == Site::keys || rows.site == Site::values;
    });
}

bool sameAtAllTokens(const LayerChanges& changes) {
    const bool rowsAre =
        std::all_of(changes.rows.begin(), changes.rows.end(),
                    [](const auto& rows) { return rows.instead == Instead::zero && rows.row < 0; });
    return rowsAre && changes.cells.empty() &&
           (!changes.multiplier || changes.multiplier.size(3) == 1);
}

void changeCells(const LayerChanges& changes, const AttentionLayerResult& layer, Backend& backend) {
    if (changes.cells.empty()) return;
    const std::int64_t batch = layer.maps.size(0), heads = layer.maps.size(1),
                       pseudo = layer.maps.size(2), rows = layer.maps.size(4),
                       keys = layer.maps.size(5), width = layer.y.size(4),
                       groups = layer.mixedV.size(1);
    assert(layer.mixedV.size(3) == keys);  // no cache, whose rows are apart
    const Tensor values = hostCopy(layer.mixedV, backend);
    onHostInPlace(layer.maps, backend, [&](const Tensor& maps) {
        onHostInPlace(layer.y, backend, [&](const Tensor& y) {
            withFloat(maps, [&]<class T>(T) {
                for (std::int64_t b = 0; b < batch; ++b)
                    for (const LayerChanges::Cells& change : changes.cells) {
                        const std::int64_t head = change.head, p = change.queryPseudo,
                                           r = change.keyPseudo, group = head * groups / heads;
                        const std::int64_t tile = (head * pseudo + p) * pseudo + r;
                        TileCells<T> of;
                        of.rows = rows;
                        of.keys = keys;
                        of.cells =
                            maps.data<T>() + (b * heads * pseudo * pseudo + tile) * rows * keys;
                        if (change.other) of.other = change.other.data<T>() + tile * rows * keys;
                        changeTile(
                            change, of,
                            values.data<T>() + ((b * groups + group) * pseudo + r) * keys * width,
                            y.data<T>() + ((b * heads + head) * pseudo + p) * rows * width, width);
                    }
            });
        });
    });
}

void changeRows(const LayerChanges& changes, LayerChanges::Rows::Site site, const Tensor& tensor,
                Backend& backend) {
    bool wanted = false;
    for (const LayerChanges::Rows& change : changes.rows) wanted = wanted || change.site == site;
    if (!wanted) return;
    const int rank = tensor.shape().rank();
    const std::int64_t batch = tensor.size(0), rows = tensor.size(rank - 2),
                       width = tensor.size(rank - 1),
                       blocks = tensor.count() / (batch * rows * width);
    const auto change = [&]<class T>(const LayerChanges::Rows& wish, T* block, const T* other) {
        std::vector<double> mean(static_cast<std::size_t>(width));
        if (wish.instead == Instead::mean)
            for (std::int64_t at = 0; at < rows * width; ++at)
                mean[static_cast<std::size_t>(at % width)] += double(block[at]) / double(rows);
        for (std::int64_t row = 0; row < rows; ++row) {
            if (wish.row >= 0 && wish.row != row) continue;
            for (std::int64_t c = 0; c < width; ++c)
                block[row * width + c] = wish.instead == Instead::other
                                             ? other[row * width + c]
                                             : T(mean[static_cast<std::size_t>(c)]);
        }
    };
    onHostInPlace(tensor, backend, [&](const Tensor& host) {
        withFloat(host, [&]<class T>(T) {
            for (std::int64_t b = 0; b < batch; ++b)
                for (const LayerChanges::Rows& wish : changes.rows) {
                    if (wish.site != site) continue;
                    const T* other =
                        wish.other ? wish.other.data<T>() + wish.block * rows * width : nullptr;
                    change(wish, host.data<T>() + (b * blocks + wish.block) * rows * width, other);
                }
        });
    });
}

}  // namespace headloom
