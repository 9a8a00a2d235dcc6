#pragma once

#include "core/tasks/task.h"

#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// A witness saw the symbol `lag` back and names another one by its code book; its word has a
/// weight.
struct Witness {
    int lag, weight;
    std::vector<int> book;  ///< what it names on seeing 0, 1, ...
};

/// The next symbol of a chain is the one with the most weight; of equals the smallest.
struct VoteRule {
    std::vector<Witness> witnesses;
    int nSymbols = 0;
    int length = 0;  ///< symbols that follow the prompt

    /// The prompt: as many symbols as the witness with the longest memory needs.
    int promptLength() const;
};

/// Settings "books" (a word of digits a witness), "lags" and "length", with these defaults.
std::vector<TaskSetting> voteSettings(const char* books, const char* lags);

/// Reads those settings. `weights`: one a witness; empty: 1 each. Errors: lists that do not fit
/// together, too few prompts to hold some out.
Result<VoteRule> voteRule(const SettingValues& values, const std::vector<int>& weights);

/// `info` with id, title, explanation and settings; the rest follows from the rule.
std::unique_ptr<Task> makeVoteChain(TaskInfo info, VoteRule rule);

}  // namespace headloom
