#include "core/io/model_file.h"
#include "core/session/ablation_effect.h"
#include "core/session/bundled.h"
#include "core/session/recipe.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace headloom;

namespace {

/// A bundled model's run over the first held-out example of its task.
struct Ground {
    std::unique_ptr<Backend> backend = makeCpuBackend(1);
    ChainRequest request;
    std::shared_ptr<const ChainRun> whole;

    explicit Ground(const char* name) {
        const auto file = findModelFile(name);
        REQUIRE(file);
        request.model = std::make_shared<const Model>(loadModel(*file).value());
        const auto task = taskOf(recipeFromJson(request.model->recipe).value());
        REQUIRE(task);
        request.truth = (*task)->example(Split::heldOut, heldOutSeed, 0);
        request.prompt.assign(request.truth->tokens.begin(),
                              request.truth->tokens.begin() + request.truth->promptLength);
        request.activations = false;
        request.keepResiduals = true;
        whole = std::make_shared<const ChainRun>(run());
    }
    ChainRun run(const std::vector<std::string>& parts = {}) {
        request.ablation.cuts.clear();
        for (const std::string& name : parts) {
            Cut cut;
            cut.part = partFrom(name).value();
            request.ablation.cuts.push_back(cut);
        }
        auto made = runChain(request, *backend);
        if (!made) FAIL(made.error().sentence());
        return *made;
    }
};

}  // namespace

TEST_CASE("answers are the true tokens, or what the model finds most probable") {
    Ground ground("pointer-chain-iha");
    const auto answers = answersOf(*ground.whole);
    REQUIRE(answers.size() == 5);  // four hops and the end
    CHECK(answers.front().row == 49);
    CHECK(answers.front().isTrue);
    ground.request.truth.reset();
    const ChainRun read = ground.run();
    const auto guessed = answersOf(read);
    REQUIRE(guessed.size() == 1);
    CHECK(guessed.front().row == read.promptLength - 1);
    CHECK_FALSE(guessed.front().isTrue);
    CHECK(guessed.front().token == answers.front().token);
}

TEST_CASE("a ranking says what running without each part says") {
    Ground ground("pointer-chain-iha");
    RankRequest request;
    request.run = ground.whole;
    request.answers = answersOf(*ground.whole);
    for (int layer = 0; layer < 2; ++layer)
        for (const ModelPart& part :
             partsOf(ModelPart::Kind::head, ground.request.model->config, layer))
            request.cuts.push_back({part, Instead::zero, false, -1});
    double last = 0;
    request.progress = [&](double share) {
        CHECK(share > last);
        last = share;
    };
    const auto effects = rankCuts(request, *ground.backend);
    REQUIRE(effects);
    CHECK(last == 1);
    REQUIRE(effects->size() == 8);
    for (std::size_t i = 0; i < effects->size(); ++i) {
        const PartEffect& effect = (*effects)[i];
        if (i > 0) CHECK(effect.logRatio >= (*effects)[i - 1].logRatio);
        const ChainRun without = ground.run({nameOf(effect.cut.part)});
        double after = 0;
        for (const AnswerAt& at : request.answers)
            after += probabilities(without.logits(at.row, at.slot), 1)[std::size_t(at.token)] / 5;
        CHECK(effect.after == doctest::Approx(after).epsilon(1e-5));  // the same float32 pass
    }
    CHECK(effects->front().flipped > 0);
}

TEST_CASE("what cuts share is what each of them would compute alone") {
    for (const char* name : {"pointer-chain-iha", "four-witnesses-mha", "relations-iha-mlp"})
        for (const bool isCutAlready : {false, true}) {
            CAPTURE(name);
            Ground ground(name);
            const ModelConfig& config = ground.request.model->config;
            const std::vector<std::string> already =
                isCutAlready ? std::vector<std::string>{"L0H1.q0"} : std::vector<std::string>{};
            ground.whole = std::make_shared<const ChainRun>(ground.run(already));
            RankRequest request;
            request.run = ground.whole;
            request.answers = answersOf(*ground.whole);
            using Kind = ModelPart::Kind;
            for (const Kind kind : {Kind::layer, Kind::mlp, Kind::head, Kind::pseudoQuery,
                                    Kind::pseudoKey, Kind::tile, Kind::weight})
                for (int layer = 0; layer < config.nLayers(); ++layer) {
                    const auto parts = partsOf(kind, config, layer);
                    if (parts.empty()) continue;
                    const ModelPart& part = parts[parts.size() / 2];
                    request.cuts.push_back({part, Instead::zero, false, -1});
                    if (kind == Kind::weight) continue;
                    request.cuts.push_back({part, Instead::mean, false, -1});
                    request.cuts.push_back({part, Instead::zero, false, ground.whole->rows - 2});
                    if (kind == Kind::tile) request.cuts.push_back({part, Instead::zero, true, -1});
                    if (kind != Kind::mlp && kind != Kind::layer)
                        request.cuts.push_back({part, Instead::self, false, -1});
                }
            const auto effects = effectsOf(request, *ground.backend).value();
            REQUIRE(effects.size() == request.cuts.size());
            for (const PartEffect& effect : effects) {
                CAPTURE(nameOf(effect.cut));
                ground.request.ablation.cuts.resize(already.size());
                ground.request.ablation.cuts.push_back(effect.cut);
                const ChainRun alone = runChain(ground.request, *ground.backend).value();
                const AnswersEffect plain = answersEffect(*ground.whole, alone, request.answers);
                // the same float32 sums, but for a mean, which is added to what was read
                CHECK(effect.before == plain.before);
                CHECK(effect.after == doctest::Approx(plain.after).epsilon(1e-5));
                CHECK(effect.logRatio == doctest::Approx(plain.logRatio).epsilon(1e-5).scale(1));
                CHECK(effect.rankAfter == plain.rankAfter);
                CHECK(effect.flipped == plain.flipped);
            }
        }
}

TEST_CASE("changes of tokens go both ways and keep the answer in sight") {
    Ground ground("pointer-chain-iha");
    const auto at = answersOf(*ground.whole).front();
    const auto same = tokenChanges(*ground.whole, *ground.whole, at, 3);
    REQUIRE(same.size() == 3);
    for (const TokenChange& change : same) {
        CHECK(change.before == change.after);
        CHECK(change.rankBefore == change.rankAfter);
    }
    const ChainRun without = ground.run({"L0H2", "L1H1"});
    const auto changes = tokenChanges(*ground.whole, without, at, 1);
    CHECK(changes.front().token == at.token);
    CHECK(changes.front().rankBefore == 0);
    CHECK(changes.front().before - changes.front().after > 0.01);
}

TEST_CASE("on its own a model without a part writes its own chain") {
    Ground ground("pointer-chain-iha");
    ground.request.mode = ChainMode::onItsOwn;
    const ChainRun whole = ground.run();
    CHECK(whole.firstWrongRow == -1);
    const ChainRun without = ground.run({"L0", "L1"});
    CHECK(without.firstWrongRow >= 0);
    // an ablation of nothing that matters reads all tokens again and writes the same
    const ChainRun again = ground.run({"L0H0.q0k0[0,0]"});
    CHECK(again.tokens == whole.tokens);
}

TEST_CASE("nothing to measure, and stopping") {
    Ground ground("pointer-chain-mha");
    RankRequest request;
    request.run = ground.whole;
    request.cuts = {{ModelPart::ofHead(0, 0), Instead::zero, false, -1}};
    CHECK(rankCuts(request, *ground.backend).error().what == "there is no answer to compare");
    request.answers = answersOf(*ground.whole);
    request.cancelled = [] { return true; };
    CHECK(rankCuts(request, *ground.backend).error().kind == Error::Kind::interrupted);
}

TEST_CASE("parts are patched from another prompt") {
    Ground ground("pointer-chain-iha");
    const auto task = taskOf(recipeFromJson(ground.request.model->recipe).value());
    const auto fed = [&task](std::uint64_t number) {
        const Example example = (*task)->example(Split::heldOut, heldOutSeed, number);
        return std::vector<int>(example.tokens.begin(),
                                example.tokens.begin() + example.inputLength);
    };
    const auto patched = [&](const std::string& name, std::vector<int> from, int row = -1) {
        Cut cut;
        cut.part = partFrom(name).value();
        cut.instead = Instead::other;
        cut.row = row;
        ground.request.ablation.cuts = {cut};
        ground.request.ablation.otherPrompt = std::move(from);
        return runChain(ground.request, *ground.backend);
    };
    const auto farthest = [](const Tensor& a, const Tensor& b) {
        double most = 0;
        for (std::int64_t i = 0; i < a.count(); ++i)
            most = std::max(most, std::abs(double(a.data<float>()[i]) - b.data<float>()[i]));
        return most;
    };
    for (const char* name :
         {"L0", "L1.attn", "L1.mlp", "L0H1", "L1H0.q0", "L0H0.k1", "L1H1.q0k1"}) {
        CAPTURE(name);
        const auto own = patched(name, fed(0)), other = patched(name, fed(3));
        REQUIRE(own);
        REQUIRE(other);
        // float32 rounding: what is added to the residual stream is taken as a difference
        CHECK(farthest(own->trace.logits, ground.whole->trace.logits) < 2e-4);
        CHECK(farthest(other->trace.logits, ground.whole->trace.logits) > 1e-2);
    }
    // At the last token alone nothing before it can change.
    const int last = ground.whole->rows - 1;
    const auto one = patched("L0", fed(3), last);
    REQUIRE(one);
    const auto equal = [&](int row) {
        const auto before = ground.whole->logits(row), after = one->logits(row);
        return std::equal(before.begin(), before.end(), after.begin());
    };
    for (int row = 0; row < last; ++row) CHECK(equal(row));
    CHECK_FALSE(equal(last));

    SUBCASE("a chain that writes itself is patched token by token") {
        ground.request.mode = ChainMode::onItsOwn;
        const auto written = patched("L1H0", fed(3));
        REQUIRE(written);
        for (int row = written->promptLength - 1; row < written->rows; ++row) {
            const auto logits = written->logits(row);
            const auto top = std::max_element(logits.begin(), logits.end()) - logits.begin();
            CHECK(written->tokens[static_cast<std::size_t>(row) + 1] == top);
        }
    }
    SUBCASE("a prompt that is too short") {
        const auto refused = patched("L0", {1, 2, 3});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().sentence().find("3 tokens and this one") != std::string::npos);
        const auto none = patched("L0", {});
        REQUIRE_FALSE(none);
        CHECK(none.error().sentence().find("no other prompt") != std::string::npos);
    }
}
