#include "core/models/config.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

namespace headloom {

using nlohmann::json;

namespace {

struct Switch {
    const char* name;
    bool ModelConfig::*field;
};
/// Written only where they are not what our own models have, whose files stay as they are.
constexpr Switch switches[] = {
    {"gatedMlp", &ModelConfig::gatedMlp},     {"mlpBias", &ModelConfig::mlpBias},
    {"qBias", &ModelConfig::qBias},           {"kBias", &ModelConfig::kBias},
    {"vBias", &ModelConfig::vBias},           {"oBias", &ModelConfig::oBias},
    {"qkNorm", &ModelConfig::qkNorm},         {"qkNormLast", &ModelConfig::qkNormLast},
    {"normBias", &ModelConfig::normBias},     {"finalNorm", &ModelConfig::finalNorm},
    {"blockNorms", &ModelConfig::blockNorms}, {"tiedHead", &ModelConfig::tiedHead}};

void addUnusual(const ModelConfig& config, json& to) {
    const ModelConfig usual;
    for (const Switch& each : switches)
        if (config.*each.field != usual.*each.field) to[each.name] = config.*each.field;
    if (config.dVocabOut != 0) to["dVocabOut"] = config.dVocabOut;
    if (config.headWidth != 0) to["headWidth"] = config.headWidth;
    if (config.activation != usual.activation) to["activation"] = nameOf(config.activation);
    if (config.logitCap != 0) to["logitCap"] = config.logitCap;
    if (config.rotaryWidth != 0) to["rotaryWidth"] = config.rotaryWidth;
    if (!config.ropeDivisors.empty()) to["ropeDivisors"] = config.ropeDivisors;
}

}  // namespace

std::string toJson(const ModelConfig& config) {
    json layers = json::array();
    for (const LayerConfig& layer : config.layers) {
        layers.push_back({{"kind", nameOf(layer.kind)},
                          {"nPseudo", layer.nPseudo},
                          {"mask", nameOf(layer.mask)},
                          {"positions", nameOf(layer.positions)},
                          {"positionFactor", layer.positionFactor},
                          {"collapse", nameOf(layer.collapse)},
                          {"score", nameOf(layer.score)},
                          {"window", layer.window}});
        if (layer.scoreScale != 0) layers.back()["scoreScale"] = layer.scoreScale;
    }
    json root{{"dModel", config.dModel},
              {"nHeads", config.nHeads},
              {"nKvHeads", config.kvHeads()},
              {"dMlp", config.dMlp},
              {"dVocab", config.dVocab},
              {"nCtx", config.nCtx},
              {"nSlots", config.nSlots},
              {"norm", nameOf(config.norm)},
              {"normEpsilon", config.normEpsilon},
              {"learnedPositions", config.learnedPositions},
              {"headBias", config.headBias},
              {"ropeTheta", config.ropeTheta},
              {"layers", layers}};
    addUnusual(config, root);
    return root.dump();
}

namespace {

tl::unexpected<Error> bad(std::string field, std::string what, std::string remedy) {
    return fail(Error::Kind::badFile, "configuration, " + std::move(field), std::move(what),
                std::move(remedy));
}

/// Reads one field of an object into `out`, keeping `out` where the field is missing; remembers the
/// first failure so that a caller can read many fields and ask once.
class Reader {
  public:
    explicit Reader(const json& object) : object_(object) {}

    template <class T>
    void number(const char* name, T& out) {
        const auto found = object_.find(name);
        if (found == object_.end() || failure_) return;
        const bool fits = std::is_same_v<T, double>
                              ? found->is_number()
                              : found->is_number_integer() && std::abs(found->get<double>()) < 2e9;
        if (!fits) return refuse(name, "is not a number of the right kind", "give a number");
        out = found->get<T>();
    }
    void boolean(const char* name, bool& out) {
        const auto found = object_.find(name);
        if (found == object_.end() || failure_) return;
        if (!found->is_boolean())
            return refuse(name, "is not true or false", "give one of the two");
        out = found->get<bool>();
    }
    void numbers(const char* name, std::vector<double>& out) {
        const auto found = object_.find(name);
        if (found == object_.end() || failure_) return;
        const auto isNumber = [](const json& value) { return value.is_number(); };
        if (!found->is_array() || !std::all_of(found->begin(), found->end(), isNumber))
            return refuse(name, "is not a list of numbers", "give numbers in square brackets");
        out = found->get<std::vector<double>>();
    }
    /// `parse` turns a name into a Result of T.
    template <class T, class Parse>
    void name(const char* field, T& out, Parse parse) {
        const auto found = object_.find(field);
        if (found == object_.end() || failure_) return;
        if (!found->is_string()) return refuse(field, "is not a name", "give a name in quotes");
        Result<T> parsed = parse(found->template get<std::string>());
        if (!parsed) return refuse(field, parsed.error().what, parsed.error().remedy);
        out = *parsed;
    }
    const std::optional<Error>& failure() const { return failure_; }

  private:
    void refuse(const char* field, std::string what, std::string remedy) {
        failure_ = bad(field, std::move(what), std::move(remedy)).value();
    }
    const json& object_;
    std::optional<Error> failure_;
};

template <class T>
auto oneOf(std::initializer_list<T> kinds) {
    return [kinds = std::vector<T>(kinds)](const std::string& name) -> Result<T> {
        for (const T kind : kinds)
            if (nameOf(kind) == name) return kind;
        return fail(Error::Kind::badFile, {}, "\"" + name + "\" is not known",
                    "this file may come from a newer Headloom");
    };
}

}  // namespace

Result<ModelConfig> configFromJson(std::string_view text) {
    const json root = json::parse(text, nullptr, false);
    if (!root.is_object()) return bad("text", "is not a JSON object", "save the model again");
    ModelConfig config;
    Reader read(root);
    read.number("dModel", config.dModel);
    read.number("nHeads", config.nHeads);
    read.number("nKvHeads", config.nKvHeads);
    read.number("dMlp", config.dMlp);
    read.number("dVocab", config.dVocab);
    read.number("dVocabOut", config.dVocabOut);
    read.number("nCtx", config.nCtx);
    read.number("nSlots", config.nSlots);
    read.name("norm", config.norm, oneOf({NormKind::rms, NormKind::layer}));
    read.number("normEpsilon", config.normEpsilon);
    read.boolean("learnedPositions", config.learnedPositions);
    read.boolean("headBias", config.headBias);
    read.number("ropeTheta", config.ropeTheta);
    for (const Switch& each : switches) read.boolean(each.name, config.*each.field);
    read.number("headWidth", config.headWidth);
    read.name("activation", config.activation, activationFrom);
    read.number("logitCap", config.logitCap);
    read.number("rotaryWidth", config.rotaryWidth);
    read.numbers("ropeDivisors", config.ropeDivisors);
    if (read.failure()) return tl::unexpected(*read.failure());

    const auto layers = root.find("layers");
    if (layers == root.end() || !layers->is_array())
        return bad("layers", "there is no list of layers", "save the model again");
    for (const json& entry : *layers) {
        if (!entry.is_object())
            return bad("layers", "an entry is not an object", "save the model again");
        LayerConfig layer;
        Reader field(entry);
        field.name("kind", layer.kind, attentionKindFrom);
        field.number("nPseudo", layer.nPseudo);
        field.name("mask", layer.mask, maskFrom);
        field.name("positions", layer.positions, positionsFrom);
        field.number("positionFactor", layer.positionFactor);
        field.name("collapse", layer.collapse, oneOf({CollapseKind::full, CollapseKind::perHead}));
        field.name("score", layer.score, scoreFrom);
        field.number("window", layer.window);
        field.number("scoreScale", layer.scoreScale);
        if (field.failure()) return tl::unexpected(*field.failure());
        config.layers.push_back(layer);
    }
    if (auto fine = validate(config); !fine) return tl::unexpected(fine.error());
    return config;
}

}  // namespace headloom
