#pragma once

#include "core/analysis/pooled_matrix.h"
#include "core/io/tensor_source.h"

namespace headloom {

/// Which elements of a tensor are looked at.
struct TensorPart {
    enum class Along {
        whole,
        leading,  ///< one of the matrices that a tensor of more than two axes is made of
        rows,     ///< one of `parts` equal parts of a matrix's rows, such as a head's
        columns
    };
    Along along = Along::whole;
    std::int64_t parts = 1;  ///< rows and columns only
    std::int64_t index = 0;
    friend bool operator==(const TensorPart&, const TensorPart&) = default;
};

/// How many matrices a tensor of this shape holds: 1 of two axes, the product of the first axes of
/// more, 0 of less.
std::int64_t matrixCount(const std::vector<std::int64_t>& shape);

/// Elements to go through and the matrix that they make.
struct PartElements {
    ElementSource elements;
    std::int64_t rows = 0, columns = 0;  ///< 0: they are no one matrix
    bool isMatrix() const { return rows > 0 && columns > 0; }
};

/// Errors: a type that is not read, a part that the tensor does not have.
Result<PartElements> partOf(const TensorSource& source, const TensorEntry& entry,
                            const TensorPart& part);

/// What is shown of a part at once.
struct TensorInspection {
    TensorStatistics statistics;
    PooledMatrix picture;  ///< empty where the part is no matrix
};
inline constexpr int inspectionBins = 64;
inline constexpr std::int64_t inspectionPixels = 256;  ///< most rows and columns of the picture

/// Goes through the elements block by block. Nothing where `cancelled` said so.
std::optional<TensorInspection> inspect(const PartElements& part,
                                        const std::function<bool()>& cancelled);

/// Why there are no singular values.
enum class SpectrumLimit { none, notAMatrix, tooLarge, notFinite };
/// Matrices are refused that would take many seconds.
inline constexpr std::int64_t spectrumSide = 512;          ///< of the smaller side
inline constexpr std::int64_t spectrumElements = 1 << 22;  ///< of both together
SpectrumLimit spectrumLimit(const PartElements& part, const TensorStatistics& statistics);

/// Largest first. Of a part without a limit. `cancelled` is polled; true gives nothing.
std::vector<double> spectrumOf(const PartElements& part,
                               const std::function<bool()>& cancelled = {});

}  // namespace headloom
