#include "core/session/arm_changes.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace headloom;

namespace {

Recipe recipe(const char* task, const char* arm) {
    return makeRecipe(task, arm, 5).value();
}

ArmChanges read(const char* text) {
    return armChangesFromJson(text).value();
}

std::string refusal(const char* text) {
    const auto made = armChangesFromJson(text);
    return made ? "accepted" : made.error().sentence();
}

/// What the changes make of the two-headed MHA arm of the four witnesses.
std::string refusedBy(const char* text, const char* arm = "mha") {
    const auto made = changed(recipe("four-witnesses", arm), read(text));
    return made ? "accepted" : made.error().sentence();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("no changes leave a recipe as it is, but for what was measured") {
    Recipe base = recipe("pointer-chain", "iha");
    base.measured = Measured{};
    const Recipe same = changed(base, {}).value();
    CHECK(!same.measured);
    base.measured.reset();
    CHECK(toJson(same) == toJson(base));
}

TEST_CASE("heads that share keys and values, and other kinds of attention") {
    const Recipe grouped =
        changed(recipe("pointer-chain", "mha"), read(R"({"kvHeads": 2})")).value();
    CHECK(grouped.config.nHeads == 4);
    CHECK(grouped.config.kvHeads() == 2);
    CHECK(grouped.arm == "mha kvHeads=2");
    CHECK(refusedBy(R"({"kvHeads": 0})") ==
          "kvHeads: 0 is out of range; use a divisor of 2 heads.");
    for (const char* kind : {"iha-lite", "talking-heads", "differential"}) {
        CAPTURE(kind);
        ArmChanges changes;
        changes.kind = attentionKindFrom(kind).value();
        CHECK(changed(recipe("four-witnesses", "mha"), changes).value().config.layers[0].kind ==
              *changes.kind);
    }
    CHECK(contains(refusal(R"({"kind": "loom"})"), "talking-heads"));
}

TEST_CASE("every change lands where it belongs") {
    const Recipe made = changed(recipe("four-witnesses", "mha"),
                                read(R"({"kind": "iha", "heads": 4, "pseudo": 3, "layers": 2,
        "width": 64, "mlp": 4, "positionFactor": 2.5, "mask": "flat", "positions": "token",
        "score": "linear", "collapse": "per-head", "window": 7, "learningRate": 0.003, "batch": 16,
        "steps": 99, "warmup": 11, "clip": 0.5, "start": "select-last",
        "alphaNoise": 0.1, "collapseNoise": 0, "mixingRate": 2, "mixingDecay": 0.1,
        "collapseRate": 0.5, "collapseDecay": 0.2})"))
                            .value();
    CHECK(made.config.nHeads == 4);
    CHECK(made.config.dModel == 64);
    CHECK(made.config.dMlp == 256);
    REQUIRE(made.config.layers.size() == 2);
    for (const LayerConfig& layer : made.config.layers) {
        CHECK(layer.kind == AttentionKind::iha);
        CHECK(layer.nPseudo == 3);
        CHECK(layer.positionFactor == 2.5);
        CHECK(layer.mask == MaskKind::flat);
        CHECK(layer.positions == PositionKind::token);
        CHECK(layer.score == ScoreKind::linear);
        CHECK(layer.collapse == CollapseKind::perHead);
        CHECK(layer.window == 7);
    }
    CHECK(made.settings.learningRate == 0.003);
    CHECK(made.settings.batch == 16);
    CHECK(made.settings.steps == 99);
    CHECK(made.settings.warmupSteps == 11);
    CHECK(made.settings.clipNorm == 0.5);
    CHECK(made.mixing.alphaNoise == 0.1);
    CHECK(made.mixing.collapseNoise == 0);
    CHECK(made.mixing.start == MixingStart::selectLast);
    CHECK(made.settings.mixingRate == 2);
    CHECK(made.settings.mixingDecay == 0.1);
    CHECK(made.settings.collapseRate == 0.5);
    CHECK(made.settings.collapseDecay == 0.2);
    CHECK(made.seed == 5);
}

TEST_CASE("changing the kind brings pseudo-heads and noise, or takes them") {
    Recipe plain = recipe("pointer-chain", "mha");
    plain.mixing.alphaNoise = 0;
    const Recipe iha = changed(plain, read(R"({"kind": "iha"})")).value();
    for (const LayerConfig& layer : iha.config.layers) CHECK(layer.nPseudo == 2);
    CHECK(iha.mixing.alphaNoise == MixingInit().alphaNoise);
    const Recipe back = changed(iha, read(R"({"kind": "mha"})")).value();
    for (const LayerConfig& layer : back.config.layers) CHECK(layer.nPseudo == 1);
    // what is IHA already keeps its P
    const Recipe same = changed(recipe("pointer-chain", "iha"), read(R"({"kind": "iha"})")).value();
    CHECK(same.config.layers[0].nPseudo == 4);
}

TEST_CASE("an MLP keeps its multiple of the width") {
    const Recipe chain = recipe("pointer-chain", "mha");
    CHECK(changed(chain, read(R"({"width": 32})")).value().config.dMlp == 128);
    CHECK(changed(chain, read(R"({"width": 32, "mlp": 2})")).value().config.dMlp == 64);
    CHECK(changed(chain, read(R"({"mlp": 0})")).value().config.dMlp == 0);
    CHECK(changed(recipe("four-witnesses", "mha"), read(R"({"width": 64})")).value().config.dMlp ==
          0);
}

TEST_CASE("another model has another name, another training has not") {
    const Recipe base = recipe("four-witnesses", "mha");
    CHECK(changed(base, read(R"({"heads": 4, "width": 64, "steps": 9})")).value().arm ==
          "mha heads=4 width=64");
    CHECK(changed(base, read(R"({"learningRate": 0.02})")).value().arm == "mha");
}

TEST_CASE("changes are described and come back from JSON") {
    const ArmChanges changes =
        read(R"({"learningRate": 0.02, "kind": "iha", "positionFactor": 2})");
    CHECK(describe(changes) == "kind=iha positionFactor=2 learningRate=0.02");
    CHECK(describe(read(toJson(changes).c_str())) == describe(changes));
    CHECK(describe({}).empty());
    CHECK(toJson(ArmChanges{}) == "{}");
    CHECK(armChangeKeys().front() == "kind");
    CHECK(armChangeKeys().size() == 25);
}

TEST_CASE("what is not a change is refused by its key") {
    const std::string unknown = refusal(R"({"heads": 4, "hedas": 4})");
    CHECK(contains(unknown, "\"hedas\" is nothing that can be changed"));
    CHECK(contains(unknown,
                   "use one of: kind, heads, kvHeads, pseudo, layers, width, mlp, positionFactor"));
    CHECK(contains(unknown, "alphaNoise, collapseNoise"));
    CHECK(contains(refusal("[4]"), "not a JSON object"));
    CHECK(contains(refusal("{"), "not a JSON object"));
    CHECK(contains(refusal(R"({"heads": "four"})"), "heads: \"four\" is not a whole number"));
    CHECK(contains(refusal(R"({"heads": 2.5})"), "heads: 2.5 is not a whole number"));
    CHECK(contains(refusal(R"({"heads": 1e99})"), "is not a whole number"));
    CHECK(contains(refusal(R"({"steps": 99999999999})"), "is not a whole number"));
    CHECK(contains(refusal(R"({"learningRate": "x"})"), "learningRate: \"x\" is not a number"));
    CHECK(contains(refusal(R"({"kind": 3})"), "kind: 3 is not a name"));
    CHECK(contains(refusal(R"({"kind": "rnn"})"),
                   "kind: \"rnn\" is not a kind of attention; use one of: mha, iha"));
    CHECK(contains(refusal(R"({"start": "luck"})"), "start: \"luck\" is not a way to start"));
    CHECK(contains(refusal(R"({"collapse": "x"})"), "use one of: full, per-head"));
    CHECK(contains(refusal(R"({"mask": "x"})"), "mask: "));
    CHECK(contains(refusal(R"({"positions": "x"})"), "positions: "));
    CHECK(contains(refusal(R"({"score": "x"})"), "score: "));
}

TEST_CASE("an impossible model or training gets its sentence") {
    CHECK(contains(refusedBy(R"({"heads": 3})"), "H = 3 does not divide D = 32"));
    CHECK(contains(refusedBy(R"({"pseudo": 2})"), "MHA has no pseudo-heads, but P = 2"));
    CHECK(contains(refusedBy(R"({"heads": 32})"), "an even head width, but d = 1"));
    CHECK(contains(refusedBy(R"({"heads": 0})"), "0 is out of range"));
    CHECK(contains(refusedBy(R"({"layers": 0})"), "layers: 0 is out of range; use 1..1024"));
    CHECK(contains(refusedBy(R"({"layers": 2000000000})"), "is out of range"));
    CHECK(contains(refusedBy(R"({"mlp": 2000000000})"), "MLP width: 2147483647 is out of range"));
    CHECK(contains(refusedBy(R"({"width": -32, "mlp": 4})"), "width D: -32 is out of range"));
    CHECK(contains(refusedBy(R"({"positionFactor": 0})"), "position factor 0"));
    CHECK(contains(refusedBy(R"({"window": -1})"), "window of -1 tokens"));
    CHECK(contains(refusedBy(R"({"score": "hard"})"), "hard scores have no gradient"));
    CHECK(contains(refusedBy(R"({"steps": 0})"), "at least one step"));
    CHECK(contains(refusedBy(R"({"batch": 0})"), "at least one sample"));
    CHECK(contains(refusedBy(R"({"learningRate": 0})"), "above 0"));
    CHECK(contains(refusedBy(R"({"warmup": -1})"), "warm-up cannot be negative"));
    CHECK(contains(refusedBy(R"({"clip": -1})"), "largest gradient norm cannot be negative"));
    CHECK(contains(refusedBy(R"({"alphaNoise": -0.1})", "iha"), "noise: -0.1 is out of range"));
    CHECK(
        contains(refusedBy(R"({"mixingRate": -1})", "iha"), "rates and decays cannot be negative"));
    ArmChanges endless;
    endless.collapseNoise = std::numeric_limits<double>::quiet_NaN();
    CHECK(!changed(recipe("four-witnesses", "iha"), endless));
}
