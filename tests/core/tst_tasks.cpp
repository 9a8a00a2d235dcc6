#include "core/tasks/task.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace headloom;

namespace {

std::unique_ptr<Task> task(const char* id) {
    return makeTask(id).value();
}

Example typed(const Task& task, const char* prompt) {
    return task.fromPrompt(task.info().vocabulary.encode(prompt).value()).value();
}

std::string refusal(const Task& task, const std::vector<int>& prompt) {
    const Result<Example> example = task.fromPrompt(prompt);
    return example ? "accepted" : example.error().sentence();
}

std::string refusal(const Task& task, const char* prompt) {
    return refusal(task, task.info().vocabulary.encode(prompt).value());
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

std::vector<int> ids(const Batch& batch, int sample) {
    const std::span<std::int32_t> row = batch.ids.at(sample).values<std::int32_t>();
    return {row.begin(), row.end()};
}

}  // namespace

TEST_CASE("tasks are known by name, in the order of the menu") {
    CHECK(taskIds() == std::vector<std::string>{"four-witnesses", "pointer-chain", "look-back-bank",
                                                "relations", "cpm-3", "key-retrieval",
                                                "ordered-keys", "vote-automaton", "pointer-chain-2",
                                                "direct-hops", "noisy-recurrence", "induction"});
    for (const std::string& id : taskIds()) CHECK(makeTask(id).value()->info().id == id);
    CHECK(contains(makeTask("five").error().sentence(), "four-witnesses, pointer-chain"));
}

TEST_CASE("the sizes are those of the task") {
    struct Size {
        const char* id;
        int vocabulary, input, slots, counted;
    };
    for (const Size& size : {Size{"four-witnesses", 6, 20, 1, 16},
                             {"pointer-chain", 30, 54, 1, 5},
                             {"look-back-bank", 8, 16, 4, 48},
                             {"relations", 2, 16, 1, 16},
                             {"cpm-3", 5 + 37, 6, 1, 6},
                             {"key-retrieval", 16 + 8 + 16 * 8, 12, 1, 4},
                             {"vote-automaton", 6, 19, 1, 16},
                             {"pointer-chain-2", 24, 17, 1, 4},
                             {"direct-hops", 6 + 14 + 6 * 16, 6, 1, 1},
                             {"noisy-recurrence", 4, 16, 1, 13},
                             {"induction", 16, 18, 1, 6}}) {
        CAPTURE(size.id);
        const auto made = task(size.id);
        CHECK(made->info().vocabulary.size() == size.vocabulary);
        CHECK(made->info().inputLength == size.input);
        CHECK(made->info().nSlots == size.slots);
        const Batch batch = makeBatch(*made, Split::training, 0, 0, 3);
        CHECK(batch.ids.shape() == Shape{3, size.input});
        CHECK(batch.targets.shape() == Shape{3, size.input, size.slots});
        CHECK(std::ranges::count_if(batch.targets.values<std::int32_t>(),
                                    [](int target) { return target >= 0; }) == 3 * size.counted);
    }
}

TEST_CASE("a sample depends on its number only, not on the batch it comes in") {
    for (const std::string& id : taskIds()) {
        CAPTURE(id);
        const auto made = task(id.c_str());
        const Batch whole = makeBatch(*made, Split::training, 3, 0, 8);
        const Batch tail = makeBatch(*made, Split::training, 3, 5, 3);
        for (int i = 0; i < 3; ++i) CHECK(ids(whole, 5 + i) == ids(tail, i));
        CHECK(made->example(Split::training, 3, 5).tokens ==
              made->example(Split::training, 3, 5).tokens);
        CHECK(ids(whole, 0) != ids(whole, 1));
        CHECK(made->example(Split::training, 3, 5).tokens !=
              made->example(Split::training, 4, 5).tokens);
    }
}

TEST_CASE("without its labels a sample is the same") {
    for (const std::string& id : taskIds()) {
        const auto made = task(id.c_str());
        const Example full = made->example(Split::training, 3, 5),
                      bare = made->unlabelled(Split::training, 3, 5);
        CHECK(full.tokens == bare.tokens);
        CHECK(full.targets == bare.targets);
        CHECK(full.inputLength == bare.inputLength);
    }
}

TEST_CASE("training and held-out samples share no prompt") {
    for (const std::string& id : taskIds()) {
        CAPTURE(id);
        const auto made = task(id.c_str());
        std::set<std::vector<int>> training;
        const auto promptOf = [&](Split split, std::uint64_t i) {
            const Example example = made->example(split, 0, i);
            return std::vector<int>(example.tokens.begin(),
                                    example.tokens.begin() + example.promptLength);
        };
        for (std::uint64_t i = 0; i < 3000; ++i) training.insert(promptOf(Split::training, i));
        for (std::uint64_t i = 0; i < 1000; ++i)
            REQUIRE(training.count(promptOf(Split::heldOut, i)) == 0);
    }
}

TEST_CASE("a fifth of the prompts of four witnesses is held out") {
    const auto made = task("four-witnesses");
    std::set<std::vector<int>> training, heldOut;
    for (std::uint64_t i = 0; i < 60000; ++i) {
        training.insert(made->example(Split::training, 0, i).tokens);
        if (i < 20000) heldOut.insert(made->example(Split::heldOut, 0, i).tokens);
    }
    CHECK(training.size() + heldOut.size() <= 7776);
    // of 7776 prompts 1555 +- 35 (binomial); so many draws miss only a handful
    CHECK(heldOut.size() > 1450);
    CHECK(heldOut.size() < 1660);
    CHECK(training.size() > 6050);
}

// 00000: the witnesses name 0 (8), 3 (6), 5 (5), 3 (4), so 3 wins with 10; and so on by hand.
TEST_CASE("four witnesses vote by code book and weight") {
    const auto made = task("four-witnesses");
    const Example example = typed(*made, "00000");
    CHECK(std::vector<int>(example.tokens.begin(), example.tokens.begin() + 11) ==
          std::vector<int>{0, 0, 0, 0, 0, 3, 3, 3, 2, 2, 1});
    CHECK(example.tokens.size() == 21);
    CHECK(example.promptLength == 5);
    CHECK(example.inputLength == 20);
    CHECK(example.targets[3] == -1);
    CHECK(example.targets[4] == 3);
    CHECK(example.targets[7] == 2);
    CHECK(example.evidence[3].empty());
    CHECK(example.evidence[4] == std::vector<int>{0, 1, 2, 3});
    CHECK(example.evidence[19] == std::vector<int>{15, 16, 17, 18});
    CHECK(example.steps[4] == "symbol 1 of 16: 3 has 6 + 4 of 23");
    CHECK(example.steps[7] == "symbol 4 of 16: 2 has 8 + 6 of 23");
    // all witnesses but the last see something else: 2 3 4 5 back of 54321 are 2 3 4 5
    // 031254[2] = 1 (8), 341250[3] = 2 (6), 542301[4] = 0 (5), 324501[5] = 1 (4)
    CHECK(typed(*made, "54321").tokens[5] == 1);
}

TEST_CASE("a drawn sample is what its prompt gives") {
    for (const std::string& id : taskIds()) {
        CAPTURE(id);
        const auto made = task(id.c_str());
        for (std::uint64_t i = 0; i < 20; ++i) {
            const Example drawn = made->example(Split::heldOut, 1, i);
            const Example typedIn =
                made->fromPrompt({drawn.tokens.begin(), drawn.tokens.begin() + drawn.promptLength})
                    .value();
            CHECK(drawn.tokens == typedIn.tokens);
            CHECK(drawn.targets == typedIn.targets);
            CHECK(drawn.evidence == typedIn.evidence);
        }
    }
}

TEST_CASE("a pointer chain is followed to its digit") {
    const auto made = task("pointer-chain");
    const Example example = typed(*made, "c=7;b=a;a=c;d=e;?a");
    CHECK(made->info().vocabulary.decode(example.tokens) == "c=7;b=a;a=c;d=e;?ac7.");
    CHECK(example.promptLength == 18);
    CHECK(example.inputLength == 20);
    CHECK(example.steps[17] == "hop 1 of 2: a=c");
    CHECK(example.evidence[17] == std::vector<int>{8, 9, 10, 11});
    CHECK(example.steps[18] == "hop 2 of 2: c=7");
    CHECK(example.evidence[18] == std::vector<int>{0, 1, 2, 3});
    CHECK(example.steps[19] == "end");
    CHECK(example.evidence[19].empty());
    CHECK(example.targets[19] == made->info().vocabulary.endToken());
    CHECK(example.targets[16] == -1);
}

TEST_CASE("drawn pointer chains have twelve clauses and four hops") {
    const auto made = task("pointer-chain");
    const Vocabulary& vocabulary = made->info().vocabulary;
    for (std::uint64_t i = 0; i < 50; ++i) {
        const Example example = made->example(Split::training, 0, i);
        CHECK(example.promptLength == 50);
        CHECK(example.tokens.size() == 55);
        CHECK(example.tokens.back() == vocabulary.endToken());
        std::set<int> names;
        for (std::size_t clause = 0; clause < 12; ++clause) {
            names.insert(example.tokens[4 * clause]);
            CHECK(vocabulary.text(example.tokens[4 * clause + 1]) == "=");
            CHECK(vocabulary.text(example.tokens[4 * clause + 3]) == ";");
        }
        CHECK(names.size() == 12);
        // each step's clause says: from this token to the next
        for (std::size_t row = 49; row < 53; ++row) {
            const auto clause = static_cast<std::size_t>(example.evidence[row].front());
            CHECK(example.tokens[clause] == example.tokens[row]);
            CHECK(example.tokens[clause + 2] == example.tokens[row + 1]);
        }
    }
}

TEST_CASE("the look-back bank asks for four symbols at once") {
    const auto made = task("look-back-bank");
    const Example example = typed(*made, "abcdefgh");
    CHECK(example.inputLength == 8);
    CHECK(example.targets[3 * 4] == -1);
    CHECK(std::vector<int>(example.targets.begin() + 16, example.targets.begin() + 20) ==
          std::vector<int>{3, 2, 1, 0});
    CHECK(example.evidence[5] == std::vector<int>{1, 2, 3, 4});
    CHECK(example.steps[4] == "1 to 4 back: d c b a");
    CHECK(made->info().slotNames[3] == "4 back");
}

TEST_CASE("evidence lies before its row, sorted, without doubles") {
    for (const std::string& id : taskIds()) {
        CAPTURE(id);
        const bool readsAll = id == "relations";  // without a mask: evidence may lie behind
        const auto made = task(id.c_str());
        const Example example = made->example(Split::training, 0, 0);
        CHECK(example.evidence.size() == static_cast<std::size_t>(example.inputLength));
        for (std::size_t row = 0; row < example.evidence.size(); ++row) {
            const std::vector<int>& evidence = example.evidence[row];
            CHECK(std::ranges::adjacent_find(evidence, std::greater_equal()) == evidence.end());
            if (evidence.empty()) continue;
            CHECK(evidence.front() >= 0);
            CHECK(evidence.back() <= (readsAll ? 15 : static_cast<int>(row)));
        }
    }
}

TEST_CASE("a prompt that is not one gets a sentence with cause and remedy") {
    const auto witnesses = task("four-witnesses");
    CHECK(contains(refusal(*witnesses, "0123"), "it has 4 symbols, but the witnesses need 5"));
    CHECK(contains(refusal(*witnesses, std::vector<int>{0, 1, 2, 3, 6}), "token 6 is outside"));
    CHECK(contains(refusal(*witnesses, std::vector<int>{0, 1, 2, 3, -1}), "token -1 is outside"));
    const auto bank = task("look-back-bank");
    CHECK(contains(refusal(*bank, "abcdefghabcdefgha"), "at most 16 fit"));
    const auto chain = task("pointer-chain");
    CHECK(contains(refusal(*chain, "a=c;c=7;"), "does not end with a question mark and a name"));
    CHECK(contains(refusal(*chain, "a=c;c=7;?7"), "does not end with a question mark"));
    CHECK(contains(refusal(*chain, "a"), "does not end with a question mark"));
    CHECK(contains(refusal(*chain, "a=cc=7;?a"), "token 0 (a) does not begin a clause"));
    CHECK(contains(refusal(*chain, "a=c;7=c;?a"), "token 4 (7) does not begin a clause"));
    CHECK(contains(refusal(*chain, "a=c;c=?a"), "token 4 (c) does not begin a clause"));
    CHECK(contains(refusal(*chain, "a=c;a=7;?a"), "a has two clauses"));
    CHECK(contains(refusal(*chain, "a=c;b=7;?a"), "the chain stops at c"));
    CHECK(contains(refusal(*chain, "?a"), "the chain stops at a"));
    CHECK(contains(refusal(*chain, "a=c;c=a;?a"), "goes round in circles"));
    CHECK(contains(refusal(*chain, "a=1;b=2;c=3;d=4;e=5;f=6;g=7;h=8;i=9;j=0;k=1;l=2;m=a;?m"),
                   "leave out"));
    for (const std::string& id : taskIds())
        CHECK(contains(refusal(*task(id.c_str()), ""), "empty"));
}
