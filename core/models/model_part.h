#pragma once

#include "core/models/mixing_tensor.h"

#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// A part of a model that can be looked at, switched off or replaced on its own.
struct ModelPart {
    enum class Kind {
        layer,        ///< its attention and its MLP
        attention,    ///< all that a layer's attention writes
        mlp,          ///< all that a layer's MLP writes
        head,         ///< all pseudo-heads of a head, as queries
        pseudoQuery,  ///< a pseudo-head as query: what it reads
        pseudoKey,    ///< a pseudo-head as key and value: what is read from it
        pseudo,       ///< both
        tile,         ///< one pattern, of a pseudo-query over a pseudo-key family
        cell,         ///< one query-key pair of a tile
        weight        ///< one number of a mixing matrix
    };
    Kind kind = Kind::layer;
    int layer = 0;
    int head = 0;                                ///< from `head` on
    int queryPseudo = 0;                         ///< of pseudoQuery, pseudo, tile, cell
    int keyPseudo = 0;                           ///< of pseudoKey, pseudo (the same), tile, cell
    int query = 0, key = 0;                      ///< tokens of a cell
    MixingTensor matrix = MixingTensor::alphaQ;  ///< of a weight
    std::vector<int> index;  ///< of a weight: [source, target, pseudo], or [target, column] of R

    friend bool operator==(const ModelPart&, const ModelPart&) = default;

    static ModelPart ofHead(int layer, int head);
    static ModelPart ofTile(int layer, int head, int queryPseudo, int keyPseudo);
};

/// As a user writes it: "L1", "L1.attn", "L1.mlp", "L1H3", "L1H3.q0", "L1H3.k1", "L1H3.p0",
/// "L1H3.q0k1", "L1H3.q0k1[18,12]" (from token, to token), "L1.alphaQ[2,1,0]", "L1.R[0,3]". Heads
/// without pseudo-heads may leave them out of a cell: "L1H3[18,12]".
std::string nameOf(const ModelPart& part);
Result<ModelPart> partFrom(std::string_view text);

/// Says what of a part this model does not have. `rows`: tokens of the prompt.
Result<void> checkPart(const ModelPart& part, const ModelConfig& config, int rows);

/// All parts of a kind in a layer, in the order of their numbers. Cells, of which there are too
/// many, are not listed.
std::vector<ModelPart> partsOf(ModelPart::Kind kind, const ModelConfig& config, int layer);

}  // namespace headloom
