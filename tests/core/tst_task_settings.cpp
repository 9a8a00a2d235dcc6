#include "core/tasks/task.h"
#include "tests/support/capture_binding.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

using namespace headloom;

namespace {

std::string refusal(const std::string& id, const TaskSettings& settings) {
    const auto task = makeTask(id, settings);
    return task ? "accepted" : task.error().sentence();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// FNV-1a over everything that the first samples of both splits say.
std::string fingerprint(const Task& task) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&](const auto& values) {
        for (const auto value : values)
            hash = (hash ^ static_cast<std::uint32_t>(value)) * 0x100000001b3;
    };
    for (const Split split : {Split::training, Split::heldOut})
        for (std::uint64_t i = 0; i < 50; ++i) {
            const Example example = task.example(split, 7, i);
            add(example.tokens);
            add(example.targets);
            for (const auto& evidence : example.evidence) add(evidence);
            for (const auto& step : example.steps) add(step);
        }
    return fmt::format("{:016x}", hash);
}

std::vector<int> prompt(const Task& task, Split split, std::uint64_t index) {
    const Example example = task.example(split, 0, index);
    return {example.tokens.begin(), example.tokens.begin() + example.promptLength};
}

}  // namespace

// Models are trained and measured on these samples; every machine draws the same.
TEST_CASE("with default settings a task is what it always was") {
    struct Known {
        const char* id;
        const char* hash;
    };
    for (const Known& known : {Known{"four-witnesses", "8c59952300c6e8b7"},
                               {"pointer-chain", "6fb399f655d55a97"},
                               {"look-back-bank", "7804c1cd2e50c9da"},
                               {"relations", "439fe474c597d779"},
                               {"cpm-3", "0209bbe9754b0665"},
                               {"key-retrieval", "a51d762e0c461300"},
                               {"ordered-keys", "82a1ad57febf5aee"},
                               {"vote-automaton", "d9cf768031ab8f04"},
                               {"pointer-chain-2", "eb0b3336d8533c2a"},
                               {"direct-hops", "453d085087208546"},
                               {"noisy-recurrence", "1b2efa009b67e8f5"},
                               {"induction", "581a8f2023ff6554"}}) {
        CAPTURE(known.id);
        CHECK(fingerprint(*makeTask(known.id).value()) == known.hash);
    }
}

TEST_CASE("every setting says what it is and takes its default") {
    for (const std::string& id : taskIds()) {
        CAPTURE(id);
        const TaskChoices choices = taskChoices(id).value();
        const TaskSettings all = makeTask(id).value()->info().settings;
        CHECK(all.size() == choices.settings.size());
        for (const TaskSetting& setting : choices.settings) {
            CAPTURE(setting.name);
            CHECK(all.at(setting.name) == setting.standard);
            CHECK(!setting.title.empty());
            CHECK(setting.sentence.back() == '.');
            CHECK(makeTask(id, {{setting.name, setting.standard}}));
        }
        CHECK(fingerprint(*makeTask(id, all).value()) == fingerprint(*makeTask(id).value()));
        for (const TaskPreset& preset : choices.presets) {
            CAPTURE(preset.name);
            const auto task = makeTask(id, {{"preset", preset.name}});
            REQUIRE(task);
            for (const auto& [name, value] : preset.settings)
                CHECK((*task)->info().settings.at(name) == value);
        }
    }
    CHECK(!taskChoices("five"));
}

TEST_CASE("what a setting cannot be is refused with its name, range and remedy") {
    for (const std::string& id : taskIds()) {
        const TaskChoices choices = taskChoices(id).value();
        for (const TaskSetting& setting : choices.settings) {
            CAPTURE(id);
            CAPTURE(setting.name);
            const auto refused = [&](const std::string& value) {
                return refusal(id, {{setting.name, value}});
            };
            const std::string where = "setting " + setting.name;
            CHECK(contains(refused(""), where));
            CHECK(contains(refused(" , "), where));
            CHECK(contains(refused(std::string(1000, '1')), where));
            if (setting.kind == TaskSetting::Kind::words) continue;
            for (const std::string& value :
                 {std::string("x"), std::string("nan"), std::string("1e400"), std::string("3x"),
                  fmt::format("{}", setting.least - 1), fmt::format("{}", setting.most + 1)}) {
                CAPTURE(value);
                CHECK(contains(refused(value), where));
                CHECK(
                    contains(refused(value), fmt::format("{} to {}", setting.least, setting.most)));
                CHECK(contains(refused(value), "give for example " + setting.standard));
            }
            // alone at its limits it may contradict the others, but never breaks anything
            for (const double value : {setting.least, setting.most}) {
                const auto task = makeTask(id, {{setting.name, fmt::format("{}", value)}});
                if (!task) CHECK(contains(task.error().sentence(), "setting "));
                if (task) CHECK(!(*task)->example(Split::heldOut, 0, 0).tokens.empty());
            }
        }
    }
    CHECK(contains(refusal("pointer-chain", {{"hop", "2"}}),
                   "setting hop: the task has no such setting; use one of: names, chains, hops"));
    CHECK(contains(refusal("pointer-chain", {{"preset", "x"}}), "no such setting"));
}

TEST_CASE("numbers and lists are written in one way only") {
    const auto task = makeTask(
        "four-witnesses", {{"lags", " 2, 3 4,05 "}, {"books", "031254,341250  542301 324501"}});
    REQUIRE(task);
    CHECK((*task)->info().settings == makeTask("four-witnesses").value()->info().settings);
}

TEST_CASE("settings that do not fit together are refused by one of them") {
    CHECK(contains(refusal("four-witnesses", {{"lags", "1,2"}}),
                   "setting lags: there are 2 numbers for 4 code books"));
    CHECK(contains(refusal("four-witnesses", {{"weights", "1"}}), "setting weights: there are 1"));
    CHECK(contains(refusal("four-witnesses", {{"books", "012 0123 012 012"}}),
                   "\"0123\" is not a word of 3 digits 0 to 2"));
    CHECK(contains(refusal("four-witnesses", {{"books", "013 012 012 012"}}), "0 to 2"));
    CHECK(contains(refusal("four-witnesses", {{"books", "0"}}), "give words of 2 to 10 digits"));
    CHECK(contains(refusal("four-witnesses", {{"books", "01 01 01 01 01 01 01 01 01 01"}}),
                   "10 witnesses are too many"));
    CHECK(contains(refusal("four-witnesses", {{"books", "10 01 10 01"}}), "only 32 prompts"));
    CHECK(contains(refusal("pointer-chain", {{"hops", "6"}}),
                   "3 chains of 6 hops need 18 names, but there are 16; give 18 or more"));
    CHECK(contains(refusal("pointer-chain", {{"hops", "26"}}), "use fewer chains or hops"));
    CHECK(contains(refusal("look-back-bank", {{"slots", "16"}}),
                   "16 symbols have none with 16 before it; give 17 to 64, or fewer slots"));
}

TEST_CASE("settings decide sizes, answers and words") {
    // three witnesses who name what they saw: 0 1 2 are 3, 2 and 1 back
    const auto witnesses =
        makeTask(
            "four-witnesses",
            {{"books", "0123 0123 0123"}, {"lags", "1,2,3"}, {"weights", "1,1,5"}, {"length", "2"}})
            .value();
    const Example voted = witnesses->fromPrompt({0, 1, 2}).value();
    CHECK(voted.tokens == std::vector<int>{0, 1, 2, 0, 1});
    CHECK(voted.evidence[2] == std::vector<int>{0, 1, 2});
    CHECK(voted.steps[2] == "symbol 1 of 2: 0 has 5 of 7");
    CHECK(witnesses->info().vocabulary.size() == 4);
    CHECK(contains(witnesses->info().explanation, "Three symbols are given and two follow."));
    CHECK(contains(witnesses->fromPrompt({0, 1}).error().sentence(), "type 3 symbols out of 0 1"));

    const auto chain = makeTask("pointer-chain", {{"hops", "2"}, {"chains", "5"}}).value();
    const Example followed = chain->example(Split::training, 0, 0);
    CHECK(followed.promptLength == 42);
    CHECK(followed.tokens.size() == 45);
    CHECK(chain->info().inputLength == 44);

    const auto bank =
        makeTask("look-back-bank", {{"slots", "2"}, {"symbols", "3"}, {"length", "8"}}).value();
    const Example named = bank->fromPrompt({0, 1, 2}).value();
    CHECK(named.targets == std::vector<int>{-1, -1, -1, -1, 1, 0});
    CHECK(bank->info().slotNames == std::vector<std::string>{"1 back", "2 back"});
    CHECK(makeTask("look-back-bank", {{"slots", "1"}}).value()->info().slotNames.empty());
}

TEST_CASE("the smallest tasks have training and held-out prompts, and share none") {
    std::vector<std::pair<std::string, TaskSettings>> small = {
        {"four-witnesses", {{"books", "10 01"}, {"lags", "1,6"}, {"weights", "1,1"}}},
        {"look-back-bank", {{"symbols", "2"}, {"slots", "1"}, {"length", "8"}}},
        {"vote-automaton", {{"books", "10 01"}, {"lags", "1,6"}}},
        {"relations", {{"size", "3"}, {"density", "0.1"}}},
        {"relations", {{"size", "3"}, {"density", "0.9"}}},
        {"cpm-3", {{"length", "4"}, {"modulus", "3"}}},
        {"key-retrieval", {{"keys", "4"}, {"values", "2"}, {"pairs", "2"}, {"questions", "1"}}},
        {"ordered-keys", {{"keys", "4"}, {"values", "2"}, {"pairs", "2"}, {"questions", "1"}}},
        {"noisy-recurrence",
         {{"symbols", "2"}, {"order", "1"}, {"length", "8"}, {"noise", "0.05"}}},
        {"induction", {{"symbols", "4"}, {"block", "4"}, {"length", "3"}}}};
    for (int names = 4; names <= 26; ++names)
        small.push_back(
            {"pointer-chain", {{"names", std::to_string(names)}, {"chains", "1"}, {"hops", "1"}}});
    for (const auto& [id, settings] : small) {
        CAPTURE_BINDING(id);
        const auto task = makeTask(id, settings).value();
        std::set<std::vector<int>> training;
        for (std::uint64_t i = 0; i < 300; ++i) training.insert(prompt(*task, Split::training, i));
        for (std::uint64_t i = 0; i < 100; ++i)
            REQUIRE(training.count(prompt(*task, Split::heldOut, i)) == 0);
    }
}
