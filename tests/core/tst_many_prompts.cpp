#include "core/analysis/logit_attribution.h"
#include "core/analysis/logit_lens.h"
#include "core/session/evaluate.h"
#include "core/session/layer_maps.h"
#include "core/session/many_prompts.h"
#include "core/session/open_model.h"
#include "core/session/prompt_questions.h"
#include "core/session/recipe.h"
#include "core/session/row_of_run.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace headloom;
using doctest::Approx;

namespace {

constexpr int eight = 8;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// A bundled model with its task, and its single runs on the backend that averages use.
struct Bundled {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Task> task;
    std::unique_ptr<Backend> backend = makeBackend("cpu", 1).value();

    explicit Bundled(const std::string& name)
        : model(openModel(name, {})->model),
          task(taskOf(recipeFromJson(model->recipe).value()).value()) {}

    PromptSet examples(int count, int first = 0) const {
        return PromptSet::ofTask(task, first, count).value();
    }
    ManyPromptsRequest request(Question question, int count = eight) const {
        ManyPromptsRequest made;
        made.model = model;
        made.prompts = examples(count);
        made.questions = {std::move(question)};
        made.backend = "cpu";
        return made;
    }
    std::shared_ptr<const ChainRun> run(int example, const std::vector<Cut>& cuts = {}) const {
        ChainRequest request;
        request.model = model;
        request.truth = task->example(Split::heldOut, heldOutSeed, std::uint64_t(example));
        request.activations = false;
        request.keepResiduals = true;
        request.ablation.cuts = cuts;
        return std::make_shared<const ChainRun>(runChain(request, *backend).value());
    }
};

/// Mean, and standard deviation with n - 1, of single numbers; by the formula in the books.
void checkSpread(const Spread& spread, const std::vector<double>& numbers) {
    std::vector<double> counted;
    for (const double number : numbers)
        if (!std::isnan(number)) counted.push_back(number);
    REQUIRE(spread.count() == int(counted.size()));
    if (counted.empty()) return;
    double sum = 0, squares = 0;
    for (const double number : counted) sum += number;
    const double mean = sum / double(counted.size());
    for (const double number : counted) squares += (number - mean) * (number - mean);
    // two orders of adding eight doubles; about 0 the terms are at most some tens
    CHECK(spread.mean() == Approx(mean).epsilon(1e-12).scale(10));
    if (counted.size() > 1)
        CHECK(spread.deviation() ==
              Approx(std::sqrt(squares / double(counted.size() - 1))).epsilon(1e-9).scale(10));
    CHECK(spread.least() ==
          Approx(*std::min_element(counted.begin(), counted.end())).epsilon(1e-12).scale(10));
    CHECK(spread.most() ==
          Approx(*std::max_element(counted.begin(), counted.end())).epsilon(1e-12).scale(10));
}

const AveragedTable& tableOf(const ManyAverages& averages, const std::string& id) {
    for (const AveragedTable& table : averages.tables)
        if (table.id == id) return table;
    throw std::runtime_error("no table " + id);
}

std::size_t columnOf(const AveragedTable& table, const std::string& id) {
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].id == id) return i;
    throw std::runtime_error("no column " + id);
}

}  // namespace

TEST_CASE("a spread is that of its numbers, without those that are not there") {
    Spread spread;
    CHECK(std::isnan(spread.mean()));
    for (const double value : {2.0, none, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) spread.add(value);
    CHECK(spread.count() == 8);
    CHECK(spread.mean() == 5);
    CHECK(spread.deviation() == Approx(std::sqrt(32.0 / 7)));
    CHECK(spread.least() == 2);
    CHECK(spread.most() == 9);
    Spread one;
    one.add(-3);
    CHECK(one.most() == -3);
    CHECK(std::isnan(one.deviation()));
    Spread large;  // whose squares would leave nothing of the difference
    for (const double value : {1e9, 1e9 + 1, 1e9 + 2}) large.add(value);
    CHECK(large.deviation() == Approx(1));
}

TEST_CASE("heads over prompts are what a survey says of each") {
    for (const char* name : {"four-witnesses-iha", "pointer-chain-iha", "pointer-chain-mha"}) {
        CAPTURE(name);
        const Bundled bundled(name);
        const ModelConfig& config = bundled.model->config;
        const RedundancyThresholds thresholds{0.9, 0.1};
        const auto averages =
            averageOver(bundled.request(askHeads(config, {{}, PatternKind::tiles, thresholds})))
                .value();
        CHECK(averages.done == eight);
        const AveragedTable& heads = tableOf(averages, "heads");
        const AveragedTable& layers = tableOf(averages, "layers");
        std::vector<std::vector<LayerSurvey>> surveys(std::size_t(config.nLayers()));
        for (int example = 0; example < eight; ++example)
            for (int layer = 0; layer < config.nLayers(); ++layer)
                surveys[std::size_t(layer)].push_back(
                    surveyLayer(*bundled.run(example), layer, PatternKind::tiles, *bundled.backend)
                        .value());
        std::size_t line = 0;
        for (int layer = 0; layer < config.nLayers(); ++layer) {
            const auto& ofLayer = surveys[std::size_t(layer)];
            for (std::size_t at = 0; at < ofLayer.front().scores.size(); ++at, ++line) {
                const HeadScores& first = ofLayer.front().scores[at];
                CHECK(heads.lines[line].name ==
                      nameOf(layer, Pattern{first.head, first.p, first.r, -1}));
                for (std::size_t measure = 0; measure < headMeasureCount; ++measure) {
                    std::vector<double> numbers;
                    for (const LayerSurvey& survey : ofLayer)
                        numbers.push_back(survey.scores[at].values[measure]);
                    checkSpread(heads.at(line, measure), numbers);
                }
            }
            std::vector<double> distinct, dead;
            for (const LayerSurvey& survey : ofLayer) {
                const PatternClusters clusters = clustersOf(survey.redundancy, thresholds);
                distinct.push_back(clusters.distinct);
                dead.push_back(clusters.dead);
            }
            checkSpread(layers.at(std::size_t(layer), 0), distinct);
            checkSpread(layers.at(std::size_t(layer), 1), dead);
        }
        CHECK(line == heads.lines.size());
    }
}

TEST_CASE("parts that are off are averaged as they are ranked") {
    const Bundled bundled("pointer-chain-iha");
    CutsAsked asked;
    for (const int layer : {0, 1})
        for (const ModelPart& part : partsOf(ModelPart::Kind::head, bundled.model->config, layer))
            asked.cuts.push_back({part, Instead::zero, false, -1});
    for (const bool oneAnswer : {false, true}) {
        if (oneAnswer) asked.answer = 1;
        const auto averages = averageOver(bundled.request(askCuts(asked))).value();
        const AveragedTable& ranking = tableOf(averages, "ranking");
        for (std::size_t at = 0; at < asked.cuts.size(); ++at) {
            std::vector<double> after, change, ratio, rank, flipped;
            for (int example = 0; example < eight; ++example) {
                RankRequest request;
                request.run = bundled.run(example);
                request.cuts = {asked.cuts[at]};
                request.answers = answersOf(*request.run);
                if (oneAnswer) request.answers = {request.answers[1]};
                const PartEffect effect = rankCuts(request, *bundled.backend).value().front();
                after.push_back(effect.after);
                change.push_back(effect.after - effect.before);
                ratio.push_back(effect.logRatio);
                rank.push_back(effect.rankAfter);
                flipped.push_back(double(effect.flipped) / double(request.answers.size()));
            }
            checkSpread(ranking.at(at, columnOf(ranking, "probability")), after);
            checkSpread(ranking.at(at, columnOf(ranking, "change")), change);
            checkSpread(ranking.at(at, columnOf(ranking, "log-ratio")), ratio);
            checkSpread(ranking.at(at, columnOf(ranking, "rank")), rank);
            checkSpread(ranking.at(at, columnOf(ranking, "flipped")), flipped);
        }
        CHECK(ranking.lines[6].name == "L1H2");
        CHECK(ranking.lines[6].map == Pattern{2, -1, -1, -1});
        double worst = 0;
        for (std::size_t at = 0; at < ranking.lines.size(); ++at)
            worst = std::max(worst, ranking.at(at, columnOf(ranking, "rank")).most());
        CHECK(worst > 0);
    }
}

TEST_CASE("shares of an answer are averaged over answers, then over prompts") {
    const Bundled bundled("pointer-chain-iha");
    const auto question = askShares(*bundled.model, {}).value();
    const auto averages = averageOver(bundled.request(question)).value();
    const AveragedTable& parts = tableOf(averages, "parts");
    std::vector<std::vector<double>> adds(parts.lines.size());
    std::vector<double> logits;
    for (int example = 0; example < eight; ++example) {
        const auto run = bundled.run(example);
        const auto answers = answersOf(*run);
        std::vector<double> mean(parts.lines.size());
        double logit = 0;
        for (const AnswerAt& at : answers) {
            const RowTrace trace = rowOfRun(*run, at.row, *bundled.backend).value();
            const auto whole = attributeLogit(run->model->config, run->model->weights, trace,
                                              {at.token, -1, at.slot})
                                   .value();
            REQUIRE(whole.parts.size() == parts.lines.size());
            for (std::size_t i = 0; i < mean.size(); ++i) {
                CHECK(nameOf(whole.parts[i]) == parts.lines[i].name);
                mean[i] += whole.parts[i].value / double(answers.size());
            }
            logit += whole.whole / double(answers.size());
        }
        for (std::size_t i = 0; i < mean.size(); ++i) adds[i].push_back(mean[i]);
        logits.push_back(logit);
    }
    double sum = 0;
    for (std::size_t i = 0; i < adds.size(); ++i) {
        checkSpread(parts.at(i, 0), adds[i]);
        sum += parts.at(i, 0).mean();
    }
    const AveragedTable& logit = tableOf(averages, "logit");
    checkSpread(logit.at(0, columnOf(logit, "logit")), logits);
    CHECK(sum == Approx(logit.at(0, columnOf(logit, "sum")).mean()));

    SharesAsked joined;
    joined.heads = true;
    const auto heads =
        averageOver(bundled.request(askShares(*bundled.model, joined).value())).value();
    const AveragedTable& whole = tableOf(heads, "parts");
    CHECK(whole.lines.size() < parts.lines.size());
    std::size_t head = 0;
    while (whole.lines[head].name != "L1H3") ++head;
    double tiles = 0;
    for (std::size_t i = 0; i < parts.lines.size(); ++i)
        if (parts.lines[i].layer == 1 && parts.lines[i].map.head == 3)
            tiles += parts.at(i, 0).mean();
    CHECK(whole.at(head, 0).mean() == Approx(tiles));
}

TEST_CASE("the similarity of every two patterns of a layer") {
    const Bundled bundled("four-witnesses-iha");
    const ModelConfig& config = bundled.model->config;
    for (const PatternKind kind : {PatternKind::tiles, PatternKind::effective}) {
        const auto averages =
            averageOver(bundled.request(askSimilarity(config, {}, kind).value())).value();
        const AveragedTable& table = tableOf(averages, "similarity");
        std::vector<Redundancy> all;
        for (int example = 0; example < eight; ++example)
            all.push_back(
                surveyLayer(*bundled.run(example), 0, kind, *bundled.backend).value().redundancy);
        const int count = all.front().count;
        REQUIRE(table.lines.size() == std::size_t(count * (count - 1) / 2));
        std::size_t line = 0;
        for (int a = 0; a < count; ++a)
            for (int b = a + 1; b < count; ++b, ++line) {
                std::vector<double> cosines;
                for (const Redundancy& redundancy : all) cosines.push_back(redundancy.cosine(a, b));
                checkSpread(table.at(line, 0), cosines);
            }
    }
    const auto named = [](const ModelConfig& of, PatternKind kind, std::size_t line) {
        return askSimilarity(of, {}, kind).value()->tables().front().lines[line].name;
    };
    CHECK(named(config, PatternKind::tiles, 7) == "L0H0.q0k1 ~ H0.q1k0");
    CHECK(named(config, PatternKind::effective, 0) == "L0.M[0,0] ~ M[0,1]");
    CHECK(named(config, PatternKind::heads, 0) == "L0H0 ~ H1");
    ModelConfig single = config;
    single.nHeads = 1;
    CHECK(askSimilarity(single, {}, PatternKind::heads).error().what ==
          "there are no two patterns to compare");
}

TEST_CASE("the lens over prompts is that of each of their answers") {
    const Bundled bundled("pointer-chain-iha");
    const auto averages = averageOver(bundled.request(askLens(*bundled.model).value())).value();
    const auto third = averageOver(bundled.request(askLens(*bundled.model, 2).value())).value();
    const AveragedTable &all = tableOf(averages, "lens"), &one = tableOf(third, "lens");
    REQUIRE(all.lines.size() == 5);  // two layers before and between, and the end
    std::vector<std::vector<double>> probabilities(5), ranks(5), tops(5), thirds(5);
    for (int example = 0; example < eight; ++example) {
        const auto run = bundled.run(example);
        const auto answers = answersOf(*run);
        for (std::size_t point = 0; point < 5; ++point) {
            double probability = 0, rank = 0, top = 0;
            for (std::size_t i = 0; i < answers.size(); ++i) {
                const RowTrace trace = rowOfRun(*run, answers[i].row, *bundled.backend).value();
                const LensPoint seen = logitLens(run->model->config, run->model->weights, trace,
                                                 answers[i].slot, answers[i].token, 3)[point];
                probability += seen.probability / double(answers.size());
                rank += double(seen.rank) / double(answers.size());
                top += double(seen.top.front().id == answers[i].token) / double(answers.size());
                if (i == 2) thirds[point].push_back(seen.logit);
            }
            probabilities[point].push_back(probability);
            ranks[point].push_back(rank);
            tops[point].push_back(top);
        }
    }
    for (std::size_t point = 0; point < 5; ++point) {
        checkSpread(all.at(point, columnOf(all, "probability")), probabilities[point]);
        checkSpread(all.at(point, columnOf(all, "rank")), ranks[point]);
        checkSpread(all.at(point, columnOf(all, "top")), tops[point]);
        checkSpread(one.at(point, columnOf(one, "logit")), thirds[point]);
    }
    CHECK(all.lines[1].name == "L0.resid_mid");
    CHECK(all.at(4, columnOf(all, "top")).mean() == 1);
    CHECK(all.at(0, columnOf(all, "top")).mean() < 0.5);
}

TEST_CASE("rollout and flow over prompts are those of each") {
    const Bundled bundled("pointer-chain-iha");
    const Model& model = *bundled.model;
    const int rows = bundled.task->info().inputLength;
    CHECK(bundled.examples(2).length() == rows);
    FlowAsked asked;
    asked.tokens = rows;
    const auto averages = averageOver(bundled.request(askFlow(model, asked).value())).value();
    asked.answer = 1;
    const auto second = averageOver(bundled.request(askFlow(model, asked).value())).value();
    const AveragedTable &all = tableOf(averages, "flow"), &one = tableOf(second, "flow");
    REQUIRE(all.lines.size() == std::size_t(2 * 5 + rows));
    CHECK(all.lines[5].name == "L1.evidence");
    CHECK(all.lines[10].name == "token[0]");

    std::vector<double> evidence, firstFlow, ownBelow, share, flow, answerShare, answerEvidence;
    for (int example = 0; example < eight; ++example) {
        const auto run = bundled.run(example);
        const auto attention = layeredAttention(*run, *bundled.backend).value();
        LayeredAttention below = attention;
        below.layers.pop_back();
        const auto answers = answersOf(*run);
        double sums[5] = {}, marked = 0;  // answers that have evidence
        for (const AnswerAt& at : answers) {
            const auto shares = rollout(attention, at.row);
            const auto flows = attentionFlow(attention, at.row).value();
            marked += double(!run->evidence(at.row).empty());
            for (const int token : run->evidence(at.row)) sums[0] += shares[std::size_t(token)];
            sums[1] += flows[0];
            sums[2] += rollout(below, at.row)[std::size_t(at.row)];
            sums[3] += shares[7];
            sums[4] += flows[7];
            if (&at != &answers[1]) continue;
            answerShare.push_back(shares[7]);
            answerEvidence.push_back(
                attentionFlowTo(attention, at.row, {run->evidence(at.row)}).value().front());
        }
        const double count = double(answers.size());
        evidence.push_back(sums[0] / marked);
        firstFlow.push_back(sums[1] / count);
        ownBelow.push_back(sums[2] / count);
        share.push_back(sums[3] / count);
        flow.push_back(sums[4] / count);
    }
    checkSpread(all.at(5, 0), evidence);
    checkSpread(all.at(8, 1), firstFlow);
    checkSpread(all.at(1, 0), ownBelow);
    checkSpread(all.at(10 + 7, 0), share);
    checkSpread(all.at(10 + 7, 1), flow);
    checkSpread(one.at(10 + 7, 0), answerShare);
    checkSpread(one.at(5, 1), answerEvidence);
    double sum = 0;
    for (int token = 0; token < rows; ++token) sum += all.at(std::size_t(10 + token), 0).mean();
    CHECK(sum == Approx(1));
}

TEST_CASE("rollout of one token, of prompts of several lengths") {
    const Bundled bundled("four-witnesses-iha");
    FlowAsked asked;
    asked.row = 2;
    asked.rolloutAlone = true;
    ManyPromptsRequest request = bundled.request(askFlow(*bundled.model, asked).value());
    request.prompts = PromptSet::ofText("012\n01\n", "two", *bundled.model, nullptr).value();
    CHECK_FALSE(request.prompts.length());
    const auto averages = averageOver(request).value();
    const AveragedTable& table = tableOf(averages, "flow");
    REQUIRE(table.columns.size() == 1);
    REQUIRE(table.lines.size() == 5);
    CHECK(table.lines[1].name == "L0.own-token");
    CHECK(table.at(1, 0).count() == 1);  // the other prompt has no token 2
    CHECK(table.at(0, 0).count() == 0);  // free text has no evidence
    CHECK(table.at(1, 0).mean() > 0.5);
    double sum = 0;  // it, the one before it, the first one, and the rest, which is nobody
    for (std::size_t line = 1; line < 4; ++line) sum += table.at(line, 0).mean();
    CHECK(sum == Approx(1));
    CHECK(table.at(4, 0).count() == 0);
    CHECK(PromptSet::ofText("0123\n", "one", *bundled.model, nullptr).value().length() == 4);
    CHECK(
        PromptSet::ofText("01234\n", "one", *bundled.model, bundled.task.get()).value().length() ==
        bundled.task->info().inputLength);
    asked.row = -1;
    CHECK(askFlow(*bundled.model, asked).error().what == "there is no row -1");
    Model filter = *bundled.model;
    filter.filter = FilterConfig();
    CHECK(askFlow(filter, {}).error().what == "a filter has no token that answers");
}

TEST_CASE("cross-head shares are those of the scores on the evidence") {
    const Bundled bundled("pointer-chain-iha");
    const ModelConfig& config = bundled.model->config;
    const auto averages = averageOver(bundled.request(askCrossHeads(config))).value();
    const AveragedTable& table = tableOf(averages, "cross_heads");
    std::size_t line = 0;
    while (table.lines[line].name != "L1H3.q1k2") ++line;
    std::vector<double> shares;
    for (int example = 0; example < eight; ++example) {
        const auto run = bundled.run(example);
        std::vector<int> all;
        for (int row = 0; row < run->rows; ++row) all.push_back(row);
        const auto scores = LayerScores::of(config, run->model->weights, 1,
                                            residualOfRun(*run, 1, *bundled.backend).value(), all)
                                .value();
        CrossHead sum;
        for (int row = 0; row < run->rows; ++row)
            for (const int key : run->evidence(row)) {
                const ScoreSplit split = scores.split({3, 1, 2, row, key}).value();
                if (split.seen) sum.add(split);
            }
        shares.push_back(sum.share());
    }
    CHECK(shares.front() > 0.05);
    checkSpread(table.at(line, 0), shares);

    const auto heads = averageOver(bundled.request(askHeads(config, {}))).value();
    const AveragedTable& measures = tableOf(heads, "heads");
    REQUIRE(measures.lines.size() == table.lines.size());
    for (std::size_t i = 0; i < table.lines.size(); ++i) {
        CHECK(measures.lines[i].name == table.lines[i].name);
        CHECK(measures.at(i, columnOf(measures, "cross-head")) == table.at(i, 1));
    }
}

TEST_CASE("one cell over prompts, where they have it") {
    const Bundled bundled("four-witnesses-iha");
    const auto question =
        askCell(bundled.model->config, partFrom("L0H1.q0k1[8,5]").value()).value();
    const auto averages = averageOver(bundled.request(question)).value();
    const AveragedTable& cell = tableOf(averages, "cell");
    const AveragedTable& terms = tableOf(averages, "terms");
    REQUIRE(terms.lines.size() == 4);
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += terms.at(i, 0).mean();
    CHECK(cell.at(0, 0).count() == eight);
    CHECK(sum == Approx(cell.at(0, 0).mean()));

    ManyPromptsRequest typed = bundled.request(question);
    typed.prompts = PromptSet::ofText("0123\n012345012\n", "two", *bundled.model, nullptr).value();
    const auto two = averageOver(typed).value();
    CHECK(two.done == 2);
    CHECK(tableOf(two, "cell").at(0, 0).count() == 1);  // the first has no token 8
    CHECK(tableOf(two, "cell").at(0, columnOf(cell, "evidence")).count() == 0);
    CHECK(askCell(bundled.model->config, partFrom("L0H1").value()).error().what ==
          "this is no single cell");
}

TEST_CASE("any number of threads gives the same numbers") {
    const Bundled bundled("four-witnesses-iha");
    const ModelConfig& config = bundled.model->config;
    ManyPromptsRequest request = bundled.request(askHeads(config, {}), 40);
    request.questions.push_back(askAnswers(false));
    request.questions.push_back(askShares(*bundled.model, {}).value());
    const auto one = averageOver(request).value();
    request.threads = 3;
    std::vector<int> counted;
    request.progress = [&](int done) { counted.push_back(done); };
    const auto three = averageOver(request).value();
    REQUIRE(one.tables.size() == 5);
    for (std::size_t i = 0; i < one.tables.size(); ++i)
        CHECK(one.tables[i].cells == three.tables[i].cells);
    REQUIRE(counted.size() == 40);
    for (int i = 0; i < 40; ++i) CHECK(counted[std::size_t(i)] == i + 1);
}

TEST_CASE("accuracy and exact chains are those of an evaluation") {
    for (const char* name : {"four-witnesses-mha", "look-back-bank-mha"}) {
        CAPTURE(name);
        const Bundled bundled(name);
        const auto averages =
            averageOver(bundled.request(askAnswers(bundled.examples(1).exactRows()), 60)).value();
        const AveragedTable& answers = averages.tables.front();
        const auto evaluator = Evaluator::make(*bundled.task, 60, "cpu", 1).value();
        const Evaluation whole =
            evaluator->evaluate(bundled.model->config, bundled.model->weights, false).value();
        CHECK(whole.teacherForced.exact < 1);
        CHECK(answers.at(0, 0).mean() == Approx(whole.teacherForced.accuracy));
        CHECK(answers.at(0, 1).mean() == Approx(whole.teacherForced.exact));
        // float32 there, double here
        CHECK(answers.at(0, 3).mean() == Approx(whole.loss).epsilon(1e-4));
    }
}

TEST_CASE("what is switched off is off for every prompt") {
    const Bundled bundled("four-witnesses-iha");
    const ModelConfig& config = bundled.model->config;
    const auto cutsOf = [](std::initializer_list<const char*> names) {
        std::vector<Cut> cuts;
        for (const char* name : names)
            cuts.push_back({partFrom(name).value(), Instead::zero, false, -1});
        return cuts;
    };
    for (const auto& cuts : {cutsOf({"L0H1.q0k1"}), cutsOf({"L0.alphaQ[0,1,0]", "L0H0.k1"})}) {
        ManyPromptsRequest request = bundled.request(askHeads(config, {}));
        request.questions.push_back(askAnswers(false));
        request.cuts = cuts;
        const auto averages = averageOver(request).value();
        const AveragedTable& heads = tableOf(averages, "heads");
        const auto mass = columnOf(heads, "mass");
        std::vector<double> masses, probabilities;
        for (int example = 0; example < eight; ++example) {
            const auto run = bundled.run(example, cuts);
            masses.push_back(surveyLayer(*run, 0, PatternKind::tiles, *bundled.backend)
                                 .value()
                                 .scores[7]
                                 .of(HeadMeasure::mass));
            probabilities.push_back(answersEffect(*run, *run, answersOf(*run)).before);
        }
        CHECK(heads.lines[7].name == "L0H1.q0k1");
        checkSpread(heads.at(7, mass), masses);
        checkSpread(tableOf(averages, "answers").at(0, 2), probabilities);
    }
    ManyPromptsRequest wrong = bundled.request(askAnswers(false));
    wrong.cuts = cutsOf({"L0.alphaQ[9,1,0]"});
    CHECK_FALSE(averageOver(wrong));
    ManyPromptsRequest weight = bundled.request(askShares(*bundled.model, {}).value());
    weight.cuts = cutsOf({"L0.alphaQ[0,1,0]"});
    CHECK(averageOver(weight));  // its parts add up as before
    weight.cuts = cutsOf({"L0H1.q0k1"});
    const auto refused = averageOver(weight);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence().starts_with("example 0, model: with a part of it"));
}

TEST_CASE("stopping leaves the prompts that were done") {
    const Bundled bundled("four-witnesses-mha");
    ManyPromptsRequest request = bundled.request(askHeads(bundled.model->config, {}));
    int done = 0;
    request.progress = [&](int count) { done = count; };
    request.cancelled = [&] { return done == 3; };
    const auto stopped = averageOver(request).value();
    CHECK(stopped.done == 3);
    CHECK(stopped.asked == eight);
    const auto three = averageOver(bundled.request(askHeads(bundled.model->config, {}), 3)).value();
    CHECK(stopped.tables.front().cells == three.tables.front().cells);
    request.cancelled = [] { return true; };
    CHECK(averageOver(request).error().kind == Error::Kind::interrupted);
}

TEST_CASE("examples are those of the same numbers everywhere") {
    const Bundled bundled("pointer-chain-iha");
    const PromptSet set = bundled.examples(3, 5);
    CHECK(set.count() == 3);
    CHECK(set.words() == "held-out examples 5 to 7 of pointer-chain");
    CHECK(set.at(2).name == "example 7");
    CHECK(set.at(2).truth->tokens == bundled.task->example(Split::heldOut, heldOutSeed, 7).tokens);
    CHECK(int(set.at(2).tokens.size()) == set.at(2).truth->promptLength);
    CHECK(PromptSet::ofTask(bundled.task, 0, 0).error().where == "examples");
    CHECK(PromptSet::ofTask(bundled.task, -1, 2).error().what == "there is no example -1");
}

TEST_CASE("a text of prompts, a line each") {
    const Bundled bundled("four-witnesses-iha");
    const auto read = [&](std::string_view text) {
        return PromptSet::ofText(text, "probes.txt", *bundled.model, bundled.task.get());
    };
    const auto set = read(
                         "\xEF\xBB\xBF"
                         "01234\r\n\n  \n012\n00000")
                         .value();
    REQUIRE(set.count() == 3);
    CHECK(set.words() == "3 prompts of probes.txt");
    CHECK(set.at(0).tokens == std::vector{0, 1, 2, 3, 4});
    CHECK(set.at(0).truth);
    CHECK(set.at(1).name == "line 4");
    CHECK_FALSE(set.at(1).truth);  // three symbols are no prompt of the task

    ManyPromptsRequest request = bundled.request(askHeads(bundled.model->config, {}));
    request.prompts = read("012\n00000\n01").value();
    const auto averages = averageOver(request).value();
    const AveragedTable& heads = tableOf(averages, "heads");
    CHECK(heads.at(0, columnOf(heads, "induction")).count() == 1);  // only one line has copies
    CHECK(heads.at(0, columnOf(heads, "evidence")).count() == 1);   // and it alone is the task's
    CHECK(heads.at(0, columnOf(heads, "mass")).count() == 3);

    CHECK(read("01\n\n0x1\n").error().sentence().starts_with("probes.txt, line 3: "));
    CHECK(read("01\n\xFF\n")
              .error()
              .sentence()
              .starts_with("probes.txt, line 2: byte 1 is not UTF-8"));
    CHECK(read("0123\n" + std::string(90, '1')).error().sentence() ==
          "probes.txt, line 2: 90 tokens are too many; this model reads at most 20.");
    CHECK(read("\n  \n").error().what == "there is no prompt in it");
}

TEST_CASE("a file that cannot be read") {
    const Bundled bundled("four-witnesses-iha");
    const auto sentence = [&](const char* path) {
        return PromptSet::ofFile(path, *bundled.model, nullptr).error().sentence();
    };
    CHECK(sentence("/nowhere/at/all.txt").find("the file cannot be read") != std::string::npos);
    CHECK(sentence("/").find("the file cannot be read") != std::string::npos);
    CHECK(sentence("/dev/zero").find("more than 16 MiB") != std::string::npos);
    CHECK(sentence("/dev/null").find("there is no prompt in it") != std::string::npos);
}
