#include "views/viewmodels/map_view.h"

#include "views/viewmodels/column_run.h"

#include <limits>
#include <numeric>

namespace headloom {

namespace {

/// A pointer into a tensor that keeps its memory.
std::shared_ptr<const float> at(const Tensor& tensor, std::int64_t offset) {
    auto keep = std::make_shared<Tensor>(tensor);
    return {keep, keep->data<float>() + offset};
}

double sumAt(const float* row, const std::vector<int>& positions) {
    double sum = 0;
    for (const int position : positions) sum += row[position];
    return sum;
}

/// Which cells of tile (p, r) no query may see (iha.md 2).
void setMask(MapView& view, const LayerConfig& layer) {
    view.window = layer.window;
    switch (layer.mask) {
        case MaskKind::none:
            view.maskedFrom = std::numeric_limits<int>::max();
            break;
        case MaskKind::token:
            view.maskedFrom = 1;
            break;
        case MaskKind::flat:
            view.maskedFrom = !view.ref.effective && view.ref.r > view.ref.p ? 0 : 1;
            break;
    }
}

const LayerConfig& layerOf(const ColumnRun& column, int layer) {
    return column.config().layers[static_cast<std::size_t>(column.clampedLayer(layer))];
}

}  // namespace

std::vector<MapView> tileViews(const ColumnRun& column, int layer, int head, int row) {
    const Tensor& maps = column.maps(layer);
    const int index = column.mapIndex(layer, head);
    if (index < 0) return {};
    const int pseudos = column.pseudos(layer);
    const int n = column.run->rows;
    const int shown = column.clampedRow(row);
    const std::vector<int> evidence = column.run->evidence(shown);
    const LayerMasses& masses = column.masses[static_cast<std::size_t>(column.clampedLayer(layer))];
    const int massIndex = column.massIndex(layer, head);
    std::vector<MapView> views;
    for (int p = 0; p < pseudos; ++p) {
        for (int r = 0; r < pseudos; ++r) {
            const std::int64_t tile =
                (static_cast<std::int64_t>(index) * pseudos + p) * pseudos + r;
            MapView view;
            view.ref = MapRef::tile(head, p, r);
            view.values = at(maps, tile * n * n);
            view.rows = view.cols = n;
            setMask(view, layerOf(column, layer));
            view.mass = masses.mean(massIndex, p, r, shown);
            view.rowMass = masses.row(massIndex, p, r, shown);
            view.evidence =
                sumAt(view.values.get() + static_cast<std::ptrdiff_t>(shown) * n, evidence);
            views.push_back(std::move(view));
        }
    }
    return views;
}

std::vector<double> tileMasses(const ColumnRun& column, int layer, int head, int row) {
    const int index = column.massIndex(layer, head);
    if (index < 0 || column.linear(layer)) return {};
    const LayerMasses& masses = column.masses[static_cast<std::size_t>(column.clampedLayer(layer))];
    const int pseudos = column.pseudos(layer), shown = column.clampedRow(row);
    std::vector<double> all;
    for (int p = 0; p < pseudos; ++p)
        for (int r = 0; r < pseudos; ++r) all.push_back(masses.mean(index, p, r, shown));
    return all;
}

std::vector<MapView> effectiveViews(const ColumnRun& column, int layer) {
    const Tensor maps = column.effectiveMaps(layer);
    if (!maps) return {};
    const int heads = column.heads();
    const int n = column.run->rows;
    std::vector<MapView> views;
    for (int target = 0; target < heads; ++target) {
        for (int source = 0; source < heads; ++source) {
            MapView view;
            view.ref = MapRef::effectiveMap(target, source);
            view.values = at(maps, (static_cast<std::int64_t>(target) * heads + source) * n * n);
            view.rows = view.cols = n;
            setMask(view, layerOf(column, layer));
            views.push_back(std::move(view));
        }
    }
    return views;
}

MapView renormalised(const MapView& view) {
    auto copy = std::make_shared<std::vector<float>>(
        view.values.get(), view.values.get() + static_cast<std::ptrdiff_t>(view.rows) * view.cols);
    for (int row = 0; row < view.rows; ++row) {
        const auto first = copy->begin() + static_cast<std::ptrdiff_t>(row) * view.cols;
        const double sum = std::accumulate(first, first + view.cols, 0.0);
        if (sum <= 0) continue;
        for (auto value = first; value != first + view.cols; ++value)
            *value = static_cast<float>(*value / sum);
    }
    MapView made = view;
    made.values = std::shared_ptr<const float>(copy, copy->data());
    return made;
}

bool isMasked(const ColumnRun& column, int layer, const CellRef& cell) {
    MapView view;
    view.ref = cell.map;
    setMask(view, layerOf(column, layer));
    return cell.key - cell.query >= view.maskedFrom ||
           (view.window > 0 && cell.query - cell.key >= view.window);
}

double valueAt(const ColumnRun& column, int layer, const CellRef& cell) {
    const int n = column.run->rows;
    const int heads = column.heads();
    const int pseudos = column.pseudos(layer);
    const MapRef& map = cell.map;
    const Tensor maps = map.effective ? column.effectiveMaps(layer) : column.maps(layer);
    const int held = map.effective ? map.head : column.mapIndex(layer, map.head);
    const bool inside = held >= 0 && cell.query >= 0 && cell.query < n && cell.key >= 0 &&
                        cell.key < n && map.head < heads && map.source < heads && map.p < pseudos &&
                        map.r < pseudos;
    if (!maps || !inside) return std::numeric_limits<double>::quiet_NaN();
    const std::int64_t index =
        map.effective ? static_cast<std::int64_t>(map.head) * heads + map.source
                      : (static_cast<std::int64_t>(held) * pseudos + map.p) * pseudos + map.r;
    return maps.data<float>()[(index * n + cell.query) * n + cell.key];
}

}  // namespace headloom
