#pragma once

#include "core/backend/params.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// What a backend says of itself.
struct DeviceInfo {
    std::string name;         ///< "reference", "cpu", "cuda", "cuda-tf32"
    std::string description;  ///< for the status line: "CPU, 2 threads, AVX2 kernels"
    int threads = 1;
    bool isHost = true;  ///< tensors can be read through Tensor::data
    /// What a product of two float32 may be off by, relatively: 2^-23, or 2^-10 where its factors
    /// are rounded to 10 bits first (TF32).
    double unit = 0x1p-23;
};

/// The seam for compute: every operator that MHA and IHA need, forward and backward.
///
/// Letters: B batch, N tokens (Nq query rows, Nk keys), D model width, H heads, G key/value heads
/// (H is a multiple of G; G = H unless grouped), P pseudo-heads (1 for MHA), d head width, R rows
/// (any leading axes flattened), V classes. All tensors are contiguous, of one floating type.
///
/// Conventions
/// - Forward operators overwrite their outputs. Backward operators ADD to the gradients they are
///   given, so one tensor may collect from several users; an empty gradient Tensor is skipped.
/// - Outputs are allocated by the caller. Shapes that do not fit are our own mistake: asserted.
/// - A failing device throws BackendFailure; nothing else is thrown.
/// - One Backend is used by one thread at a time.
class Backend {
  public:
    virtual ~Backend() = default;

    virtual DeviceInfo info() const = 0;
    /// Contents undefined. Memory goes back to the backend's pool with the last handle, which may
    /// outlive the backend and be dropped on any thread.
    virtual Tensor allocate(const Shape& shape, DType type) = 0;
    virtual void zero(const Tensor& out) = 0;
    virtual void upload(const Tensor& host, const Tensor& out) = 0;
    virtual void download(const Tensor& in, const Tensor& host) = 0;

    // What saves a device some waiting. A host has nothing to add to what is written here.

    /// The backend's own copy of a host tensor that is never written again, such as a model's
    /// weights: kept as long as the host's numbers are, so that asking again uploads nothing.
    virtual Tensor resident(const Tensor& host) { return host; }
    /// Host memory that a device can write while it goes on computing. Contents undefined.
    virtual Tensor allocateHost(const Shape& shape, DType type) {
        return Tensor::host(shape, type);
    }
    /// A download whose numbers are in `host` when finishDownloads has returned. Until then `in`
    /// must not be written; both may be dropped.
    virtual void startDownload(const Tensor& in, const Tensor& host) { download(in, host); }
    virtual void finishDownloads() {}
    /// Calls `work`, whose operators a device may start all at once when it returns: nothing may be
    /// downloaded in it, and uploads come from allocateHost and stay until a later download. For
    /// work that is done over and over at the same shapes, such as a decoding step.
    virtual void together(const std::function<void()>& work) { work(); }

    // ---- tokens -----------------------------------------------------------------------------
    /// out[b, n] = sum_k table[ids[b, n, k]] + positions[start + n]. ids [B, N] or [B, N, K] i32,
    /// where several tokens share a position; from k = 1 on a negative id stands for none.
    /// table [V, D]; positions [nCtx, D] or empty; out [B, N, D].
    virtual void embed(const Tensor& ids, const Tensor& table, const Tensor& positions,
                       std::int64_t start, const Tensor& out) = 0;
    virtual void embedBackward(const Tensor& ids, const Tensor& dOut, const Tensor& dTable,
                               const Tensor& dPositions) = 0;

    // ---- rows -------------------------------------------------------------------------------
    /// RMSNorm: x / sqrt(mean(x^2) + epsilon) * weight. LayerNorm: (x - mean) / sqrt(var + epsilon)
    /// * weight + bias. x, out [R, D]; weight [D]; bias [D], LayerNorm only (may be empty);
    /// statistics [R, 2] receives mean (0 for RMS) and reciprocal deviation.
    virtual void norm(NormKind kind, double epsilon, const Tensor& x, const Tensor& weight,
                      const Tensor& bias, const Tensor& out, const Tensor& statistics) = 0;
    virtual void normBackward(NormKind kind, const Tensor& x, const Tensor& weight,
                              const Tensor& statistics, const Tensor& dOut, const Tensor& dX,
                              const Tensor& dWeight, const Tensor& dBias) = 0;

    /// out = x W + bias. x [R, I]; weight [I, O] (vectors multiply from the left); bias [O] or
    /// empty; out [R, O].
    virtual void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const Tensor& out) = 0;
    virtual void linearBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                const Tensor& dX, const Tensor& dWeight, const Tensor& dBias) = 0;

    /// out = x W^T + bias with the weight as a table of rows [O, I]: a head that is the embedding.
    /// x [R, I]; bias [O] or empty; out [R, O].
    virtual void linearTransposed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                  const Tensor& out) = 0;
    virtual void linearTransposedBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                          const Tensor& dX, const Tensor& dWeight,
                                          const Tensor& dBias) = 0;

    /// The activation of every number. Any shape.
    virtual void activate(Activation kind, const Tensor& x, const Tensor& out) = 0;
    virtual void activateBackward(Activation kind, const Tensor& x, const Tensor& dOut,
                                  const Tensor& dX) = 0;

    /// out = a * b, number by number. Any shape.
    virtual void gate(const Tensor& a, const Tensor& b, const Tensor& out) = 0;
    virtual void gateBackward(const Tensor& a, const Tensor& b, const Tensor& dOut,
                              const Tensor& dA, const Tensor& dB) = 0;

    /// out += x. Any shape.
    virtual void add(const Tensor& x, const Tensor& out) = 0;

    /// The K largest numbers of each row, largest first, of equal ones the first; what is not
    /// finite comes after all that is. x [R, V]; values [R, K] and their places ids [R, K] i32,
    /// 1 <= K <= V.
    virtual void topK(const Tensor& x, const Tensor& values, const Tensor& ids) = 0;

    // ---- attention --------------------------------------------------------------------------
    /// out[b, h] = x[b] W[h] + bias[h]. x [B, N, D]; weight [H, D, d]; bias [H, d] or empty;
    /// out [B, H, N, d].
    virtual void projectHeads(const Tensor& x, const Tensor& weight, const Tensor& bias,
                              const Tensor& out) = 0;
    virtual void projectHeadsBackward(const Tensor& x, const Tensor& weight, const Tensor& dOut,
                                      const Tensor& dX, const Tensor& dWeight,
                                      const Tensor& dBias) = 0;

    /// Pseudo-heads: out[b, h, p] = sum_m alpha[m, h, p] x[b, m] (paper eq. 3).
    /// x [B, M, N, d]; alpha [M, H, P] (source, target, pseudo); out [B, H, P, N, d].
    virtual void mixHeads(const Tensor& x, const Tensor& alpha, const Tensor& out) = 0;
    virtual void mixHeadsBackward(const Tensor& x, const Tensor& alpha, const Tensor& dOut,
                                  const Tensor& dX, const Tensor& dAlpha) = 0;

    /// Rotary embedding in place. x [B, H, P, N, d], the part that rotates of even width. Its
    /// gradient is the inverse rotation.
    virtual void rotate(const RotaryParams& params, const Tensor& x) = 0;

    /// cache[b, g, p, start + n] = rows[b, g, p, n]: appends to a key or value cache.
    /// rows [B, G, P, n, d]; cache [B, G, P, C, d] with C >= start + n.
    virtual void append(const Tensor& rows, std::int64_t start, const Tensor& cache) = 0;

    /// y[b,h,p,i] = sum_{r,j} A[b,h,p,r,i,j] v[b,g,r,j] with g = h*G/H, where A is the score
    /// function of scale * q.k over the allowed (r, j) of each (p, i): for softmax one distribution
    /// over all P*Nk pseudo-keys, so a row of one tile sums to its mass, not to 1.
    /// q [B, H, P, Nq, d]; k [B, G, P, C, d]; v [B, G, P, C, e]; y [B, H, P, Nq, e]. The first
    /// Nk = params.keyCount of the C rows are used (all, if 0).
    /// maps [B, H, P, P, Nq, Nk] (query pseudo, key pseudo) receives A after the multiplier, masked
    /// cells 0; empty: nothing of size Nq x Nk is kept. A row with no allowed key gives zeros.
    virtual void attention(const AttentionParams& params, const Tensor& q, const Tensor& k,
                           const Tensor& v, const Tensor& y, const Tensor& maps) = 0;
    /// Needs the maps of the forward call. Softmax and linear scores, no multiplier.
    virtual void attentionBackward(const AttentionParams& params, const Tensor& q, const Tensor& k,
                                   const Tensor& v, const Tensor& maps, const Tensor& dY,
                                   const Tensor& dQ, const Tensor& dK, const Tensor& dV) = 0;

    // `attention` at P = 1 in three steps, for the kinds that work on the maps between them
    // (talking heads, differential attention): tensors of size Nq x Nk are kept. Here q and y are
    // [B, H, Nq, d or e], k and v [B, G, C, d or e] of whose C rows the first Nk are used, and
    // scores and maps [B, H, Nq, Nk]. Nk is taken from scores and maps; g = h*G/H.

    /// scores[b, h, i, j] = scale * q[b, h, i].k[b, g, j] for all cells, those that a mask will
    /// hide included.
    virtual void attentionScores(const AttentionParams& params, const Tensor& q, const Tensor& k,
                                 const Tensor& scores) = 0;
    virtual void attentionScoresBackward(const AttentionParams& params, const Tensor& q,
                                         const Tensor& k, const Tensor& dScores, const Tensor& dQ,
                                         const Tensor& dK) = 0;
    /// maps = the score function of each row over its allowed keys; masked cells, and rows without
    /// an allowed key, 0. No multiplier.
    virtual void attentionPattern(const AttentionParams& params, const Tensor& scores,
                                  const Tensor& maps) = 0;
    /// Softmax and linear scores. Masked cells get no gradient.
    virtual void attentionPatternBackward(const AttentionParams& params, const Tensor& maps,
                                          const Tensor& dMaps, const Tensor& dScores) = 0;
    /// maps[b, h, i, j] *= multiplier[h, 0, 0, i, j], in place: what AttentionParams::multiplier
    /// does to the weights. [H, 1, 1, Nq, Nk] where each axis is either full or 1.
    virtual void scaleMaps(const Tensor& multiplier, const Tensor& maps) = 0;
    /// y[b, h, i] = sum_j maps[b, h, i, j] v[b, g, j]; maps may have any sign.
    virtual void attentionValues(const Tensor& maps, const Tensor& v, const Tensor& y) = 0;
    virtual void attentionValuesBackward(const Tensor& maps, const Tensor& v, const Tensor& dY,
                                         const Tensor& dMaps, const Tensor& dV) = 0;

    /// z[b, n, h] = sum_{h', p} R[h, h'*P + p] y[b, h', p, n]; or with R [H, P] the per-head form
    /// sum_p R[h, p] y[b, h, p, n]; or with R empty and P = 1 a plain copy. y [B, H, P, N, d];
    /// z [B, N, H, d], so that a row is the concatenation of the heads.
    virtual void collapse(const Tensor& y, const Tensor& r, const Tensor& z) = 0;
    virtual void collapseBackward(const Tensor& y, const Tensor& r, const Tensor& dZ,
                                  const Tensor& dY, const Tensor& dR) = 0;

    /// Effective maps M[b, g, m] (iha.md 4): the coefficient of v_m[j] in z_g[i],
    /// sum_{h,p,r} R[g, hP+p] alphaV[m, h, r] A[b, h, p, r]. Per-head R only has h = g. Empty
    /// alphaV and r: the maps on the diagonal. maps [B, H, P, P, Nq, Nk]; out [B, H, M, Nq, Nk].
    virtual void effectiveMaps(const Tensor& maps, const Tensor& alphaV, const Tensor& r,
                               const Tensor& out) = 0;

    // ---- learning ---------------------------------------------------------------------------
    /// Sum over rows with target >= 0 of -log softmax(logits)[target], times weight.
    /// logits [R, V]; targets [R] i32, negative: not counted. dLogits [R, V], overwritten with
    /// weight * (softmax - onehot), zero rows where not counted; may be empty.
    virtual double crossEntropy(const Tensor& logits, const Tensor& targets, double weight,
                                const Tensor& dLogits) = 0;
    virtual double sumOfSquares(const Tensor& x) = 0;
    virtual void adamw(const AdamWParams& params, const Tensor& weight, const Tensor& gradient,
                       const Tensor& firstMoment, const Tensor& secondMoment) = 0;
};

/// Plain loops in float64 and float32, written to be read as a lesson.
std::unique_ptr<Backend> makeReferenceBackend();
/// Vectorised float32; threads >= 1. Picks AVX2 or baseline kernels by what the processor has.
std::unique_ptr<Backend> makeCpuBackend(int threads);

/// Names that makeBackend takes: "auto" (the processor), "cpu", "cuda", "cuda-tf32" (the same with
/// matrix products in TF32, which leaves three digits), "reference".
std::vector<std::string> backendNames();
Result<std::unique_ptr<Backend>> makeBackend(const std::string& name, int threads);

}  // namespace headloom
