#pragma once

#include <cstdint>

/// The arithmetic of the cpu backend: plain functions over raw pointers, no threads, no memory.
///
/// The same source is compiled once for every processor generation (kernels_v4.cpp,
/// kernels_v3.cpp, kernels_baseline.cpp) and chosen at run time. Nothing here may use an inline
/// function that another translation unit also instantiates: the linker would keep one copy for
/// both, built for the wrong processor. So: no standard templates, no Eigen, everything in unnamed
/// namespaces.
namespace headloom::cpu {

using Index = std::int64_t;

/// What a product starts from.
enum class Start : int { zero, add };

/// C[M, N] = or += A[M, K] B[K, N]. A may have any strides, so a transposed A costs nothing; B and
/// C have unit column stride. Every element sums over K in one fixed order whatever M and N are, so
/// a product may be split over its rows and columns without changing a bit.
struct Product {
    Index m = 0, n = 0, k = 0;
    const float* a = nullptr;
    Index aRow = 0, aColumn = 1;
    const float* b = nullptr;
    Index bRow = 0;
    float* c = nullptr;
    Index cRow = 0;
    Start start = Start::zero;
    const float* bias = nullptr;  ///< [N], added to every row; may be null
};

/// A product whose B was brought into panels by packTransposed: panel j holds columns
/// j * panelWidth onwards, K rows of panelWidth floats, zeros beyond the last column.
struct PackedProduct {
    Index m = 0, n = 0, k = 0;  ///< n is rounded up to whole panels by the kernel, C included
    const float* a = nullptr;
    Index aRow = 0;
    const float* b = nullptr;
    Index panelStride = 0;
    float* c = nullptr;
    Index cRow = 0;
};

enum class Mask : int { flat, token, none };
enum class Score : int { softmax, linear, hard };

enum class Curve : int { gelu, geluTanh, relu, silu, reluSquared, tanh };

/// Which keys a query sees: a range [low, high) of tokens for every key pseudo-head.
struct Visibility {
    Mask mask = Mask::flat;
    Index window = 0;      ///< 0: none
    Index queryStart = 0;  ///< token of query row 0
    Index nKeys = 0;
};

/// Attention of all query rows of one (batch, head, query pseudo).
struct AttentionTask {
    Index nPseudo = 1, nQueries = 0, dHead = 0, dValue = 0;
    Index p = 0;
    Visibility sees;
    Score score = Score::softmax;
    float scale = 1;
    const float* q = nullptr;           ///< [Nq, d]
    const float* packedKeys = nullptr;  ///< for every r: k[r] transposed, in panels
    Index packedKeysStride = 0;         ///< floats from one r to the next
    const float* v = nullptr;           ///< [P, rows, e]
    Index vStride = 0;                  ///< floats from one r to the next
    float* y = nullptr;                 ///< [Nq, e]
    float* maps = nullptr;              ///< [P, Nq, Nk] or null
    bool streamMaps = false;            ///< write them past the caches
    const float* multiplier = nullptr;  ///< null: none
    Index multiplierR = 0, multiplierI = 0, multiplierJ = 0;  ///< strides, 0 where the axis is 1
    bool renormalise = false;
    float* scratch = nullptr;   ///< attentionScratch floats
    Index* segments = nullptr;  ///< 3 P
};

/// Gradients of all query rows of one (batch, head). Null gradients are skipped.
struct AttentionGradient {
    Index nPseudo = 1, nQueries = 0, dHead = 0, dValue = 0;
    Visibility sees;
    bool linear = false;
    float scale = 1;
    const float* q = nullptr;             ///< [P, Nq, d]
    const float* k = nullptr;             ///< [P, rows, d]
    Index kStride = 0;                    ///< floats from one r to the next
    const float* packedValues = nullptr;  ///< for every r: v[r] transposed, in panels
    Index packedValuesStride = 0;
    const float* maps = nullptr;  ///< [P, P, Nq, Nk]
    const float* dY = nullptr;    ///< [P, Nq, e]
    float* dQ = nullptr;          ///< as q
    float* dK = nullptr;          ///< as k
    float* dV = nullptr;          ///< [P, rows, e]
    Index vStride = 0;
    float* scratch = nullptr;
    Index* segments = nullptr;  ///< 3 P
};

struct NormTask {
    Index rows = 0, width = 0;
    bool centred = false;  ///< LayerNorm; otherwise RMSNorm
    float epsilon = 0;
    const float* x = nullptr;
    const float* weight = nullptr;
    const float* bias = nullptr;  ///< may be null
    float* out = nullptr;
    float* statistics = nullptr;  ///< [rows, 2]
};

struct NormGradient {
    Index rows = 0, width = 0;
    bool centred = false;
    const float* x = nullptr;
    const float* weight = nullptr;
    const float* statistics = nullptr;
    const float* dOut = nullptr;
    float* dX = nullptr;
};

/// Largest logit and the sum of exp(logit - largest) of a row.
struct Normaliser {
    float largest = 0, sum = 0;
};

struct AdamWStep {
    float decay = 1;  ///< factor on the weight
    float gradientScale = 1, beta1 = 0, beta2 = 0;
    float rest1 = 1, rest2 = 1;  ///< 1 - beta, worked out in float64
    float rate = 0;              ///< learning rate over the first bias correction
    float secondCorrection = 1;  ///< the second moment is divided by it
    float epsilon = 0;
};

/// One build of the kernels.
struct Kernels {
    const char* name;  ///< "AVX-512", "AVX2", "baseline"
    Index panelWidth;  ///< columns of a panel
    Index tileRows;    ///< rows that a product works on at once; splits should be multiples

    void (*multiply)(const Product&);
    /// C[M, N] += A[M, K] B[N, K]^T, both with unit stride along K. For long K and few outputs.
    void (*multiplyRows)(Index m, Index n, Index k, const float* a, Index aRow, const float* b,
                         Index bRow, float* c, Index cRow);
    /// Brings the transpose of b, rows 0..n-1 of k floats, into panels of k rows.
    void (*packTransposed)(Index k, Index n, const float* b, Index bRow, float* panels);
    void (*multiplyPacked)(const PackedProduct&);
    /// to[row] = from[row], or += with Start::add, for rows of `width` floats.
    void (*moveRows)(Index rows, Index width, const float* from, Index fromRow, float* to,
                     Index toRow, Start start);
    void (*transpose)(Index rows, Index columns, const float* from, Index fromRow, float* to,
                      Index toRow);

    /// Query rows begin..end-1; begin must be a multiple of attentionRows.
    void (*attention)(const AttentionTask&, Index begin, Index end);
    Index attentionRows;
    Index (*attentionScratch)(Index nPseudo, Index nKeys, Index dHead);
    void (*attentionBackward)(const AttentionGradient&);
    Index (*attentionBackwardScratch)(Index nPseudo, Index nKeys, Index dValue);

    void (*norm)(const NormTask&);
    void (*normBackward)(const NormGradient&);
    /// dWeight[c] += sum over rows of dOut * (x - mean) * reciprocal deviation, for the columns
    /// begin..end-1; dBias[c] += sum of dOut. Either may be null.
    void (*normBackwardWeights)(const NormGradient&, float* dWeight, float* dBias, Index begin,
                                Index end);
    /// sum[c] += sum over rows of x[row, c], columns begin..end-1.
    void (*addColumns)(Index rows, Index width, const float* x, float* sum, Index begin, Index end);
    void (*activate)(Curve curve, Index count, const float* x, float* out);
    void (*activateBackward)(Curve curve, Index count, const float* x, const float* dOut,
                             float* dX);
    /// out = a * b, and sum += a * b.
    void (*times)(Index count, const float* a, const float* b, float* out);
    void (*addTimes)(Index count, const float* a, const float* b, float* sum);
    void (*add)(Index count, const float* x, float* out);
    /// out = a + b.
    void (*sum)(Index count, const float* a, const float* b, float* out);
    /// Turns the pairs (c, c + half) of every row of `width` floats by the angle whose cosine and
    /// sine stand in the tables [rows, half]; sinSign -1 turns back.
    void (*rotate)(Index rows, Index half, float* x, Index width, const float* cosine,
                   const float* sine, float sinSign);
    void (*exponential)(Index count, const float* x, float* out);
    void (*errorFunction)(Index count, const float* x, float* out);

    Normaliser (*normaliser)(Index count, const float* logits);
    /// out = weight * exp(logit - largest) / sum.
    void (*shares)(Index count, const float* logits, Normaliser of, float weight, float* out);
    double (*sumOfSquares)(Index count, const float* x);
    void (*adamw)(const AdamWStep&, Index count, float* weight, const float* gradient, float* first,
                  float* second);
};

/// Compiled for any processor of the architecture.
const Kernels& baselineKernels();
/// For x86-64-v3 (AVX2, FMA, BMI); null where this program or processor lacks them.
const Kernels* v3Kernels();
/// For x86-64-v4 (AVX-512 F, BW, CD, DQ, VL); null likewise.
const Kernels* v4Kernels();
/// The fastest set that runs here.
const Kernels& bestKernels();

}  // namespace headloom::cpu
