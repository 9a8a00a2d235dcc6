#include "core/analysis/mass.h"
#include "core/models/decoder.h"
#include "core/session/chain_run.h"
#include "core/session/layer_summaries.h"
#include "core/session/row_of_run.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace headloom;

namespace {

/// One IHA and one MHA layer that use everything a cache could get wrong: rotary and learned
/// positions, a flat mask, a window, an MLP.
std::shared_ptr<const Model> smallModel(int nSlots = 1) {
    auto model = std::make_shared<Model>();
    ModelConfig& config = model->config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dMlp = 5;
    config.dVocab = 6;
    config.nCtx = 12;
    config.nSlots = nSlots;
    config.learnedPositions = true;
    config.layers = {{AttentionKind::iha, 3, MaskKind::flat, PositionKind::virtualToken},
                     {AttentionKind::mha, 1, MaskKind::token, PositionKind::token}};
    config.layers[1].window = 4;
    model->vocabulary = Vocabulary({"a", "b", "c", "d", "e", "."}, 5);
    model->weights = initialWeights(config, 3);
    return model;
}

ChainRequest onItsOwn(std::shared_ptr<const Model> model, std::vector<int> prompt, int steps) {
    ChainRequest request;
    request.model = std::move(model);
    request.mode = ChainMode::onItsOwn;
    request.prompt = std::move(prompt);
    request.maxSteps = steps;
    return request;
}

std::string sentenceOf(const ChainRequest& request) {
    const auto backend = makeReferenceBackend();
    const auto run = runChain(request, *backend);
    return run ? "" : run.error().sentence();
}

/// A model without attention layers' influence would do as well, but this one answers row by row:
/// whatever it reads, it says the token after it (a b c d e . a ...).
std::shared_ptr<const Model> successor() {
    auto model = std::make_shared<Model>(*smallModel());
    ModelConfig& config = model->config;
    config.dModel = 6;
    config.dMlp = 0;
    config.learnedPositions = false;
    config.layers = {{AttentionKind::mha, 1, MaskKind::token, PositionKind::none}};
    model->weights = initialWeights(config, 0);
    for (const auto& [name, tensor] : model->weights.entries())
        for (float& value : tensor.values<float>()) value = name == "ln_final.w" ? 1.0f : 0.0f;
    for (int i = 0; i < 6; ++i) {
        model->weights.find("embed.W_E").data<float>()[i * 6 + i] = 1;
        model->weights.find("unembed.W_U").data<float>()[i * 6 + (i + 1) % 6] = 1;
    }
    return model;
}

/// The chain "a b c d e" with prompt "a b": row 1 predicts c and so on.
Example alphabet() {
    Example example;
    example.tokens = {0, 1, 2, 3, 4};
    example.promptLength = 2;
    example.inputLength = 4;
    example.targets = {-1, 2, 3, 4};
    example.evidence = {{}, {1}, {2}, {3}};
    return example;
}

}  // namespace

TEST_CASE("a chain on its own gives the logits of one pass over what it wrote") {
    const auto backend = makeReferenceBackend();
    const auto model = smallModel();
    ChainRequest request = onItsOwn(model, {1, 4, 0}, 100);
    const ChainRun run = runChain(request, *backend).value();
    REQUIRE(run.tokens.size() > 4);
    CHECK(run.rows == static_cast<int>(run.tokens.size()) - 1);
    CHECK(run.trace.layers[0].maps.shape() == Shape{1, 2, 3, 3, run.rows, run.rows});
    CHECK(run.trace.layers[1].maps.shape() == Shape{1, 2, 1, 1, run.rows, run.rows});

    // The same tokens one by one through a cache.
    const Decoder decoder(model->config, model->weights, *backend);
    KvCache cache = KvCache::make(model->config, *backend).value();
    for (int row = 0; row < run.rows; ++row) {
        ForwardOptions options;
        options.cache = &cache;
        const Tensor ids = Tensor::of<std::int32_t>({1, 1}, {run.tokens[std::size_t(row)]});
        const auto trace = decoder.forward(ids, options).value();
        const auto whole = run.logits(row);
        for (std::size_t v = 0; v < whole.size(); ++v)
            // The same sums in the same order but over other strides: at most a few roundings.
            CHECK(std::abs(trace.logits.data<float>()[v] - whole[v]) < 1e-6);
        if (row >= run.promptLength - 1)
            CHECK(topCandidates(whole, 0, 1).front().id == run.tokens[std::size_t(row) + 1]);
    }
}

TEST_CASE("a chain ends at the end token, after maxSteps, or where the context is full") {
    const auto backend = makeReferenceBackend();
    CHECK(runChain(onItsOwn(successor(), {2}, 100), *backend)->tokens ==
          std::vector<int>{2, 3, 4, 5});
    CHECK(runChain(onItsOwn(successor(), {2}, 2), *backend)->tokens == std::vector<int>{2, 3, 4});
    auto endless = std::make_shared<Model>(*successor());
    endless->vocabulary = Vocabulary(endless->vocabulary.tokens(), -1);
    const ChainRun full = runChain(onItsOwn(endless, {0}, 100), *backend).value();
    CHECK(full.rows == 12);
    CHECK(full.tokens.size() == 13);  // the last one chosen, not fed
    const ChainRun nothing = runChain(onItsOwn(successor(), {0, 1}, 0), *backend).value();
    CHECK(nothing.tokens == std::vector<int>{0, 1});
    CHECK(nothing.rows == 2);
}

TEST_CASE("sampling repeats with its seed and varies with it") {
    const auto backend = makeReferenceBackend();
    ChainRequest request = onItsOwn(smallModel(), {1}, 8);
    request.sampling = {5.0, 4};
    request.seed = 1;
    const auto first = runChain(request, *backend)->tokens;
    CHECK(runChain(request, *backend)->tokens == first);
    bool varies = false;
    for (request.seed = 2; request.seed < 6; ++request.seed)
        varies = varies || runChain(request, *backend)->tokens != first;
    CHECK(varies);
}

TEST_CASE("the true chain is fed whatever the model would have said") {
    const auto backend = makeReferenceBackend();
    ChainRequest request;
    request.model = successor();
    request.truth = alphabet();
    const ChainRun right = runChain(request, *backend).value();
    CHECK(right.tokens == alphabet().tokens);
    CHECK(right.rows == 4);
    CHECK(right.promptLength == 2);
    CHECK(right.firstWrongRow == -1);
    CHECK(right.evidence(2) == std::vector<int>{2});
    CHECK(right.evidence(4).empty());
    // A truth that skips a letter: wrong from there, and evidence goes on.
    request.truth->targets[2] = 0;
    const ChainRun wrong = runChain(request, *backend).value();
    CHECK(wrong.firstWrongRow == 2);
    CHECK(wrong.evidence(3) == std::vector<int>{3});
    // What the user typed has no truth.
    request.truth.reset();
    request.prompt = {3, 3};
    const ChainRun typed = runChain(request, *backend).value();
    CHECK(typed.rows == 2);
    CHECK(typed.firstWrongRow == -1);
    CHECK(typed.evidence(0).empty());
}

TEST_CASE("effective maps say how every head's output reads every head's values") {
    const auto backend = makeReferenceBackend();
    ChainRequest request;
    request.model = smallModel();
    request.prompt = {0, 1, 2, 3, 2};
    CHECK(runChain(request, *backend)->effective.empty());  // not asked for
    request.effectiveMaps = true;
    const auto run = runChain(request, *backend);
    REQUIRE(run);
    REQUIRE(run->effective.size() == 2);

    // z[i, g] = sum over m and j of M[g, m][i, j] v[m, j] (iha.md 4): layer 0 is the IHA layer,
    // whose v is kept before mixing.
    const LayerTrace& layer = run->trace.layers[0];
    const std::int64_t heads = 2, n = 5, d = 4;
    const Tensor m = run->effective[0];
    REQUIRE(m.shape() == Shape{1, heads, heads, n, n});
    const float *maps = m.data<float>(), *v = layer.v.data<float>(), *z = layer.z.data<float>();
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t g = 0; g < heads; ++g)
            for (std::int64_t e = 0; e < d; ++e) {
                double sum = 0;
                for (std::int64_t source = 0; source < heads; ++source)
                    for (std::int64_t j = 0; j < n; ++j)
                        sum += static_cast<double>(maps[((g * heads + source) * n + i) * n + j]) *
                               static_cast<double>(v[(source * n + j) * d + e]);
                // float32 sums of some thirty products of size one
                CHECK(std::abs(sum - static_cast<double>(z[(i * heads + g) * d + e])) < 1e-5);
            }

    // MHA: the maps themselves on the diagonal, nothing beside it.
    const float *diagonal = run->effective[1].data<float>(),
                *own = run->trace.layers[1].maps.data<float>();
    for (std::int64_t at = 0; at < n * n; ++at) {
        CHECK(diagonal[at] == own[at]);
        CHECK(diagonal[n * n + at] == 0.0f);
    }
}

TEST_CASE("on its own a chain writes as much as the truth and marks where it leaves it") {
    const auto backend = makeReferenceBackend();
    ChainRequest request = onItsOwn(successor(), {0, 1}, 0);
    request.truth = alphabet();
    const ChainRun right = runChain(request, *backend).value();
    CHECK(right.tokens == alphabet().tokens);
    CHECK(right.firstWrongRow == -1);
    request.truth->tokens = {0, 1, 2, 0, 1};
    const ChainRun wrong = runChain(request, *backend).value();
    CHECK(wrong.tokens == std::vector<int>{0, 1, 2, 3, 4});
    CHECK(wrong.firstWrongRow == 2);
    CHECK(wrong.evidence(2) == std::vector<int>{2});
    CHECK(wrong.evidence(3).empty());  // belongs to a chain that this one has left
}

TEST_CASE("several answers a row are read out, not written on") {
    const auto backend = makeReferenceBackend();
    ChainRequest request = onItsOwn(smallModel(2), {0, 1}, 3);
    CHECK(sentenceOf(request) ==
          "model: it reads out 2 answers at every token, so it writes no chain; let it read the "
          "given tokens instead.");
    request.mode = ChainMode::trueChain;
    const ChainRun run = runChain(request, *backend).value();
    CHECK(run.logits(1, 1).data() == run.trace.logits.data<float>() + 3 * 6);
}

TEST_CASE("what cannot be run is said in one sentence") {
    CHECK(sentenceOf(onItsOwn(smallModel(), {}, 1)) ==
          "prompt: it is empty; give at least one token.");
    CHECK(sentenceOf(onItsOwn(smallModel(), std::vector<int>(13, 0), 1)) ==
          "prompt: 13 tokens are too many; this model reads at most 12.");
    CHECK(sentenceOf(onItsOwn(smallModel(), {0, 6}, 1)) ==
          "prompt: token 6 is outside the vocabulary; use ids 0 to 5.");
    CHECK(sentenceOf(onItsOwn(smallModel(), {-1}, 1)) ==
          "prompt: token -1 is outside the vocabulary; use ids 0 to 5.");
    ChainRequest foreign;
    foreign.model = smallModel(2);
    foreign.truth = alphabet();
    CHECK(sentenceOf(foreign) ==
          "example: it belongs to another task than the model; choose an example of the model's "
          "own task.");
    auto open = std::make_shared<Model>(*smallModel());
    open->config.layers[0].mask = MaskKind::none;
    CHECK(sentenceOf(onItsOwn(open, {0}, 1)).starts_with("KV cache: "));
    CHECK(sentenceOf(onItsOwn(open, {0}, 0)) == "");
}

TEST_CASE("maps that no machine can hold are refused before they are computed") {
    auto wide = std::make_shared<Model>(*successor());
    wide->config.nCtx = 1 << 24;
    ChainRequest request;
    request.model = wide;
    request.prompt.assign(1 << 23, 0);  // 2 heads of 2^46 cells
    CHECK(sentenceOf(request).starts_with("maps over 8388608 tokens: 562950 GB are needed"));
}

TEST_CASE("cancelling is polled at every layer and ends the run") {
    ChainRequest request = onItsOwn(smallModel(), {0, 1}, 1);
    for (int allowed = 0; allowed < 4; ++allowed) {  // two layers to decode, two for the maps
        int polls = 0;
        request.cancelled = [&] { return polls++ == allowed; };
        const auto backend = makeReferenceBackend();
        const auto run = runChain(request, *backend);
        REQUIRE_FALSE(run);
        CHECK(run.error().kind == Error::Kind::interrupted);
        CHECK(polls == allowed + 1);
    }
}

// The prompt is read twice, once to write on from it and once with the maps of all that was
// written.
TEST_CASE("progress tells of writing and of the pass after it, and either can be stopped") {
    const auto backend = makeReferenceBackend();
    const auto model = smallModel();
    for (const bool off : {false, true}) {
        CAPTURE(off);
        ChainRequest request = onItsOwn(model, {0, 1, 2}, 3);
        if (off) request.ablation.cuts.push_back({ModelPart::ofHead(0, 0), Instead::mean});
        std::vector<double> shares;
        request.progress = [&](double share) { shares.push_back(share); };
        REQUIRE(runChain(request, *backend));
        CHECK(std::is_sorted(shares.begin(), shares.end()));
        CHECK(shares.back() == 1);
        const auto layers = static_cast<std::ptrdiff_t>(model->config.nLayers());
        CHECK(std::count_if(shares.begin(), shares.end(), [](double s) { return s > 0.5; }) ==
              layers);
        // layer by layer through the prompt, then step by step
        CHECK(std::count_if(shares.begin(), shares.end(), [](double s) { return s < 0.5; }) >=
              layers + 2);
        for (const double stopAt : {0.01, 0.51}) {
            double reached = 0;
            request.progress = [&](double share) { reached = share; };
            request.cancelled = [&] { return reached >= stopAt; };
            const auto stopped = runChain(request, *backend);
            REQUIRE_FALSE(stopped);
            CHECK(stopped.error().kind == Error::Kind::interrupted);
            CHECK(reached < stopAt + 0.5);
        }
    }
}

TEST_CASE("a layer without effective maps leaves a sentence") {
    auto model = std::make_shared<Model>(*smallModel());
    ModelConfig& config = model->config;
    config.layers[0] = {AttentionKind::talkingHeads, 1, MaskKind::token, PositionKind::token};
    config.layers[1] = {AttentionKind::differential, 1, MaskKind::token, PositionKind::token};
    model->weights = initialWeights(config, 3);
    ChainRequest request;
    request.model = model;
    request.prompt = {0, 3, 1};
    request.effectiveMaps = true;
    const auto backend = makeReferenceBackend();
    const auto run = runChain(request, *backend);
    REQUIRE(run);
    REQUIRE(run->effective.size() == 2);
    CHECK(run->effective[0].shape() == Shape{1, 2, 2, 3, 3});
    CHECK_FALSE(run->effective[1]);
    CHECK(run->noEffective.starts_with("layer 1: differential attention has no effective maps"));
    request.effectiveMaps = false;
    CHECK(runChain(request, *backend)->noEffective.empty());
}

TEST_CASE("every kind of attention writes with its cache what it would without") {
    for (const AttentionKind kind : attentionKinds()) {
        CAPTURE(std::string(nameOf(kind)));
        auto model = std::make_shared<Model>(*smallModel());
        model->config.layers[0].kind = kind;
        model->config.layers[0].nPseudo = kind == AttentionKind::iha ? 2 : 1;
        model->weights = initialWeights(model->config, 5);
        for (const char* name : {"reference", "cpu"}) {
            const auto backend = makeBackend(name, 1).value();
            const auto run = runChain(onItsOwn(model, {0, 3}, 6), *backend);
            REQUIRE(run);
            for (int row = run->promptLength - 1; row < run->rows; ++row) {
                const auto logits = run->logits(row);
                CHECK(std::max_element(logits.begin(), logits.end()) - logits.begin() ==
                      run->tokens[static_cast<std::size_t>(row) + 1]);
            }
        }
    }
}

TEST_CASE("a bound on the maps keeps those in view, the same as if all were kept") {
    for (const AttentionKind kind : {AttentionKind::mha, AttentionKind::iha,
                                     AttentionKind::talkingHeads, AttentionKind::differential}) {
        CAPTURE(nameOf(kind));
        auto model = std::make_shared<Model>(*smallModel());
        for (LayerConfig& layer : model->config.layers) {
            layer.kind = kind;
            layer.nPseudo = kind == AttentionKind::iha ? 2 : 1;
        }
        // two heads on one key and value head, where the kind allows it
        model->config.nKvHeads = kind == AttentionKind::mha ? 1 : 0;
        model->weights = initialWeights(model->config, 5);
        ChainRequest request;
        request.model = model;
        request.prompt = {0, 3, 1, 4};
        const auto backend = makeReferenceBackend();
        const ChainRun whole = runChain(request, *backend).value();
        CHECK(whole.mapLayer == -1);
        const Tensor all = whole.trace.layers[1].maps;
        const std::int64_t layerBytes = static_cast<std::int64_t>(all.bytes());
        const std::int64_t cells = all.count() / all.size(1);

        request.mostMapBytes = layerBytes;  // two layers are more than this
        request.layer = 1;
        const ChainRun oneLayer = runChain(request, *backend).value();
        CHECK(oneLayer.mapLayer == 1);
        CHECK_FALSE(oneLayer.trace.layers[0].maps);
        const Tensor kept = oneLayer.trace.layers[1].maps;
        REQUIRE(kept.shape() == all.shape());
        // the same arithmetic on the same numbers
        CHECK(std::equal(kept.values<float>().begin(), kept.values<float>().end(),
                         all.values<float>().begin()));

        // what a row of a tile sums to is known of every layer
        REQUIRE(oneLayer.rowMasses.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            const Tensor& masses = oneLayer.rowMasses[i];
            const int pseudo = model->config.layers[i].nPseudo;
            CHECK(bool(masses) == (pseudo > 1));
            for (std::int64_t at = 0; masses && at < masses.count(); ++at) {
                const int r = int(at) % pseudo, row = int(at) / pseudo % 4,
                          p = int(at) / pseudo / 4 % pseudo, head = int(at) / pseudo / 4 / pseudo;
                // four weights, in the order of either sum
                CHECK(std::abs(masses.data<float>()[at] -
                               rowMass(whole.trace.layers[i].maps, head, p, r, row)) < 4 * 1.2e-7);
            }
        }

        request.mostMapBytes = layerBytes - 1;
        request.head = 1;
        request.layer = 0;
        request.before = std::make_shared<const ChainRun>(oneLayer);
        const ChainRun oneHead = runChain(request, *backend).value();
        CHECK(oneHead.trace.logits.raw() == oneLayer.trace.logits.raw());  // not run again
        CHECK(oneHead.mapHeads == std::vector<int>{1});
        const Tensor single = oneHead.trace.layers[0].maps;
        REQUIRE(single.count() == cells);
        CHECK(std::equal(single.values<float>().begin(), single.values<float>().end(),
                         whole.trace.layers[0].maps.data<float>() + cells));

        for (const ChainRun* run : {&whole, &oneHead}) {
            const auto heads = layerSummaries(*run, 1, *backend).value();
            REQUIRE(heads.size() == static_cast<std::size_t>(model->config.nHeads));
            CHECK(heads[1].thumbnail == layerSummaries(whole, 1, *backend).value()[1].thumbnail);
        }
    }
}

TEST_CASE("a row that is read without its layer's maps is the row of the maps") {
    ChainRequest request;
    request.model = smallModel();
    request.prompt = {0, 3, 1, 1, 4, 2, 0, 3};
    const auto backend = makeCpuBackend(1);
    const auto run = runChain(request, *backend);
    REQUIRE(run);
    const auto rows = rowsOfRun(*run, {2, 6}, *backend);
    REQUIRE(rows);
    for (const RowTrace& trace : *rows)
        for (int layer = 0; layer < 2; ++layer) {
            const auto at = static_cast<std::size_t>(layer);
            const LayerRow whole =
                layerRowOf(run->model->config, layer, run->trace.layers[at], trace.row);
            REQUIRE(trace.layers[at].reads.size() == whole.reads.size());
            // a product of one row instead of all: sums of at most 24 numbers in another order
            for (std::size_t i = 0; i < whole.reads.size(); ++i)
                CHECK(std::abs(trace.layers[at].reads[i] - whole.reads[i]) < 24 * 1.2e-7);
        }
}

TEST_CASE("effective maps that are too many are left out with a reason") {
    ChainRequest request;
    request.model = smallModel();
    request.prompt = {0, 1, 2, 3};
    request.effectiveMaps = true;
    request.mostMapBytes = 1;
    const auto backend = makeReferenceBackend();
    const ChainRun run = runChain(request, *backend).value();
    CHECK(run.mapHeads.size() == 1);
    CHECK_FALSE(run.effective[0]);
    CHECK(run.noEffective.starts_with("the effective maps of one layer over 4 tokens take "));
}

TEST_CASE("a head in few numbers") {
    // Two tiles a row: w = mean over p of the sum over r. Rows of w: [1 0], [0.75 0.25].
    const Tensor maps = Tensor::of<float>({1, 1, 2, 2, 2, 2}, {1, 0, 0.5, 0.25,    //
                                                               0, 0, 0.25, 0,      //
                                                               0.5, 0, 0.5, 0.25,  //
                                                               0.5, 0, 0.25, 0});
    const HeadSummary summary = summarise(maps, 8);
    CHECK(summary.side == 2);
    CHECK(summary.thumbnail == std::vector<float>{1, 0, 0.75, 0.25});
    CHECK(summary.first == doctest::Approx(0.75));                 // of row 1 alone
    CHECK(summary.distance == doctest::Approx(0.375));             // (0 + 0.75 * 1) / 2
    CHECK(summarise(maps, 1).thumbnail == std::vector<float>{1});  // the strongest of a block
}
