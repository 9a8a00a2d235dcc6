#include "core/io/model_file.h"
#include "core/session/ablation_effect.h"
#include "core/session/bundled.h"
#include "core/session/recipe.h"

#include <doctest/doctest.h>

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
