#pragma once

#include "core/models/model.h"
#include "core/session/chain_run.h"

#include <memory>

namespace headloom::testing {

/// A layer of a kind (IHA: P = 3) below one of MHA, with an MLP: small enough to run at every test
/// and to compare in full.
inline std::shared_ptr<Model> smallModel(AttentionKind kind) {
    auto model = std::make_shared<Model>();
    ModelConfig& config = model->config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dMlp = 5;
    config.dVocab = 6;
    config.nCtx = 24;
    config.layers = {{kind, kind == AttentionKind::iha ? 3 : 1}, {AttentionKind::mha, 1}};
    model->vocabulary = Vocabulary({"a", "b", "c", "d", "e", "f"});
    model->weights = initialWeights(config, 3);
    return model;
}

/// Seven tokens for it.
inline ChainRequest sevenTokens(std::shared_ptr<const Model> model) {
    ChainRequest request;
    request.model = std::move(model);
    request.prompt = {0, 3, 1, 1, 4, 2, 0};
    return request;
}

}  // namespace headloom::testing
