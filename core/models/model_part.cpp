#include "core/models/model_part.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

namespace headloom {

namespace {

using Kind = ModelPart::Kind;

/// Reads a name from the left.
class PartReader {
  public:
    explicit PartReader(std::string_view text) : rest_(text) {}

    bool done() const { return rest_.empty(); }
    bool take(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    std::optional<int> number() {
        int value = 0;
        const auto [end, failed] =
            std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (failed != std::errc() || value < 0) return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }
    /// What stands before a mark, or all that is left.
    std::string_view until(char mark) {
        const std::string_view before = rest_.substr(0, rest_.find(mark));
        rest_.remove_prefix(before.size());
        return before;
    }
    /// "[1,2,3]"; none where it is not a list of numbers.
    std::optional<std::vector<int>> list() {
        if (!take("[")) return std::nullopt;
        std::vector<int> made;
        do {
            const auto value = number();
            if (!value) return std::nullopt;
            made.push_back(*value);
        } while (take(","));
        if (!take("]")) return std::nullopt;
        return made;
    }

  private:
    std::string_view rest_;
};

/// What follows "L1." or "L1H3."; none: it is not the name of a part.
std::optional<ModelPart> weightAfter(ModelPart part, PartReader& reader) {
    const auto matrix = mixingTensorFrom(reader.until('['));
    if (!matrix) return std::nullopt;
    const auto index = reader.list();
    if (!index) return std::nullopt;
    part.kind = Kind::weight;
    part.matrix = *matrix;
    part.index = *index;
    return part;
}

std::optional<ModelPart> cellAfter(ModelPart part, PartReader& reader) {
    if (reader.done()) return part;
    const auto cell = reader.list();
    if (!cell || cell->size() != 2) return std::nullopt;
    part.kind = Kind::cell;
    part.query = cell->front();
    part.key = cell->back();
    return part;
}

std::optional<ModelPart> pseudoAfter(ModelPart part, PartReader& reader) {
    const auto one = [&](Kind kind) -> std::optional<ModelPart> {
        const auto number = reader.number();
        if (!number) return std::nullopt;
        part.kind = kind;
        (kind == Kind::pseudoKey ? part.keyPseudo : part.queryPseudo) = *number;
        if (kind == Kind::pseudo) part.keyPseudo = *number;
        return part;
    };
    if (reader.take("k")) return one(Kind::pseudoKey);
    if (reader.take("p")) return one(Kind::pseudo);
    if (!reader.take("q") || !one(Kind::pseudoQuery)) return std::nullopt;
    if (!reader.take("k")) return part;
    const auto key = reader.number();
    if (!key) return std::nullopt;
    part.kind = Kind::tile;
    part.keyPseudo = *key;
    return cellAfter(part, reader);
}

std::optional<ModelPart> parse(PartReader& reader) {
    ModelPart part;
    if (!reader.take("L")) return std::nullopt;
    const auto layer = reader.number();
    if (!layer) return std::nullopt;
    part.layer = *layer;
    if (reader.done()) return part;
    if (reader.take(".attn")) {
        part.kind = Kind::attention;
        return part;
    }
    if (reader.take(".mlp")) {
        part.kind = Kind::mlp;
        return part;
    }
    if (reader.take(".")) return weightAfter(part, reader);
    if (!reader.take("H")) return std::nullopt;
    const auto head = reader.number();
    if (!head) return std::nullopt;
    part.kind = Kind::head;
    part.head = *head;
    if (reader.take(".")) return pseudoAfter(part, reader);
    return cellAfter(part, reader);
}

Result<void> below(int number, int limit, std::string_view word, const ModelPart& part) {
    if (number < limit) return {};
    return fail(Error::Kind::badInput, nameOf(part), fmt::format("there is no {} {}", word, number),
                limit == 1 ? fmt::format("there is only {} 0", word)
                           : fmt::format("use 0 to {}", limit - 1));
}

Result<void> checkWeight(const ModelPart& part, const ModelConfig& config,
                         const LayerConfig& layer) {
    const std::vector<int> shape = mixingShape(part.matrix, config, layer);
    if (shape.empty())
        return fail(Error::Kind::badInput, nameOf(part),
                    fmt::format("a layer of {} has no matrix {}", config.kindWords(layer),
                                nameOf(part.matrix)),
                    "choose a part that the layer has");
    if (shape.size() != part.index.size())
        return fail(Error::Kind::badInput, nameOf(part),
                    fmt::format("{} numbers do not name a weight of it", part.index.size()),
                    fmt::format("{} takes {}", nameOf(part.matrix), shape.size()));
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (auto fine = below(part.index[axis], shape[axis], "index", part); !fine) return fine;
    return {};
}

}  // namespace

ModelPart ModelPart::ofHead(int layer, int head) {
    ModelPart part;
    part.kind = Kind::head;
    part.layer = layer;
    part.head = head;
    return part;
}

ModelPart ModelPart::ofTile(int layer, int head, int queryPseudo, int keyPseudo) {
    ModelPart part = ofHead(layer, head);
    part.kind = Kind::tile;
    part.queryPseudo = queryPseudo;
    part.keyPseudo = keyPseudo;
    return part;
}

std::string nameOf(const ModelPart& part) {
    const std::string layer = fmt::format("L{}", part.layer);
    const std::string head = fmt::format("{}H{}", layer, part.head);
    switch (part.kind) {
        case Kind::layer:
            return layer;
        case Kind::attention:
            return layer + ".attn";
        case Kind::mlp:
            return layer + ".mlp";
        case Kind::head:
            return head;
        case Kind::pseudoQuery:
            return fmt::format("{}.q{}", head, part.queryPseudo);
        case Kind::pseudoKey:
            return fmt::format("{}.k{}", head, part.keyPseudo);
        case Kind::pseudo:
            return fmt::format("{}.p{}", head, part.queryPseudo);
        case Kind::tile:
            return fmt::format("{}.q{}k{}", head, part.queryPseudo, part.keyPseudo);
        case Kind::cell:
            return fmt::format("{}.q{}k{}[{},{}]", head, part.queryPseudo, part.keyPseudo,
                               part.query, part.key);
        case Kind::weight:
            return fmt::format("{}.{}[{}]", layer, nameOf(part.matrix), fmt::join(part.index, ","));
    }
    return {};
}

Result<ModelPart> partFrom(std::string_view text) {
    PartReader reader(text);
    const auto part = parse(reader);
    if (part && reader.done()) return *part;
    return fail(Error::Kind::badInput, std::string(text), "this names no part of a model",
                "write it as L1, L1.attn, L1.mlp, L1H3, L1H3.q0, L1H3.k1, L1H3.p0, L1H3.q0k1, "
                "L1H3.q0k1[18,12] or L1.alphaQ[2,1,0]");
}

Result<void> checkPart(const ModelPart& part, const ModelConfig& config, int rows) {
    if (auto fine = below(part.layer, config.nLayers(), "layer", part); !fine) return fine;
    const LayerConfig& layer = config.layers[static_cast<std::size_t>(part.layer)];
    if (part.kind == Kind::weight) return checkWeight(part, config, layer);
    if (part.kind == Kind::mlp && config.dMlp == 0)
        return fail(Error::Kind::badInput, nameOf(part), "this model has no MLP",
                    "choose a part that it has");
    if (auto fine = below(part.head, config.nHeads, "head", part); !fine) return fine;
    for (const int pseudo : {part.queryPseudo, part.keyPseudo})
        if (auto fine = below(pseudo, layer.nPseudo, "pseudo-head", part); !fine) return fine;
    for (const int token : {part.query, part.key})
        if (auto fine = below(token, rows, "token", part); !fine) return fine;
    return {};
}

namespace {

std::vector<ModelPart> weightsOf(const ModelConfig& config, int layer) {
    std::vector<ModelPart> made;
    const LayerConfig& of = config.layers[static_cast<std::size_t>(layer)];
    for (const MixingTensor matrix : mixingTensorsOf(of)) {
        const std::vector<int> shape = mixingShape(matrix, config, of);
        int count = 1;
        for (const int size : shape) count *= size;
        for (int at = 0; at < count; ++at) {
            ModelPart part;
            part.kind = Kind::weight;
            part.layer = layer;
            part.matrix = matrix;
            part.index.resize(shape.size());
            int rest = at;
            for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
                part.index[axis] = rest % shape[axis];
            made.push_back(std::move(part));
        }
    }
    return made;
}

}  // namespace

std::vector<ModelPart> partsOf(Kind kind, const ModelConfig& config, int layer) {
    const int pseudo = config.layers[static_cast<std::size_t>(layer)].nPseudo;
    const bool tiles = kind == Kind::tile;
    const bool single =
        tiles || kind == Kind::pseudoQuery || kind == Kind::pseudoKey || kind == Kind::pseudo;
    if (kind == Kind::weight) return weightsOf(config, layer);
    std::vector<ModelPart> made;
    if (kind == Kind::cell || (kind == Kind::mlp && config.dMlp == 0)) return made;
    const bool heads = kind == Kind::head || single;
    for (int head = 0; head < (heads ? config.nHeads : 1); ++head)
        for (int p = 0; p < (single ? pseudo : 1); ++p)
            for (int r = 0; r < (tiles ? pseudo : 1); ++r) {
                ModelPart part = ModelPart::ofTile(layer, head, p, r);
                part.kind = kind;
                if (kind == Kind::pseudoKey) std::swap(part.queryPseudo, part.keyPseudo);
                if (kind == Kind::pseudo) part.keyPseudo = p;
                made.push_back(part);
            }
    return made;
}

}  // namespace headloom
