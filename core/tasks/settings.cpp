#include "core/tasks/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <optional>

namespace headloom {

namespace {

constexpr std::size_t longestText = 400;  // far above what any list of a toy task needs
constexpr const char* presetName = "preset";

std::vector<std::string> split(const std::string& text) {
    constexpr const char* between = " \t,";
    std::vector<std::string> parts;
    for (std::size_t at = text.find_first_not_of(between); at != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(between, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(between, end);
    }
    return parts;
}

/// The whole text as a number; without the C library's locale.
template <class Number>
std::optional<Number> numberFrom(const std::string& text) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stopped, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc() || stopped != end) return std::nullopt;
    return number;
}

/// The value written as values are kept, or nothing where it is not one of this setting's.
std::optional<std::string> canonical(const TaskSetting& setting, const std::string& text) {
    const auto within = [&](double number) {
        return std::isfinite(number) && number >= setting.least && number <= setting.most;
    };
    const std::vector<std::string> parts = split(text);
    if (text.size() > longestText || parts.empty()) return std::nullopt;
    switch (setting.kind) {
        case TaskSetting::Kind::wholeNumber:
        case TaskSetting::Kind::wholeNumbers: {
            if (setting.kind == TaskSetting::Kind::wholeNumber && parts.size() > 1)
                return std::nullopt;
            std::vector<int> numbers;
            for (const std::string& part : parts) {
                const auto number = numberFrom<int>(part);
                if (!number || !within(*number)) return std::nullopt;
                numbers.push_back(*number);
            }
            return fmt::format("{}", fmt::join(numbers, ","));
        }
        case TaskSetting::Kind::decimal: {
            const auto number = numberFrom<double>(parts.front());
            if (parts.size() > 1 || !number || !within(*number)) return std::nullopt;
            return fmt::format("{}", *number);
        }
        case TaskSetting::Kind::words:
            return fmt::format("{}", fmt::join(parts, " "));
    }
    return std::nullopt;
}

std::string nounOf(TaskSetting::Kind kind) {
    switch (kind) {
        case TaskSetting::Kind::wholeNumber:
            return "a whole number from";
        case TaskSetting::Kind::decimal:
            return "a number from";
        case TaskSetting::Kind::wholeNumbers:
            return "a list of whole numbers from";
        case TaskSetting::Kind::words:
            return "a list of words";
    }
    return {};
}

const TaskSetting* find(const std::vector<TaskSetting>& settings, const std::string& name) {
    const auto found = std::find_if(settings.begin(), settings.end(),
                                    [&](const TaskSetting& one) { return one.name == name; });
    return found == settings.end() ? nullptr : &*found;
}

/// "a, b, c" of everything's name.
template <class Named>
std::string namesOf(const std::vector<Named>& all) {
    std::vector<std::string> names;
    for (const Named& one : all) names.push_back(one.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

/// What was given, with a preset replaced by its values.
Result<TaskSettings> unfolded(const TaskChoices& choices, TaskSettings given) {
    const auto named = given.find(presetName);
    if (named == given.end() || choices.presets.empty()) return given;
    const auto preset =
        std::find_if(choices.presets.begin(), choices.presets.end(),
                     [&](const TaskPreset& one) { return one.name == named->second; });
    if (preset == choices.presets.end())
        return badSetting(presetName, fmt::format("\"{}\" is not a preset", named->second),
                          "use one of: " + namesOf(choices.presets));
    given.erase(named);
    given.insert(preset->settings.begin(), preset->settings.end());
    return given;
}

}  // namespace

std::string TaskSetting::range() const {
    switch (kind) {
        case Kind::wholeNumber:
        case Kind::decimal:
            return fmt::format("{} to {}", least, most);
        case Kind::wholeNumbers:
            return fmt::format("numbers from {} to {}", least, most);
        case Kind::words:
            return "words";
    }
    return {};
}

tl::unexpected<Error> badSetting(const std::string& name, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, "setting " + name, std::move(what), std::move(remedy));
}

Result<SettingValues> SettingValues::read(const TaskChoices& choices, const TaskSettings& given) {
    const auto all = unfolded(choices, given);
    if (!all) return tl::unexpected(all.error());
    SettingValues values;
    for (const TaskSetting& setting : choices.settings)
        values.values_[setting.name] = setting.standard;
    for (const auto& [name, text] : *all) {
        const TaskSetting* setting = find(choices.settings, name);
        if (!setting)
            return badSetting(name, "the task has no such setting",
                              "use one of: " + namesOf(choices.settings));
        const auto value = canonical(*setting, text);
        const bool ranged = setting->kind != TaskSetting::Kind::words;
        if (!value)
            return badSetting(
                name,
                fmt::format("\"{}\" is not {}{}", text.substr(0, 40), nounOf(setting->kind),
                            ranged ? fmt::format(" {} to {}", setting->least, setting->most)
                                   : std::string()),
                fmt::format("give for example {}", setting->standard));
        values.values_[name] = *value;
    }
    return values;
}

int SettingValues::whole(const std::string& name) const {
    return wholes(name).front();
}

double SettingValues::decimal(const std::string& name) const {
    assert(values_.count(name));
    return *numberFrom<double>(values_.at(name));
}

std::vector<int> SettingValues::wholes(const std::string& name) const {
    std::vector<int> numbers;
    for (const std::string& word : words(name)) numbers.push_back(*numberFrom<int>(word));
    return numbers;
}

std::vector<std::string> SettingValues::words(const std::string& name) const {
    assert(values_.count(name));
    return split(values_.at(name));
}

}  // namespace headloom
