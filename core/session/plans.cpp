#include "core/session/plans.h"

namespace headloom {

namespace {

LayerConfig plainLayer(MaskKind mask = MaskKind::token) {
    LayerConfig layer;
    layer.mask = mask;
    return layer;
}

void interleave(ModelConfig& config, int nPseudo) {
    for (LayerConfig& layer : config.layers) {
        layer.kind = AttentionKind::iha;
        layer.nPseudo = nPseudo;
    }
}

void interleaveByTwo(Recipe& recipe) {
    interleave(recipe.config, 2);
}

void doublePositions(Recipe& recipe) {
    for (LayerConfig& layer : recipe.config.layers) layer.positionFactor = 2;
}

/// An MLP four times as wide as the model, and the rate of the toy tasks that have one.
void addMlp(Recipe& recipe) {
    recipe.config.dMlp = 4 * recipe.config.dModel;
    recipe.settings.learningRate = 3e-3;
}

template <int nHeads>
void withHeads(Recipe& recipe) {
    recipe.config.nHeads = nHeads;
}

constexpr void unchanged(Recipe&) {}

// Offset tasks: IHA's virtual positions turn P times as far a token, which alone sharpens offset
// heads, so MHA with doubled positions stands beside it; and MHA with more heads, because scarce
// heads are what these tasks are about.
constexpr Arm offsetArms[] = {{"mha", "MHA, 2 heads", unchanged},
                              {"mha-pm2", "MHA, 2 heads, positions x2", doublePositions},
                              {"mha-h4", "MHA, 4 heads", withHeads<4>},
                              {"iha", "IHA, 2 heads x 2", interleaveByTwo}};

constexpr Arm chainArms[] = {
    {"mha", "MHA, 4 heads", unchanged},
    {"iha", "IHA, 4 heads x 4", [](Recipe& recipe) { interleave(recipe.config, 4); }},
    {"iha-p2", "IHA, 2 heads x 2", [](Recipe& recipe) {
         recipe.config.nHeads = 2;
         interleave(recipe.config, 2);
     }}};

// With one layer both kinds fail: interleaving does not replace depth.
constexpr Arm shortChainArms[] = {
    {"mha", "MHA, 2 heads", unchanged},
    {"iha", "IHA, 2 heads x 2", interleaveByTwo},
    {"mha-l1", "MHA, 2 heads, 1 layer", [](Recipe& recipe) { recipe.config.layers.pop_back(); }},
    {"iha-l1", "IHA, 2 heads x 2, 1 layer", [](Recipe& recipe) {
         recipe.config.layers.pop_back();
         interleave(recipe.config, 2);
     }}};

constexpr Arm twoHeadArms[] = {{"mha", "MHA, 2 heads", unchanged},
                               {"mha-h4", "MHA, 4 heads", withHeads<4>},
                               {"iha", "IHA, 2 heads x 2", interleaveByTwo}};

// Four copies a head are a job each for four keys, if anything told them apart.
constexpr Arm fourKeyArms[] = {
    {"mha", "MHA, 2 heads", unchanged},
    {"mha-h4", "MHA, 4 heads", withHeads<4>},
    {"iha", "IHA, 2 heads x 2", interleaveByTwo},
    {"iha-p4", "IHA, 2 heads x 4", [](Recipe& recipe) { interleave(recipe.config, 4); }}};

constexpr Arm oneHeadArms[] = {{"mha", "MHA, 1 head", unchanged},
                               {"iha", "IHA, 1 head x 2", interleaveByTwo}};

// The MLP removes the gap. H = P = 8 are the published sizes.
constexpr Arm relationArms[] = {{"mha", "MHA, 2 heads", unchanged},
                                {"mha-h4", "MHA, 4 heads", withHeads<4>},
                                {"iha", "IHA, 2 heads x 2", interleaveByTwo},
                                {"mha-mlp", "MHA, 2 heads, MLP", addMlp},
                                {"iha-mlp", "IHA, 2 heads x 2, MLP",
                                 [](Recipe& recipe) {
                                     addMlp(recipe);
                                     interleaveByTwo(recipe);
                                 }},
                                {"mha-h8", "MHA, 8 heads", withHeads<8>},
                                {"iha-h8", "IHA, 8 heads x 8", [](Recipe& recipe) {
                                     recipe.config.nHeads = 8;
                                     interleave(recipe.config, 8);
                                 }}};

/// One attention layer without MLP: what it writes is linear in what its heads fetch.
void oneLayer(Recipe& recipe, MaskKind mask) {
    recipe.config.dModel = 32;
    recipe.config.nHeads = 2;
    recipe.config.layers = {plainLayer(mask)};
    recipe.settings.learningRate = 1e-2;
}

void offsetRecipe(Recipe& recipe) {
    oneLayer(recipe, MaskKind::token);
    recipe.config.layers[0].positions = PositionKind::virtualToken;
}

void fourWitnesses(Recipe& recipe) {
    offsetRecipe(recipe);
    recipe.settings.steps = 1800;
}

void lookBackBank(Recipe& recipe) {
    offsetRecipe(recipe);
    recipe.settings.steps = 1500;
}

void noisyRecurrence(Recipe& recipe) {
    offsetRecipe(recipe);
    addMlp(recipe);
    recipe.settings.steps = 3000;
}

void pointerChain(Recipe& recipe) {
    recipe.config.dModel = 64;
    recipe.config.nHeads = 4;
    recipe.config.dMlp = 4 * recipe.config.dModel;
    recipe.config.learnedPositions = true;
    recipe.config.layers = {plainLayer(), plainLayer()};
    recipe.settings.learningRate = 1.5e-3;  // twice that never leaves the plateau at this width
    recipe.settings.steps = 1500;
}

/// Two narrow layers, for what one must prepare and the other look up.
void twoLayers(Recipe& recipe) {
    oneLayer(recipe, MaskKind::token);
    addMlp(recipe);
    recipe.config.layers.push_back(plainLayer());
    recipe.config.learnedPositions = true;
    recipe.settings.steps = 1500;
}

void directHops(Recipe& recipe) {
    oneLayer(recipe, MaskKind::token);
    addMlp(recipe);
    recipe.config.learnedPositions = true;
    recipe.settings.steps = 5000;
}

void relations(Recipe& recipe) {
    oneLayer(recipe, MaskKind::none);
    recipe.config.learnedPositions = true;
    recipe.settings.batch = 64;
    recipe.settings.steps = 2000;
}

void pairCounting(Recipe& recipe) {
    oneLayer(recipe, MaskKind::none);
    addMlp(recipe);
    recipe.config.learnedPositions = true;
    recipe.settings.batch = 64;
    recipe.settings.steps = 3000;
}

void keyRetrieval(Recipe& recipe) {
    oneLayer(recipe, MaskKind::none);
    addMlp(recipe);
    recipe.config.nHeads = 1;
    recipe.config.learnedPositions = true;
    recipe.settings.batch = 64;  // each of 128 pairs must be met often enough
    recipe.settings.steps = 4000;
}

void orderedKeys(Recipe& recipe) {
    oneLayer(recipe, MaskKind::none);
    recipe.config.learnedPositions = true;
    recipe.settings.batch = 64;
    recipe.settings.steps = 4000;
}

const Plan plans[] = {{"four-witnesses", fourWitnesses, offsetArms},
                      {"pointer-chain", pointerChain, chainArms},
                      {"look-back-bank", lookBackBank, offsetArms},
                      {"relations", relations, relationArms},
                      {"cpm-3", pairCounting, twoHeadArms},
                      {"key-retrieval", keyRetrieval, oneHeadArms},
                      {"ordered-keys", orderedKeys, fourKeyArms},
                      {"vote-automaton", fourWitnesses, offsetArms},
                      {"pointer-chain-2", twoLayers, shortChainArms},
                      {"direct-hops", directHops, twoHeadArms},
                      {"noisy-recurrence", noisyRecurrence, offsetArms},
                      {"induction", twoLayers, twoHeadArms}};

}  // namespace

const Plan* planOf(const std::string& task) {
    for (const Plan& plan : plans)
        if (task == plan.task) return &plan;
    return nullptr;
}

}  // namespace headloom
