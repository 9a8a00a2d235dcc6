#include "core/io/architectures/architecture_map.h"

#include "core/io/architectures/builtin_texts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <optional>

namespace headloom {

namespace {

using json = nlohmann::ordered_json;

tl::unexpected<Error> bad(const std::string& field, std::string what, std::string remedy) {
    return fail(Error::Kind::badFile, "architecture map, " + field, std::move(what),
                std::move(remedy));
}

/// Reads the fields of a map and remembers the first that is wrong.
class MapReader {
  public:
    explicit MapReader(const json& root) : root_(root) {}

    const std::optional<Error>& failure() const { return failure_; }

    std::string text(const char* field) {
        const json* value = at(field);
        if (value && value->is_string()) return value->get<std::string>();
        if (value) refuse(field, "is not a text");
        return {};
    }
    std::vector<std::string> texts(const char* field) {
        const json* value = at(field);
        return value ? textsOf(field, *value) : std::vector<std::string>{};
    }
    Settings settings(const char* field) {
        const json* value = at(field);
        return value ? settingsOf(field, *value) : Settings{};
    }
    template <class Each>
    void object(const char* field, Each each) {
        const json* value = at(field);
        if (!value) return;
        if (!value->is_object()) return refuse(field, "is not an object");
        for (const auto& [key, entry] : value->items()) each(key, entry);
    }
    std::vector<std::string> textsOf(const std::string& field, const json& value) {
        if (value.is_string()) return {value.get<std::string>()};
        std::vector<std::string> all;
        if (value.is_array())
            for (const json& entry : value)
                if (entry.is_string()) all.push_back(entry.get<std::string>());
        if (!value.is_array() || all.size() != value.size())
            refuse(field, "is not a list of texts");
        return all;
    }
    Settings settingsOf(const std::string& field, const json& value) {
        Settings all;
        if (!value.is_object()) refuse(field, "is not an object");
        if (value.is_object())
            for (const auto& [key, entry] : value.items()) {
                if (!entry.is_string()) refuse(field + ", " + key, "is not a text");
                all[key] = entry.is_string() ? entry.get<std::string>() : std::string();
            }
        return all;
    }
    void refuse(const std::string& field, std::string what,
                std::string remedy = "see assets/architectures/README.md") {
        if (!failure_) failure_ = bad(field, std::move(what), std::move(remedy)).value();
    }

  private:
    const json* at(const char* field) const {
        const auto found = root_.find(field);
        return found == root_.end() ? nullptr : &*found;
    }
    const json& root_;
    std::optional<Error> failure_;
};

TensorNeed needOf(MapReader& read, const std::string& name, const json& value) {
    const std::string shape = value.is_string() ? value.get<std::string>() : "?";
    if (shape != "" && shape != "wide" && shape != "tall")
        read.refuse("needs, " + name, "has no known shape", "use \"\", \"wide\" or \"tall\"");
    return {NameTemplate(name), shape == "wide"   ? TensorNeed::Shape::wide
                                : shape == "tall" ? TensorNeed::Shape::tall
                                                  : TensorNeed::Shape::any};
}

TensorRule ruleOf(MapReader& read, const std::string& name, const json& value) {
    TensorRule rule{NameTemplate(name), {}, MatrixLayout::ours, 0};
    const std::string field = "tensors, " + name;
    if (!value.is_object() || !value.contains("to")) {
        read.refuse(field, "does not say what it becomes", "give it \"to\"");
        return rule;
    }
    rule.to = read.textsOf(field, value["to"]);
    const std::string layout = value.contains("layout") && value["layout"].is_string()
                                   ? value["layout"].get<std::string>()
                                   : "ours";
    if (layout == "linear")
        rule.layout = MatrixLayout::linear;
    else if (layout == "conv1d")
        rule.layout = MatrixLayout::conv1d;
    else if (layout != "ours")
        read.refuse(field, fmt::format("has the unknown layout \"{}\"", layout),
                    "use ours, linear or conv1d");
    if (value.contains("plus")) {
        if (value["plus"].is_number())
            rule.plus = value["plus"].get<double>();
        else
            read.refuse(field, "adds something that is no number");
    }
    return rule;
}

}  // namespace

std::string_view ArchitectureMap::bare(std::string_view tensorName) const {
    for (const std::string& prefix : prefixes)
        if (tensorName.starts_with(prefix)) return tensorName.substr(prefix.size());
    return tensorName;
}

Result<ArchitectureMap> architectureFromJson(std::string_view text) {
    const json root = json::parse(text, nullptr, false);
    if (!root.is_object())
        return bad("text", "is not a JSON object", "see assets/architectures/README.md");
    MapReader read(root);
    ArchitectureMap map;
    map.name = read.text("name");
    map.title = read.text("title");
    map.prefixes = read.texts("prefixes");
    const std::string rotary = read.text("rotary");
    map.interleavedRotary = rotary == "interleaved";
    map.backwardsRotary = rotary == "backwards";
    if (rotary != "" && rotary != "interleaved" && rotary != "half-split" && rotary != "backwards")
        read.refuse("rotary", fmt::format("\"{}\" is not known", rotary),
                    "use half-split, interleaved or backwards");
    const std::string others = read.text("others");
    map.whole = others == "refuse";
    if (others != "" && others != "refuse" && others != "report")
        read.refuse("others", fmt::format("\"{}\" is not known", others), "use report or refuse");
    for (const std::string& name : read.texts("ignore")) map.ignore.emplace_back(name);
    map.attention = read.text("attention");
    map.refuse = read.settings("refuse");
    map.fixed = read.settings("fixed");
    map.assumed = read.settings("assumed");
    map.files = read.texts("files");
    read.object("needs", [&](const std::string& name, const json& value) {
        map.needs.push_back(needOf(read, name, value));
    });
    read.object("types", [&](const std::string& name, const json& value) {
        map.types[name] = read.settingsOf("types, " + name, value);
    });
    read.object("tensors", [&](const std::string& name, const json& value) {
        map.tensors.push_back(ruleOf(read, name, value));
    });
    read.object("config", [&](const std::string& name, const json& value) {
        map.config[name] = read.textsOf("config, " + name, value);
    });
    if (map.name.empty()) read.refuse("name", "is missing");
    if (map.needs.empty()) read.refuse("needs", "nothing tells this architecture from others");
    if (read.failure()) return tl::unexpected(*read.failure());
    return map;
}

ArchitectureMap withAttention(const ArchitectureMap& host, const ArchitectureMap& attention) {
    const auto behind = [&](const NameTemplate& name) {
        return NameTemplate(host.attention + name.text());
    };
    ArchitectureMap whole = host;
    whole.name += " with " + attention.name;
    whole.title += ", " + attention.title;
    const bool projects =
        std::any_of(attention.tensors.begin(), attention.tensors.end(), [](const TensorRule& rule) {
            return std::find(rule.to.begin(), rule.to.end(), "attn.W_Q") != rule.to.end();
        });
    if (projects)  // its projections may stand in place of the host's
        std::erase_if(whole.needs, [&](const TensorNeed& need) {
            return need.name.text().starts_with(host.attention);
        });
    for (const TensorNeed& need : attention.needs)
        whole.needs.push_back({behind(need.name), need.shape});
    for (const TensorRule& rule : attention.tensors)
        whole.tensors.push_back({behind(rule.from), rule.to, rule.layout, rule.plus});
    for (const auto& [part, reason] : attention.refuse) whole.refuse[part] = reason;
    for (const auto& [setting, value] : attention.fixed) whole.fixed[setting] = value;
    for (const auto& [setting, value] : attention.assumed) whole.assumed[setting] = value;
    for (const auto& [setting, keys] : attention.config) whole.config[setting] = keys;
    return whole;
}

namespace {

std::vector<ArchitectureMap> read(const std::vector<std::string_view>& texts) {
    std::vector<ArchitectureMap> maps;
    for (const std::string_view text : texts) {
        auto map = architectureFromJson(text);
        assert(map);  // a test reads every file of assets/architectures
        if (map) maps.push_back(std::move(*map));
    }
    return maps;
}

}  // namespace

const std::vector<ArchitectureMap>& builtinArchitectures() {
    static const std::vector<ArchitectureMap> all = [] {
        const std::vector<ArchitectureMap> plain = read(builtinArchitectureTexts());
        std::vector<ArchitectureMap> maps;
        for (const ArchitectureMap& attention : read(builtinAttentionTexts()))
            for (const ArchitectureMap& host : plain)
                if (!host.attention.empty()) maps.push_back(withAttention(host, attention));
        maps.insert(maps.end(), plain.begin(), plain.end());
        return maps;
    }();
    return all;
}

}  // namespace headloom
