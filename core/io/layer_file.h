#pragma once

#include "core/base/error.h"
#include "core/models/attention_layer.h"

#include <filesystem>

namespace headloom {

/// A single attention layer and its input, as `headloom-cli layer` reads it (semantics.md): x
/// [N, D], wq/wk/wv [H, D, d], wo [D, D] (optional), alpha_q/alpha_k/alpha_v [H, H, P] and collapse
/// [H, H*P] or [H, P] (absent: MHA). Other tensors in the file are left alone.
struct LayerFile {
    Tensor x;                  ///< [1, N, D]
    AttentionWeights weights;  ///< wO as [H, d, D]
    AttentionKind kind = AttentionKind::mha;
    CollapseKind collapse = CollapseKind::full;
    int nHeads = 0, dHead = 0, nPseudo = 1;

    std::int64_t tokens() const { return x.size(1); }
    std::int64_t width() const { return x.size(2); }
};

/// float64 if every tensor used is F64, else float32: the precision the file is meant for.
/// Errors: every one of SafetensorsFile; a tensor missing or of a shape that fits no layer, with
/// what was expected and found.
Result<LayerFile> loadLayerFile(const std::filesystem::path& path);
/// The same, as one type.
Result<LayerFile> loadLayerFile(const std::filesystem::path& path, DType as);

/// [H, P, P, N, N] tiles (or with a leading 1) as the map over virtual tokens, [H, N*P, N*P] with
/// token n, pseudo p at n*P + p. Same type, host.
Tensor interleavedMaps(const Tensor& tiles);

/// Writes y [N, D] and maps [H, N*P, N*P] as F32, atomically.
Result<void> saveLayerResult(const std::filesystem::path& path, const Tensor& y,
                             const Tensor& tiles);

}  // namespace headloom
