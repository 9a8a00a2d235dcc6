#include "core/io/architectures/config_values.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headloom {

namespace {

/// Collects values with their path. A key that stands twice ends it: which one counts is a guess.
class Flattener : public nlohmann::json_sax<nlohmann::json> {
  public:
    Settings values;
    std::string problem;

    bool null() override { return item("null", true); }
    bool boolean(bool value) override { return item(value ? "true" : "false"); }
    bool number_integer(number_integer_t value) override { return item(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override { return item(std::to_string(value)); }
    bool number_float(number_float_t, const string_t& text) override { return item(text); }
    bool string(string_t& value) override { return item(value); }
    bool binary(binary_t&) override { return item("binary"); }
    bool start_object(std::size_t) override { return open(false); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(true); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        levels_.back().key = name;
        return true;
    }
    bool parse_error(std::size_t at, const std::string&,
                     const nlohmann::detail::exception&) override {
        problem = fmt::format("is not JSON at byte {}", at);
        return false;
    }

  private:
    struct Level {
        bool list = false;
        std::string key, items;
    };
    bool open(bool list) {
        if (levels_.empty() && list) return stop("is not a JSON object");
        if (levels_.size() > 32) return stop("is nested too deeply");
        levels_.push_back({list, {}, {}});
        return true;
    }
    bool close() {
        const Level done = levels_.back();
        levels_.pop_back();
        return !done.list || item("[" + done.items + "]");
    }
    bool item(const std::string& text, bool isNull = false) {
        if (levels_.empty()) return stop("is not a JSON object");
        Level& level = levels_.back();
        if (level.list) {
            level.items += (level.items.empty() ? "" : ", ") + text;
            return true;
        }
        if (isNull) return true;
        std::string path;
        for (const Level& each : levels_) {
            if (each.list) return true;  // objects in a list: nothing that is asked for
            path += (path.empty() ? "" : ".") + each.key;
        }
        if (!values.emplace(path, text).second)
            return stop(fmt::format("gives \"{}\" twice", path));
        return true;
    }
    bool stop(std::string why) {
        problem = std::move(why);
        return false;
    }

    std::vector<Level> levels_;
};

template <class Number>
std::optional<Number> numberIn(const std::string& text) {
    Number value{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                     : std::nullopt;
}

bool saysNothing(const std::string& value) {
    return value == "null" || value == "None";
}

}  // namespace

Result<Settings> flattenJson(std::string_view text, const std::string& where) {
    Flattener flattener;
    if (!nlohmann::json::sax_parse(text, &flattener))
        return fail(Error::Kind::badFile, where, flattener.problem,
                    "download or save the configuration again");
    return std::move(flattener.values);
}

ConfigValues::ConfigValues(const ArchitectureMap& map, Settings user, Settings stored)
    : map_(map), user_(std::move(user)), stored_(std::move(stored)) {
    if (const auto found = user_.find("type"); found != user_.end())
        type_ = found->second;
    else
        type_ = storedUnder("type", nullptr).value_or("");
}

std::optional<std::string> ConfigValues::storedUnder(const std::string& setting,
                                                     std::string* key) const {
    const auto keys = map_.config.find(setting);
    if (keys == map_.config.end()) return std::nullopt;
    constexpr std::string_view placeholder = "{type}";
    for (std::string each : keys->second) {
        if (const auto at = each.find(placeholder); at != std::string::npos)
            each.replace(at, placeholder.size(), type_);
        const auto found = stored_.find(each);
        if (found == stored_.end() || saysNothing(found->second)) continue;
        if (key) *key = each;
        return found->second;
    }
    return std::nullopt;
}

std::optional<std::string> ConfigValues::stated(const std::string& setting) const {
    if (const auto found = user_.find(setting); found != user_.end()) return found->second;
    if (map_.fixed.contains(setting)) return std::nullopt;
    return storedUnder(setting, nullptr);
}

std::optional<std::string> ConfigValues::text(const std::string& setting) const {
    if (auto value = stated(setting)) return value;
    if (const auto found = map_.fixed.find(setting); found != map_.fixed.end())
        return found->second;
    if (const auto type = map_.types.find(type_); type != map_.types.end())
        if (const auto found = type->second.find(setting); found != type->second.end())
            return found->second;
    const auto found = map_.assumed.find(setting);
    if (found == map_.assumed.end()) return std::nullopt;
    assumed_[setting] = found->second;
    return found->second;
}

std::optional<double> ConfigValues::number(const std::string& setting) const {
    const auto value = text(setting);
    if (!value) return std::nullopt;
    const auto number = numberIn<double>(*value);
    if (!number || !std::isfinite(*number)) refuse(setting, *value, "a number");
    return number;
}

std::optional<std::int64_t> ConfigValues::integer(const std::string& setting) const {
    const auto value = text(setting);
    if (!value) return std::nullopt;
    // one number a layer, as GGUF may give it
    const std::vector<std::string> items = list(setting);
    const bool uniform = !items.empty() && std::count(items.begin(), items.end(), items[0]) ==
                                               static_cast<std::ptrdiff_t>(items.size());
    const auto number = numberIn<std::int64_t>(uniform ? items[0] : *value);
    if (!number) refuse(setting, *value, "a whole number");
    return number;
}

std::optional<bool> ConfigValues::boolean(const std::string& setting) const {
    const auto value = text(setting);
    if (!value) return std::nullopt;
    if (*value == "true" || *value == "True") return true;
    if (*value == "false" || *value == "False") return false;
    refuse(setting, *value, "true or false");
    return std::nullopt;
}

std::vector<std::string> ConfigValues::list(const std::string& setting) const {
    const auto value = text(setting);
    if (!value || value->empty()) return {};
    if (value->front() != '[') return {*value};
    std::vector<std::string> items;
    const std::string_view inner = std::string_view(*value).substr(1, value->size() - 2);
    for (std::size_t at = 0; at < inner.size();) {
        const std::size_t end = std::min(inner.find(", ", at), inner.size());
        items.emplace_back(inner.substr(at, end - at));
        at = end + 2;
    }
    return items;
}

std::string ConfigValues::keyOf(const std::string& setting) const {
    std::string key;
    return storedUnder(setting, &key) && !user_.contains(setting) ? key : setting;
}

void ConfigValues::refuse(const std::string& setting, const std::string& value,
                          const char* kind) const {
    if (failure_) return;
    failure_ = Error{Error::Kind::badFile, "configuration, " + keyOf(setting),
                     fmt::format("\"{}\" is not {}", value, kind), "correct the configuration"};
}

}  // namespace headloom
