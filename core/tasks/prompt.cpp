#include "core/tasks/builtin.h"

#include <fmt/format.h>

#include <cctype>

namespace headloom {

namespace {

/// SplitMix64's step: every bit of the number decides every bit of the result.
std::uint64_t scramble(std::uint64_t number) {
    std::uint64_t hash = number + 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    return hash ^ (hash >> 31);
}

}  // namespace

bool isHeldOut(std::uint64_t number) {
    return scramble(number) % 5 == 0;
}

bool isHeldOut(const std::vector<int>& prompt) {
    std::uint64_t hash = prompt.size();
    for (const int token : prompt) hash = scramble(hash ^ static_cast<std::uint64_t>(token));
    return hash % 5 == 0;
}

std::vector<std::string> characterRange(char first, int count) {
    std::vector<std::string> tokens;
    for (int i = 0; i < count; ++i) tokens.emplace_back(1, static_cast<char>(first + i));
    return tokens;
}

std::string inWords(int number) {
    constexpr const char* words[] = {
        "no",       "one",     "two",     "three",     "four",     "five",     "six",
        "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
        "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};
    return number >= 0 && number < static_cast<int>(std::size(words)) ? words[number]
                                                                      : std::to_string(number);
}

std::string inWords(int number, const std::string& noun) {
    const char* plural = number == 1 ? "" : noun.back() == 's' ? "es" : "s";
    return inWords(number) + " " + noun + plural;
}

std::string capitalised(std::string text) {
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

tl::unexpected<Error> badPrompt(std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, "prompt", std::move(what), std::move(remedy));
}

Result<void> checkPrompt(const std::vector<int>& prompt, const TaskInfo& info) {
    if (prompt.empty()) return badPrompt("it is empty", "type at least one token");
    for (const int id : prompt)
        if (!info.vocabulary.holds(id))
            return badPrompt(fmt::format("token {} is outside the vocabulary", id),
                             fmt::format("use ids 0..{}", info.vocabulary.size() - 1));
    return {};
}

}  // namespace headloom
