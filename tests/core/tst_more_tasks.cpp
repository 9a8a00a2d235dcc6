#include "core/tasks/task.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace headloom;

namespace {

std::unique_ptr<Task> task(const char* id, const TaskSettings& settings = {}) {
    return makeTask(id, settings).value();
}

Example typed(const Task& task, const char* prompt) {
    return task.fromPrompt(task.info().vocabulary.encode(prompt).value()).value();
}

std::string refusal(const Task& task, const char* prompt) {
    const auto example = task.fromPrompt(task.info().vocabulary.encode(prompt).value());
    return example ? "accepted" : example.error().sentence();
}

std::string text(const Task& task, const std::vector<int>& tokens) {
    return task.info().vocabulary.decode(tokens);
}

std::string answers(const Task& task, const Example& example) {
    std::string all;
    for (const int target : example.targets)
        all += target < 0 ? "-" : task.info().vocabulary.text(target);
    return all;
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

// 0 1 2 3: 1 back is 3: 324510[3] = 5; 2 back is 2: 153240[2] = 3; 3 back is 1: 213450[1] = 1;
// 4 back is 0: 521043[0] = 5. Two votes for 5. Then 1 2 3 5: 324510[5] = 0, 153240[3] = 2,
// 213450[2] = 3, 521043[1] = 2. Then 2 3 5 2: 324510[2] = 4, 153240[5] = 0, 213450[3] = 4,
// 521043[2] = 1.
TEST_CASE("in a vote automaton the last four symbols vote, none counts more") {
    const auto made = task("vote-automaton");
    const Example example = typed(*made, "0123");
    CHECK(text(*made, {example.tokens.begin(), example.tokens.begin() + 7}) == "0123524");
    CHECK(example.evidence[3] == std::vector<int>{0, 1, 2, 3});
    CHECK(example.steps[3] == "symbol 1 of 16: 5 has 1 + 1 of 4");
    // two witnesses who never agree: the smaller word is written
    const auto tied = task("vote-automaton", {{"books", "432101 543212"}, {"lags", "1,3"}});
    CHECK(typed(*tied, "000").tokens[3] == 4);
    CHECK(typed(*tied, "201").tokens[3] == 3);
}

TEST_CASE("a clause of two tokens says the same in less room") {
    const auto made = task("pointer-chain-2");
    const Example example = typed(*made, "c7baacde?a");
    CHECK(text(*made, example.tokens) == "c7baacde?ac7.");
    CHECK(example.evidence[9] == std::vector<int>{4, 5});
    CHECK(example.evidence[10] == std::vector<int>{0, 1});
    CHECK(example.steps[9] == "hop 1 of 2: a=c");
    CHECK(example.evidence[11].empty());
    CHECK(answers(*made, example) == "---------c7.");
    CHECK(contains(refusal(*made, "a=c7?a"), "token 0 (a) does not begin a clause of a name"));
    CHECK(contains(refusal(*made, "ac?a"), "add a clause such as c7"));
    CHECK(contains(refusal(*made, "7aac?a"), "token 0 (7) does not begin"));
    CHECK(contains(refusal(*made, "acca?a"), "such as j7"));
}

TEST_CASE("straight to the digit: one answer, stated by all clauses of the way") {
    const auto made = task("direct-hops");
    const Example example = typed(*made, "c=7;b=a;a=c;d=e;?b");
    CHECK(example.promptLength == 6);
    CHECK(example.inputLength == 6);
    CHECK(text(*made, example.tokens) == "c=7;b=a;a=c;d=e;?b7");
    CHECK(answers(*made, example) == "-----7");
    CHECK(example.evidence[5] == std::vector<int>{0, 1, 2});
    CHECK(example.steps[5] == "3 hops at once: b=a a=c c=7");
    // 6 + 14 tokens, then pair (source, target) at 20 + 16 source + target
    CHECK(example.tokens[0] == 20 + 2 * 16 + 6 + 7);
    CHECK(contains(refusal(*made, "a=c;?a"), "the chain stops at c"));
    CHECK(contains(refusal(*made, "ab?a"), "token 0 (a) does not begin a clause"));
    for (std::uint64_t i = 0; i < 50; ++i) {
        const Example drawn = made->example(Split::training, 0, i);
        CHECK(drawn.tokens.size() == 7);
        CHECK(drawn.evidence[5].size() == 2);
    }
}

// R = 010 001 000: two steps lead from 0 to 2 only, three nowhere.
TEST_CASE("relations are composed") {
    const auto made = task("relations", {{"size", "3"}});
    const Example example = typed(*made, "010001000");
    CHECK(answers(*made, example) == "001000000");
    CHECK(example.evidence[2] == std::vector<int>{0, 1, 2, 5, 8});
    CHECK(example.evidence[3] == std::vector<int>{0, 3, 4, 5, 6});
    CHECK(example.steps[2] == "row 0, column 2: 1, through 1");
    CHECK(example.steps[0] == "row 0, column 0: 0");
    CHECK(!made->info().generated);
    const auto cube = task("relations", {{"size", "3"}, {"power", "3"}});
    CHECK(answers(*cube, typed(*cube, "010001000")) == "000000000");
    CHECK(answers(*cube, typed(*cube, "010001100")) == "100010001");
    CHECK(contains(refusal(*made, "0101"), "it has 4 digits, but a 3 x 3 relation has 9"));
    CHECK(task("relations", {{"preset", "paper-rr"}})->info().inputLength == 100);
    const auto paper = task("relations", {{"preset", "paper-rrr"}, {"size", "5"}});
    CHECK(paper->info().inputLength == 25);
    CHECK(paper->info().settings.at("density") == "0.264");
    CHECK(contains(makeTask("relations", {{"preset", "x"}}).error().sentence(),
                   "use one of: paper-rr, paper-rrr"));
}

TEST_CASE("drawn relations are as dense as asked for, and their answers are right") {
    const auto made = task("relations");
    int ones = 0;
    for (std::uint64_t n = 0; n < 500; ++n) {
        const Example example = made->example(Split::training, 2, n);
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) {
                ones += example.tokens[4 * i + j];
                int met = 0;
                for (std::size_t k = 0; k < 4; ++k)
                    met += example.tokens[4 * i + k] * example.tokens[4 * k + j];
                REQUIRE(example.targets[4 * i + j] == (met > 0));
            }
    }
    // 8,000 draws at .325: a standard error of .005
    CHECK(ones / 8000.0 == doctest::Approx(0.325).epsilon(0.05));
}

// Modulus 3, factor 2: the pairs (0,0) (0,1) (1,0) (1,1) add 0 1 2 3 to a number. For 0 the first
// and the last count, for 1 the third does; with the order ignored the second would, too.
TEST_CASE("ordered pairs are counted") {
    const auto made = task("cpm-3", {{"length", "4"}, {"modulus", "3"}, {"factor", "2"}});
    // 0 0 0 1: of 16 pairs nine are (0,0), three each (0,1) and (1,0), one (1,1)
    const Example example = typed(*made, "0001");
    CHECK(answers(*made, example) == "#10#10#10#3");
    CHECK(example.targets[0] == 3 + 10);
    CHECK(example.steps[3] == "for 1: 3 of 16 pairs");
    CHECK(example.evidence[3].empty());
    CHECK(contains(refusal(*made, "000"), "it has 3 numbers, but the counts are over 4"));
    CHECK(contains(refusal(*made, "000#1"), "it has a count in it"));
    const auto paper = task("cpm-3");
    for (std::uint64_t n = 0; n < 50; ++n) {
        const Example drawn = paper->example(Split::heldOut, 0, n);
        for (std::size_t i = 0; i < 6; ++i) {
            int count = 0;
            for (std::size_t a = 0; a < 6; ++a)
                for (std::size_t b = 0; b < 6; ++b)
                    count += (drawn.tokens[i] + 12 * drawn.tokens[a] + drawn.tokens[b]) % 5 == 0;
            REQUIRE(drawn.targets[i] == 5 + count);
        }
    }
    CHECK(contains(paper->info().explanation, "The order of a pair matters"));
    CHECK(contains(task("cpm-3", {{"factor", "11"}})->info().explanation, "does not matter"));
}

TEST_CASE("keys are retrieved, each from its pair") {
    const auto made = task("key-retrieval");
    const Example example = typed(*made, "c=7;a=0;p=3;pca");
    CHECK(answers(*made, example) == "---370");
    CHECK(example.tokens[0] == 24 + 2 * 8 + 7);
    CHECK(example.targets[3] == 16 + 3);
    CHECK(example.evidence[3] == std::vector<int>{2});
    CHECK(example.evidence[4] == std::vector<int>{0});
    CHECK(example.evidence[0].empty());
    CHECK(example.steps[5] == "a is 0");
    CHECK(contains(refusal(*made, "c=7;"), "it asks for no key"));
    CHECK(contains(refusal(*made, "c=7;b"), "b has no value"));
    CHECK(contains(refusal(*made, "c=7;c=6;c"), "c has two values"));
    CHECK(contains(refusal(*made, "c=7;c7"), "token 2 (7) is not a key"));
    CHECK(contains(refusal(*made, "a=0;aaaaaaaaaaaa"), "at most 12 fit"));
    for (std::uint64_t n = 0; n < 50; ++n) {
        const Example drawn = made->example(Split::training, 0, n);
        const std::set<int> asked(drawn.tokens.begin() + 8, drawn.tokens.end());
        CHECK(asked.size() == 4);
        CHECK(*asked.rbegin() < 16);
        for (std::size_t row = 8; row < 12; ++row) {
            const auto pair = static_cast<std::size_t>(drawn.evidence[row].at(0));
            CHECK(drawn.tokens[pair] == 24 + drawn.tokens[row] * 8 + drawn.targets[row] - 16);
        }
    }
    CHECK(contains(makeTask("key-retrieval", {{"pairs", "20"}}).error().sentence(),
                   "20 pairs need as many keys, but there are 16"));
    CHECK(contains(makeTask("key-retrieval", {{"questions", "9"}}).error().sentence(),
                   "setting questions"));
}

TEST_CASE("ordered keys are asked for at one position") {
    const auto made = task("ordered-keys");
    const Vocabulary& tokens = made->info().vocabulary;
    CHECK(tokens.size() == 8 + 16 + 4 * 16);
    CHECK(made->info().nClasses == 8);
    const Example example = typed(*made, "c+7 a+0 3+p d+1 p1+a2+d3+c4");
    CHECK(example.tokens.size() == 5);
    CHECK(example.inputLength == 5);
    CHECK(tokens.parts(example.tokens[0]) == std::vector<int>{8 + 2, 7});
    CHECK(tokens.parts(example.tokens[4]) ==
          std::vector<int>{24 + 15, 24 + 16 + 0, 24 + 32 + 3, 24 + 48 + 2});
    CHECK(answers(*made, example) == "----------------3017");
    CHECK(example.evidence[4] == std::vector<int>{0, 1, 2, 3});
    CHECK(example.evidence[3].empty());
    CHECK(example.steps[4] == "p is 3, a is 0, d is 1, c is 7");
    // the order is in the tokens, not in how they are typed; the same key may be asked for twice
    CHECK(answers(*made, typed(*made, "c+7a+0b+2a4+a2+a3+c1")) == "------------7000");
    CHECK(typed(*made, "c+7a+0b+2a4+a2+a3+c1").evidence[3] == std::vector<int>{0, 1});
    CHECK(contains(refusal(*made, "c+7a+0"), "it does not end with a question"));
    CHECK(contains(refusal(*made, "c+7 a1+a2"), "a has no value"));
    CHECK(contains(refusal(*made, "c+7 c1+c2+c4"), "it asks for no third key"));
    CHECK(contains(refusal(*made, "c+7 c1+c1+c2+c3"), "it asks for more than one first key"));
    CHECK(contains(refusal(*made, "c+7c+6 c1+c2+c3+c4"), "c has two values"));
    CHECK(contains(refusal(*made, "c7 c1+c2+c3+c4"), "position 0 (c) is not a key and its value"));
    CHECK(contains(refusal(*made, "c+d c1+c2+c3+c4"), "such as a+0 b+1 a1+b2+a3+b4"));
    CHECK(contains(refusal(*made, "a+0a+0a+0a+0a+0a+0a+0a+0a+0a1"), "at most 9 fit"));
    std::set<int> firstAsked;
    for (std::uint64_t n = 0; n < 50; ++n) {
        const Example drawn = made->example(Split::training, 0, n);
        REQUIRE(drawn.tokens.size() == 9);
        CHECK(drawn.evidence[8].size() == 4);
        const std::vector<int> asked = tokens.parts(drawn.tokens[8]);
        REQUIRE(asked.size() == 4);
        firstAsked.insert(asked[0]);
        for (std::size_t place = 0; place < 4; ++place) {
            const int key = asked[place] - 24 - 16 * int(place), value = drawn.targets[32 + place];
            CHECK(std::count(drawn.tokens.begin(), drawn.tokens.end(),
                             tokens.sumOf({8 + key, value})) == 1);
        }
    }
    CHECK(firstAsked.size() > 8);  // of 16 keys in 50 draws
    CHECK(contains(makeTask("ordered-keys", {{"questions", "5"}}).error().sentence(), "1 to 4"));
    CHECK(contains(makeTask("ordered-keys", {{"pairs", "3"}}).error().sentence(),
                   "4 keys cannot be asked for among 3 pairs"));
    const auto one = task("ordered-keys", {{"questions", "1"}, {"keys", "26"}, {"pairs", "26"}});
    CHECK(answers(*one, typed(*one, "z+3 z1")) == "-3");
    CHECK(one->info().slotNames.empty());
}

TEST_CASE("positions of several tokens reach a batch as several ids") {
    const auto made = task("ordered-keys");
    const Batch batch = makeBatch(*made, Split::training, 0, 3, 2);
    CHECK(batch.ids.shape() == Shape{2, 9, 4});
    CHECK(batch.targets.shape() == Shape{2, 9, 4});
    CHECK(batch.counted() == 8);
    const Example second = made->example(Split::training, 0, 4);
    const auto ids = batch.ids.at(1).values<std::int32_t>();
    for (std::size_t row = 0; row < 9; ++row) {
        std::vector<int> parts = made->info().vocabulary.parts(second.tokens[row]);
        parts.resize(4, -1);
        CHECK(std::equal(parts.begin(), parts.end(), ids.begin() + std::ptrdiff_t(4 * row)));
    }
    CHECK(makeBatch(*task("key-retrieval"), Split::training, 0, 3, 2).ids.shape() == Shape{2, 12});
}

TEST_CASE("a recurrence answers by its table, whatever the noise wrote") {
    const auto made = task("noisy-recurrence");
    int asTold = 0, written = 0;
    std::set<std::pair<std::vector<int>, int>> table;
    std::set<std::vector<int>> asked;
    for (std::uint64_t n = 0; n < 400; ++n) {
        const Example drawn = made->example(Split::training, 0, n);
        CHECK(drawn.evidence[2].empty());
        for (std::size_t row = 3; row < 16; ++row) {
            const std::vector<int>& seen = drawn.evidence[row];
            REQUIRE(seen == std::vector<int>{int(row) - 3, int(row) - 2, int(row) - 1, int(row)});
            const std::vector<int> last(drawn.tokens.begin() + seen.front(),
                                        drawn.tokens.begin() + seen.back() + 1);
            table.emplace(last, drawn.targets[row]);
            asked.insert(last);
            if (row == 15) continue;
            ++written;
            asTold += drawn.tokens[row + 1] == drawn.targets[row];
        }
    }
    CHECK(table.size() == asked.size());  // one answer to each of them
    CHECK(asked.size() > 230);            // of 256
    // .85 + .15 / 4 = .8875 as told; of 4,800 symbols, a standard error of .0046
    CHECK(double(asTold) / written == doctest::Approx(0.8875).epsilon(0.02));
    const Example drawn = made->example(Split::training, 0, 0);
    CHECK(contains(drawn.steps[15], (" gives " + std::to_string(drawn.targets[15])).c_str()));
    CHECK(answers(*made, typed(*made, "012")) == "---");
    CHECK(contains(refusal(*made, "01230123012301230"), "at most 16 fit"));
    CHECK(contains(
        makeTask("noisy-recurrence", {{"symbols", "10"}, {"order", "5"}}).error().sentence(),
        "10 symbols to the power of 5 are 100000 entries"));
}

TEST_CASE("induction goes on as the last time") {
    const auto made = task("induction");
    const Example example = typed(*made, "abcdefghb");
    CHECK(text(*made, example.tokens) == "abcdefghbcdefgh");
    CHECK(example.evidence[8] == std::vector<int>{2});
    CHECK(example.evidence[13] == std::vector<int>{7});
    CHECK(example.steps[8] == "symbol 1 of 6: after b came c");
    CHECK(example.evidence[7].empty());
    // the latest of several earlier places; at the block's end it goes on after itself
    CHECK(text(*made, typed(*made, "abaca").tokens) == "abacacacaca");
    CHECK(contains(refusal(*made, "abcd"), "d does not occur before"));
    CHECK(contains(refusal(*made, "a"), "a does not occur before"));
    CHECK(contains(refusal(*made, "abcdefghijklma"), "at most 13 fit"));
    std::set<int> starts;
    for (std::uint64_t n = 0; n < 100; ++n) {
        const Example drawn = made->example(Split::training, 0, n);
        CHECK(std::set<int>(drawn.tokens.begin(), drawn.tokens.begin() + 12).size() == 12);
        starts.insert(drawn.evidence[12].at(0));
        for (std::size_t row = 12; row < 18; ++row) {
            const auto at = static_cast<std::size_t>(drawn.evidence[row].at(0));
            CHECK(drawn.tokens[at] == drawn.targets[row]);
            CHECK(drawn.tokens[at - 1] == drawn.tokens[row]);
        }
    }
    CHECK(starts == std::set<int>{1, 2, 3, 4, 5, 6});
    CHECK(contains(makeTask("induction", {{"block", "20"}}).error().sentence(), "give 4 to 16"));
    CHECK(contains(makeTask("induction", {{"length", "12"}}).error().sentence(), "give 1 to 11"));
}
