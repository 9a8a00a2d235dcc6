#pragma once

// Part of kernels_impl.h: matrix products.

#include "core/backend/cpu/simd.h"

namespace headloom::cpu {
namespace {

// 6 x 2 accumulators, 2 columns of B, 1 of A: 15 of 16 registers. AVX-512 has 32, and 8 divides the
// sizes of most models.
constexpr int tileRows = lanes == 16 ? 8 : 6;
constexpr int tileVectors = 2;  // per row
constexpr int panelWidth = tileVectors * lanes;
constexpr Index blockK = 4096 / panelWidth;  // a panel of B, 16 KiB, stays in the first-level cache
constexpr Index blockM = 96;                 // rows of A that share it: second level
constexpr Index blockN =
    32768 / blockK;  // columns of B brought into panels at a time: 128 KiB, second level

HEADLOOM_INLINE Index lesser(Index a, Index b) {
    return a < b ? a : b;
}
HEADLOOM_INLINE Index greater(Index a, Index b) {
    return a > b ? a : b;
}
HEADLOOM_INLINE Index roundedUp(Index value, Index unit) {
    return (value + unit - 1) / unit * unit;
}

// Loops over a tile must be unrolled altogether, or its sums live in memory instead of registers.
#define HEADLOOM_UNROLL _Pragma("GCC unroll 8")

/// A tile whose columns are not whole vectors: by way of memory.
template <int Rows, int Vectors>
__attribute__((noinline)) void finishTile(const float* sums, float* c, Index cRow, Index columns,
                                          Start start, const float* bias) {
    for (int row = 0; row < Rows; ++row, sums += Vectors * lanes, c += cRow)
        for (Index column = 0; column < columns; ++column) {
            float value = sums[column];
            if (bias) value += bias[column];
            c[column] = start == Start::add ? c[column] + value : value;
        }
}

/// One tile of C: Rows x `columns`, columns <= Vectors * lanes. B must be readable to its full
/// width.
template <int Rows, int Vectors>
void tile(Index k, const float* a, Index aRow, Index aColumn, const float* b, Index bRow, float* c,
          Index cRow, Index columns, Start start, const float* bias) {
    Vector sum[Rows][Vectors];
    HEADLOOM_UNROLL for (int row = 0; row < Rows; ++row)
        HEADLOOM_UNROLL for (int column = 0; column < Vectors; ++column) sum[row][column] =
            Vector{};
    for (Index step = 0; step < k; ++step) {
        Vector right[Vectors];
        HEADLOOM_UNROLL for (int column = 0; column < Vectors; ++column) right[column] =
            load(b + column * lanes);
        HEADLOOM_UNROLL for (int row = 0; row < Rows; ++row) {
            const Vector left = all(a[row * aRow]);
            HEADLOOM_UNROLL for (int column = 0; column < Vectors; ++column) sum[row][column] +=
                left * right[column];
        }
        a += aColumn;
        b += bRow;
    }
    const bool whole = columns == Vectors * lanes;
    if (whole && bias) {
        HEADLOOM_UNROLL for (int column = 0; column < Vectors; ++column) {
            const Vector shift = load(bias + column * lanes);
            HEADLOOM_UNROLL for (int row = 0; row < Rows; ++row) sum[row][column] += shift;
        }
    }
    if (!whole) {
        float sums[Rows * Vectors * lanes];
        HEADLOOM_UNROLL for (int row = 0; row < Rows; ++row)
            HEADLOOM_UNROLL for (int column = 0; column < Vectors; ++column)
                store(sums + (row * Vectors + column) * lanes, sum[row][column]);
        finishTile<Rows, Vectors>(sums, c, cRow, columns, start, bias);
    } else if (start == Start::add) {
        HEADLOOM_UNROLL for (int row = 0; row < Rows; ++row)
            HEADLOOM_UNROLL for (int column = 0; column < Vectors; ++column) {
            float* to = c + row * cRow + column * lanes;
            store(to, load(to) + sum[row][column]);
        }
    } else {
        HEADLOOM_UNROLL for (int row = 0; row < Rows; ++row)
            HEADLOOM_UNROLL for (int column = 0; column < Vectors; ++column)
                store(c + row * cRow + column * lanes, sum[row][column]);
    }
}

/// The last rows of a panel, fewer than a whole tile.
template <int Rows, int Vectors>
HEADLOOM_INLINE void lastTile(Index m, Index k, const float* a, Index aRow, Index aColumn,
                              const float* b, Index bRow, float* c, Index cRow, Index columns,
                              Start start, const float* bias) {
    if constexpr (Rows > 0) {
        if (m == Rows)
            tile<Rows, Vectors>(k, a, aRow, aColumn, b, bRow, c, cRow, columns, start, bias);
        else
            lastTile<Rows - 1, Vectors>(m, k, a, aRow, aColumn, b, bRow, c, cRow, columns, start,
                                        bias);
    }
}

/// All rows of one panel of B.
template <int Vectors>
void stripe(Index m, Index k, const float* a, Index aRow, Index aColumn, const float* b, Index bRow,
            float* c, Index cRow, Index columns, Start start, const float* bias) {
    for (; m >= tileRows; m -= tileRows, a += tileRows * aRow, c += tileRows * cRow)
        tile<tileRows, Vectors>(k, a, aRow, aColumn, b, bRow, c, cRow, columns, start, bias);
    lastTile<tileRows - 1, Vectors>(m, k, a, aRow, aColumn, b, bRow, c, cRow, columns, start, bias);
}

void stripe(Index m, Index k, const float* a, Index aRow, Index aColumn, const float* b, Index bRow,
            float* c, Index cRow, Index columns, Start start, const float* bias) {
    if (columns <= lanes)
        stripe<1>(m, k, a, aRow, aColumn, b, bRow, c, cRow, columns, start, bias);
    else
        stripe<2>(m, k, a, aRow, aColumn, b, bRow, c, cRow, columns, start, bias);
}

/// Rows of `columns` floats, padded with zeros to panelWidth.
HEADLOOM_INLINE void copyPanel(Index k, Index columns, const float* b, Index bRow, float* panel) {
    if (columns == panelWidth) {
        for (Index step = 0; step < k; ++step, b += bRow, panel += panelWidth)
            for (int column = 0; column < tileVectors; ++column)
                store(panel + column * lanes, load(b + column * lanes));
        return;
    }
    for (Index step = 0; step < k; ++step, b += bRow, panel += panelWidth)
        for (Index column = 0; column < panelWidth; ++column)
            panel[column] = column < columns ? b[column] : 0.f;
}

/// B in panels, read row by row: memory is fetched in the order it lies in.
HEADLOOM_INLINE void copyPanels(Index k, Index columns, const float* b, Index bRow, float* panels) {
    const Index whole = columns / panelWidth * panelWidth;
    for (Index step = 0; step < k; ++step) {
        const float* from = b + step * bRow;
        float* to = panels + step * panelWidth;
        for (Index column = 0; column < whole; column += panelWidth, to += k * panelWidth)
            for (int part = 0; part < tileVectors; ++part)
                store(to + part * lanes, load(from + column + part * lanes));
    }
    if (whole < columns) copyPanel(k, columns - whole, b + whole, bRow, panels + whole * k);
}

/// Rows m0..m1-1 of a product whose B is [k, panelWidth] panels.
HEADLOOM_INLINE void multiplyPanels(const Product& t, Index k, const float* panels, Start start) {
    for (Index m0 = 0; m0 < t.m; m0 += blockM)
        for (Index n0 = 0; n0 < t.n; n0 += panelWidth)
            stripe(lesser(blockM, t.m - m0), k, t.a + m0 * t.aRow, t.aRow, t.aColumn,
                   panels + n0 * k, panelWidth, t.c + m0 * t.cRow + n0, t.cRow,
                   lesser(panelWidth, t.n - n0), start, t.bias ? t.bias + n0 : nullptr);
}

/// Few rows, whole vectors: B where it lies.
HEADLOOM_INLINE void multiplyInPlace(const Product& t) {
    for (Index k0 = 0; k0 < t.k; k0 += blockK)
        for (Index n0 = 0; n0 < t.n; n0 += panelWidth)
            stripe(t.m, lesser(blockK, t.k - k0), t.a + k0 * t.aColumn, t.aRow, t.aColumn,
                   t.b + k0 * t.bRow + n0, t.bRow, t.c + n0, t.cRow, lesser(panelWidth, t.n - n0),
                   k0 == 0 ? t.start : Start::add, t.bias && k0 == 0 ? t.bias + n0 : nullptr);
}

/// Without terms to sum, where A and B may be null: the bias alone.
void addBias(const Product& t) {
    for (Index row = 0; row < t.m; ++row)
        for (Index column = 0; column < t.n; ++column) {
            const float bias = t.bias ? t.bias[column] : 0.f;
            float& c = t.c[row * t.cRow + column];
            c = t.start == Start::add ? c + bias : bias;
        }
}

void multiply(const Product& t) {
    if (t.k == 0) return addBias(t);
    const bool isPanel = t.bRow == t.n && (t.n == panelWidth || t.n == lanes);
    if (t.n % lanes == 0 && (isPanel || t.m <= 2 * tileRows)) return multiplyInPlace(t);
    alignas(64) float panels[blockK * blockN];
    for (Index n0 = 0; n0 < t.n; n0 += blockN)
        for (Index k0 = 0; k0 < t.k; k0 += blockK) {
            Product part = t;
            part.n = lesser(blockN, t.n - n0);
            part.a += k0 * t.aColumn;
            part.c += n0;
            part.bias = t.bias && k0 == 0 ? t.bias + n0 : nullptr;
            const Index k = lesser(blockK, t.k - k0);
            copyPanels(k, part.n, t.b + k0 * t.bRow + n0, t.bRow, panels);
            multiplyPanels(part, k, panels, k0 == 0 ? t.start : Start::add);
        }
}

void multiplyPacked(const PackedProduct& t) {
    const float* b = t.b;
    for (Index n0 = 0; n0 < t.n; n0 += panelWidth, b += t.panelStride)
        stripe<2>(t.m, t.k, t.a, t.aRow, 1, b, panelWidth, t.c + n0, t.cRow, panelWidth,
                  Start::zero, nullptr);
}

void moveRows(Index rows, Index width, const float* from, Index fromRow, float* to, Index toRow,
              Start start) {
    for (; rows > 0; --rows, from += fromRow, to += toRow)
        inVectors(
            width,
            [&](Index at) {
                const Vector value = load(from + at);
                store(to + at, start == Start::add ? load(to + at) + value : value);
            },
            [&](Index at, Index count) {
                for (Index i = at; i < at + count; ++i)
                    to[i] = start == Start::add ? to[i] + from[i] : from[i];
            });
}

constexpr int squareSide = lanes < 8 ? 4 : 8;
typedef float SquareRow __attribute__((vector_size(4 * squareSide)));

/// A square of squareSide x squareSide.
HEADLOOM_INLINE void transposeSquare(const float* from, Index fromRow, float* to, Index toRow) {
    SquareRow rows[squareSide], pairs[squareSide];
    HEADLOOM_UNROLL for (int i = 0; i < squareSide; ++i)
        __builtin_memcpy(&rows[i], from + i * fromRow, sizeof(SquareRow));
    const auto put = [&](int row, SquareRow value) __attribute__((always_inline)) {
        __builtin_memcpy(to + row * toRow, &value, sizeof value);
    };
#if defined(HEADLOOM_256) || defined(HEADLOOM_512)
    HEADLOOM_UNROLL for (int i = 0; i < 4; ++i) {
        pairs[2 * i] =
            __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[2 * i + 1] =
            __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    HEADLOOM_UNROLL for (int i = 0; i < 2; ++i) HEADLOOM_UNROLL for (int j = 0; j < 2; ++j) {
        const SquareRow a = pairs[4 * i + j], b = pairs[4 * i + j + 2];
        rows[4 * i + 2 * j] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
        rows[4 * i + 2 * j + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    HEADLOOM_UNROLL for (int i = 0; i < 4; ++i) {
        put(i, __builtin_shufflevector(rows[i], rows[i + 4], 0, 1, 2, 3, 8, 9, 10, 11));
        put(i + 4, __builtin_shufflevector(rows[i], rows[i + 4], 4, 5, 6, 7, 12, 13, 14, 15));
    }
#else
    HEADLOOM_UNROLL for (int i = 0; i < 2; ++i) {
        pairs[i] = __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 0, 4, 1, 5);
        pairs[i + 2] = __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 2, 6, 3, 7);
    }
    HEADLOOM_UNROLL for (int i = 0; i < 2; ++i) {
        put(2 * i, __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 0, 1, 4, 5));
        put(2 * i + 1, __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 2, 3, 6, 7));
    }
#endif
}

void transpose(Index rows, Index columns, const float* from, Index fromRow, float* to,
               Index toRow) {
    const Index wholeRows = rows / squareSide * squareSide;
    const Index wholeColumns = columns / squareSide * squareSide;
    for (Index row = 0; row < wholeRows; row += squareSide)
        for (Index column = 0; column < wholeColumns; column += squareSide)
            transposeSquare(from + row * fromRow + column, fromRow, to + column * toRow + row,
                            toRow);
    for (Index row = 0; row < rows; ++row)
        for (Index column = row < wholeRows ? wholeColumns : 0; column < columns; ++column)
            to[column * toRow + row] = from[row * fromRow + column];
}

void packTransposed(Index k, Index n, const float* b, Index bRow, float* panels) {
    for (Index n0 = 0; n0 < n; n0 += panelWidth, panels += k * panelWidth) {
        const Index columns = lesser(panelWidth, n - n0);
        transpose(columns, k, b + n0 * bRow, bRow, panels, panelWidth);
        for (Index step = 0; columns < panelWidth && step < k; ++step)
            fill(panels + step * panelWidth + columns, panels + (step + 1) * panelWidth, 0.f);
    }
}

/// Rows x Columns dot products along k.
template <int Rows, int Columns>
void dots(Index k, const float* a, Index aRow, const float* b, Index bRow, float* c, Index cRow) {
    Vector sum[Rows][Columns] = {};
    const auto step = [&](auto fetch, Index at) __attribute__((always_inline)) {
        Vector right[Columns];
        for (int column = 0; column < Columns; ++column)
            right[column] = fetch(b + column * bRow + at);
        for (int row = 0; row < Rows; ++row) {
            const Vector left = fetch(a + row * aRow + at);
            for (int column = 0; column < Columns; ++column)
                sum[row][column] += left * right[column];
        }
    };
    inVectors(
        k, [&](Index at) { step([](const float* from) { return load(from); }, at); },
        [&](Index at, Index count) {
            step([count](const float* from) { return loadPart(from, count); }, at);
        });
    for (int row = 0; row < Rows; ++row)
        for (int column = 0; column < Columns; ++column)
            c[row * cRow + column] += sumOfLanes(sum[row][column]);
}

template <int Rows>
void dotRows(Index n, Index k, const float* a, Index aRow, const float* b, Index bRow, float* c,
             Index cRow) {
    for (; n >= 4; n -= 4, b += 4 * bRow, c += 4) dots<Rows, 4>(k, a, aRow, b, bRow, c, cRow);
    for (; n >= 1; --n, b += bRow, ++c) dots<Rows, 1>(k, a, aRow, b, bRow, c, cRow);
}

void multiplyRows(Index m, Index n, Index k, const float* a, Index aRow, const float* b, Index bRow,
                  float* c, Index cRow) {
    constexpr Index block = 1024;  // some 20 rows of it stay in the second-level cache
    for (Index k0 = 0; k0 < k; k0 += block) {
        const Index length = lesser(block, k - k0);
        Index row = 0;
        const auto next = [&] { return a + row * aRow + k0; };
        for (; row + 3 <= m; row += 3)
            dotRows<3>(n, length, next(), aRow, b + k0, bRow, c + row * cRow, cRow);
        if (m - row == 2) dotRows<2>(n, length, next(), aRow, b + k0, bRow, c + row * cRow, cRow);
        if (m - row == 1) dotRows<1>(n, length, next(), aRow, b + k0, bRow, c + row * cRow, cRow);
    }
}

}  // namespace
}  // namespace headloom::cpu
