#include "core/session/arm_changes.h"

#include "core/train/trainer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <climits>
#include <cmath>
#include <type_traits>

namespace headloom {

using nlohmann::json;

namespace {

constexpr int usualPseudo = 2;

// Every field is listed once; keys, reading, writing and describing all go by this list.

template <class Visitor, class Changes>
void visitModel(Visitor&& field, Changes& changes) {
    field("kind", changes.kind);
    field("heads", changes.heads);
    field("kvHeads", changes.kvHeads);
    field("pseudo", changes.pseudo);
    field("layers", changes.layers);
    field("width", changes.width);
    field("mlp", changes.mlp);
    field("positionFactor", changes.positionFactor);
    field("mask", changes.mask);
    field("positions", changes.positions);
    field("score", changes.score);
    field("collapse", changes.collapse);
    field("window", changes.window);
}

template <class Visitor, class Changes>
void visitTraining(Visitor&& field, Changes& changes) {
    field("learningRate", changes.learningRate);
    field("batch", changes.batch);
    field("steps", changes.steps);
    field("warmup", changes.warmup);
    field("clip", changes.clip);
    field("start", changes.start);
    field("alphaNoise", changes.alphaNoise);
    field("collapseNoise", changes.collapseNoise);
    field("mixingRate", changes.mixingRate);
    field("mixingDecay", changes.mixingDecay);
    field("collapseRate", changes.collapseRate);
    field("collapseDecay", changes.collapseDecay);
}

template <class Visitor, class Changes>
void visit(Visitor&& field, Changes& changes) {
    visitModel(field, changes);
    visitTraining(field, changes);
}

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

template <class Kind>
Result<Kind> oneOf(std::initializer_list<Kind> kinds, const std::string& name) {
    std::string known;
    for (const Kind kind : kinds) {
        if (nameOf(kind) == name) return kind;
        known += (known.empty() ? "" : ", ") + std::string(nameOf(kind));
    }
    return bad({}, "\"" + name + "\" is not known", "use one of: " + known);
}

void parse(const std::string& name, Result<AttentionKind>& out) {
    out = attentionKindFrom(name);
}
void parse(const std::string& name, Result<CollapseKind>& out) {
    out = oneOf({CollapseKind::full, CollapseKind::perHead}, name);
}
void parse(const std::string& name, Result<MixingStart>& out) {
    out = mixingStartFrom(name);
}
void parse(const std::string& name, Result<MaskKind>& out) {
    out = maskFrom(name);
}
void parse(const std::string& name, Result<PositionKind>& out) {
    out = positionsFrom(name);
}
void parse(const std::string& name, Result<ScoreKind>& out) {
    out = scoreFrom(name);
}

/// Reads the fields that are there; remembers the first refusal.
struct Reader {
    const json& object;
    std::optional<Error>& failure;

    template <class T>
    void operator()(const char* key, std::optional<T>& out) {
        const auto found = object.find(key);
        if (found == object.end() || failure) return;
        if constexpr (std::is_enum_v<T>) {
            if (!found->is_string()) return refuse(key, *found, "a name", "put it in quotes");
            Result<T> read = bad({}, {}, {});
            parse(found->template get<std::string>(), read);
            if (!read) {
                failure = Error{Error::Kind::badInput, key, read.error().what, read.error().remedy};
                return;
            }
            out = *read;
        } else if constexpr (std::is_same_v<T, double>) {
            if (!found->is_number())
                return refuse(key, *found, "a number", "give for example 0.01");
            out = found->template get<double>();
        } else {
            if (!found->is_number_integer() || std::abs(found->template get<double>()) > 2e9)
                return refuse(key, *found, "a whole number", "give for example 2");
            out = found->template get<T>();
        }
    }

    void refuse(const char* key, const json& value, const char* wanted, const char* remedy) {
        failure = Error{Error::Kind::badInput, key,
                        fmt::format("{} is not {}", value.dump().substr(0, 40), wanted), remedy};
    }
};

template <class T>
auto plain(const T& value) {
    if constexpr (std::is_enum_v<T>)
        return std::string(nameOf(value));
    else
        return value;
}

/// Width times multiple, small enough to be refused as out of range instead of wrapping round.
int times(std::int64_t width, std::int64_t multiple) {
    return static_cast<int>(std::clamp<std::int64_t>(width * multiple, INT_MIN, INT_MAX));
}

void changeKind(Recipe& recipe, AttentionKind kind) {
    for (LayerConfig& layer : recipe.config.layers) {
        if (layer.kind == kind) continue;
        layer.kind = kind;
        layer.nPseudo = kind == AttentionKind::iha ? usualPseudo : 1;
        if (kind != AttentionKind::mha) recipe.mixing = {};
    }
}

Result<void> changeModel(Recipe& recipe, const ArmChanges& changes) {
    ModelConfig& config = recipe.config;
    if (changes.layers) {
        constexpr int most = 1024;  // as validate has it; asked before memory is
        if (*changes.layers < 1 || *changes.layers > most)
            return bad("layers", fmt::format("{} is out of range", *changes.layers),
                       fmt::format("use 1..{}", most));
        const LayerConfig last = config.layers.back();
        config.layers.resize(static_cast<std::size_t>(*changes.layers), last);
    }
    if (changes.heads) {
        config.nHeads = *changes.heads;
        config.nKvHeads = 0;
    }
    if (changes.kvHeads) {
        // 0 in a configuration means as many as heads, which nobody asks for here
        if (*changes.kvHeads < 1)
            return bad("kvHeads", fmt::format("{} is out of range", *changes.kvHeads),
                       fmt::format("use a divisor of {} heads", config.nHeads));
        config.nKvHeads = *changes.kvHeads;
    }
    if (changes.width) {
        if (config.dMlp > 0) config.dMlp = times(*changes.width, config.dMlp / config.dModel);
        config.dModel = *changes.width;
    }
    if (changes.mlp) config.dMlp = times(config.dModel, *changes.mlp);
    if (changes.kind) changeKind(recipe, *changes.kind);
    for (LayerConfig& layer : config.layers) {
        layer.nPseudo = changes.pseudo.value_or(layer.nPseudo);
        layer.positionFactor = changes.positionFactor.value_or(layer.positionFactor);
        layer.mask = changes.mask.value_or(layer.mask);
        layer.positions = changes.positions.value_or(layer.positions);
        layer.score = changes.score.value_or(layer.score);
        layer.collapse = changes.collapse.value_or(layer.collapse);
        layer.window = changes.window.value_or(layer.window);
    }
    return validate(config);
}

Result<void> changeTraining(Recipe& recipe, const ArmChanges& changes) {
    TrainSettings& settings = recipe.settings;
    settings.learningRate = changes.learningRate.value_or(settings.learningRate);
    settings.batch = changes.batch.value_or(settings.batch);
    settings.steps = changes.steps.value_or(settings.steps);
    settings.warmupSteps = changes.warmup.value_or(settings.warmupSteps);
    settings.clipNorm = changes.clip.value_or(settings.clipNorm);
    settings.mixingRate = changes.mixingRate.value_or(settings.mixingRate);
    settings.mixingDecay = changes.mixingDecay.value_or(settings.mixingDecay);
    settings.collapseRate = changes.collapseRate.value_or(settings.collapseRate);
    settings.collapseDecay = changes.collapseDecay.value_or(settings.collapseDecay);
    MixingInit& mixing = recipe.mixing;
    mixing.start = changes.start.value_or(mixing.start);
    mixing.alphaNoise = changes.alphaNoise.value_or(mixing.alphaNoise);
    mixing.collapseNoise = changes.collapseNoise.value_or(mixing.collapseNoise);
    for (const double noise : {mixing.alphaNoise, mixing.collapseNoise})
        if (!(noise >= 0) || noise > 100)
            return bad("noise", fmt::format("{} is out of range", noise), "use 0 to 100, as 0.3");
    return validate(recipe.config, settings);
}

}  // namespace

std::vector<std::string> armChangeKeys() {
    std::vector<std::string> keys;
    const ArmChanges none;
    visit([&](const char* key, const auto&) { keys.emplace_back(key); }, none);
    return keys;
}

std::string describe(const ArmChanges& changes) {
    std::string text;
    const auto add = [&](const char* key, const auto& value) {
        if (value) text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, plain(*value));
    };
    visit(add, changes);
    return text;
}

std::string toJson(const ArmChanges& changes) {
    json object = json::object();
    const auto add = [&](const char* key, const auto& value) {
        if (value) object[key] = plain(*value);
    };
    visit(add, changes);
    return object.dump();
}

Result<ArmChanges> armChangesFromJson(std::string_view text) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object())
        return bad("changes", "they are not a JSON object", "write for example {\"heads\": 4}");
    const std::vector<std::string> known = armChangeKeys();
    for (const auto& item : object.items())
        if (std::find(known.begin(), known.end(), item.key()) == known.end())
            return bad("changes", fmt::format("\"{}\" is nothing that can be changed", item.key()),
                       fmt::format("use one of: {}", fmt::join(known, ", ")));
    ArmChanges changes;
    std::optional<Error> failure;
    visit(Reader{object, failure}, changes);
    if (failure) return tl::unexpected(*failure);
    return changes;
}

Result<Recipe> changed(Recipe base, const ArmChanges& changes) {
    base.measured.reset();
    if (auto fine = changeModel(base, changes); !fine) return tl::unexpected(fine.error());
    if (auto fine = changeTraining(base, changes); !fine) return tl::unexpected(fine.error());
    ArmChanges model = changes;
    visitTraining([](const char*, auto& value) { value.reset(); }, model);
    if (const std::string text = describe(model); !text.empty()) base.arm += " " + text;
    return base;
}

}  // namespace headloom
