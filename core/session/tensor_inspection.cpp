#include "core/session/tensor_inspection.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

using Along = TensorPart::Along;

/// Rows row .. of a matrix that lies in the elements of a reader, of which a window is seen.
struct Window {
    std::int64_t first = 0;  ///< element of the corner
    std::int64_t width = 0;  ///< of the matrix it is cut from
    std::int64_t rows = 0, columns = 0;
};

ElementSource elementsOf(const TensorReader& reader, const Window& window) {
    return {
        window.rows * window.columns, [reader, window](std::int64_t first, std::span<float> out) {
            while (!out.empty()) {
                const std::int64_t row = first / window.columns, column = first % window.columns;
                const auto taken =
                    std::min(out.size(), static_cast<std::size_t>(window.columns - column));
                reader.read(window.first + row * window.width + column, out.first(taken));
                out = out.subspan(taken);
                first += static_cast<std::int64_t>(taken);
            }
        }};
}

tl::unexpected<Error> noSuchPart(const TensorEntry& entry, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, entry.name, std::move(what), std::move(remedy));
}

/// The part of a tensor that has at least two axes.
Result<Window> windowOf(const TensorEntry& entry, const TensorPart& part) {
    const std::int64_t rows = entry.shape[entry.shape.size() - 2], columns = entry.shape.back();
    if (part.along == Along::leading)
        return Window{part.index * rows * columns, columns, rows, columns};
    const std::int64_t side = part.along == Along::rows ? rows : columns;
    if (side % part.parts != 0)
        return noSuchPart(entry,
                          fmt::format("{} {} do not make {} equal parts", side,
                                      part.along == Along::rows ? "rows" : "columns", part.parts),
                          "choose a number that divides them");
    const std::int64_t each = side / part.parts;
    if (part.along == Along::rows)
        return Window{part.index * each * columns, columns, each, columns};
    return Window{part.index * each, columns, rows, each};
}

}  // namespace

std::int64_t matrixCount(const std::vector<std::int64_t>& shape) {
    if (shape.size() < 2) return 0;
    std::int64_t count = 1;
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) count *= shape[axis];
    return count;
}

Result<PartElements> partOf(const TensorSource& source, const TensorEntry& entry,
                            const TensorPart& part) {
    auto reader = source.reader(entry);
    if (!reader) return tl::unexpected(reader.error());
    const std::int64_t matrices = matrixCount(entry.shape);
    if (part.along == Along::whole) {
        PartElements whole;
        whole.elements = {
            reader->count(),
            [all = *reader](std::int64_t first, std::span<float> out) { all.read(first, out); }};
        if (matrices == 1) {
            whole.rows = entry.shape[entry.shape.size() - 2];
            whole.columns = entry.shape.back();
        }
        return whole;
    }
    const bool leading = part.along == Along::leading;
    const std::int64_t parts = leading ? matrices : part.parts;
    if (matrices < 1 || (!leading && matrices != 1) || part.index < 0 || part.index >= parts)
        return noSuchPart(entry, fmt::format("has no part {} of {}", part.index, parts),
                          "choose a part of a matrix");
    const auto window = windowOf(entry, part);
    if (!window) return tl::unexpected(window.error());
    return PartElements{elementsOf(*reader, *window), window->rows, window->columns};
}

std::optional<TensorInspection> inspect(const PartElements& part,
                                        const std::function<bool()>& cancelled) {
    TensorInspection made;
    auto statistics = statisticsOf(part.elements, inspectionBins, cancelled);
    if (!statistics) return std::nullopt;
    made.statistics = std::move(*statistics);
    if (!part.isMatrix()) return made;
    auto picture = pooled(part.elements, part.rows, part.columns, inspectionPixels, cancelled);
    if (!picture) return std::nullopt;
    made.picture = std::move(*picture);
    return made;
}

SpectrumLimit spectrumLimit(const PartElements& part, const TensorStatistics& statistics) {
    if (!part.isMatrix()) return SpectrumLimit::notAMatrix;
    if (std::min(part.rows, part.columns) > spectrumSide || part.elements.count > spectrumElements)
        return SpectrumLimit::tooLarge;
    return statistics.finite() == statistics.count ? SpectrumLimit::none : SpectrumLimit::notFinite;
}

std::vector<double> spectrumOf(const PartElements& part, const std::function<bool()>& cancelled) {
    const Tensor matrix = Tensor::host({part.rows, part.columns}, DType::f32);
    part.elements.read(0, matrix.values<float>());
    return singularValues(matrix, cancelled);
}

}  // namespace headloom
