#include "core/io/architectures/matched_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headloom {

std::int64_t Piece::side(MatrixLayout last) const {
    if (entry->shape.size() != 2) return -1;
    return entry->shape[rule->layout == last ? 1 : 0];
}

const Piece* MatchedTensors::find(const std::string& name) const {
    const auto found = pieces.find(name);
    return found == pieces.end() ? nullptr : &found->second;
}

const Piece* MatchedTensors::firstOf(const std::string& name) const {
    for (int layer = 0; layer < nLayers; ++layer)
        if (const Piece* piece = find(layerName(layer, name))) return piece;
    return nullptr;
}

std::string layerName(int layer, const std::string& name) {
    return fmt::format("blocks.{}.{}", layer, name);
}

namespace {

constexpr int mostLayers = 1024;  // as validate(ModelConfig) has it

bool hasShape(TensorNeed::Shape shape, const TensorEntry& entry) {
    if (shape == TensorNeed::Shape::any) return true;
    if (entry.shape.size() != 2 || entry.shape[0] == entry.shape[1]) return false;
    return (entry.shape[0] > entry.shape[1]) == (shape == TensorNeed::Shape::tall);
}

/// The first entry that meets a need.
const TensorEntry* meets(const TensorSource& source, const ArchitectureMap& map,
                         const TensorNeed& need) {
    for (const TensorEntry& entry : source.entries())
        if (need.name.match(map.bare(entry.name)) && hasShape(need.shape, entry)) return &entry;
    return nullptr;
}

/// Whether the file itself says that it is a type which the map does not stand for. GGUF's Llama
/// and Qwen have the same names, but not the same order of rows.
bool isOfAnotherType(const TensorSource& source, const ArchitectureMap& map) {
    const auto keys = map.config.find("type");
    if (map.types.empty() || keys == map.config.end()) return false;
    for (const std::string& key : keys->second)
        if (const auto found = source.metadata().find(key); found != source.metadata().end())
            return !map.types.contains(found->second);
    return false;
}

}  // namespace

std::pair<const ArchitectureMap*, std::string> recognise(
    const TensorSource& source, const std::vector<const ArchitectureMap*>& maps) {
    const ArchitectureMap* other = nullptr;  // its tensors fit, its type is another one
    std::string why;
    std::string nearest = source.entries().empty()
                              ? "there is no tensor to know an architecture by"
                              : "no tensor has a name that a known architecture uses";
    std::size_t mostMet = 0;
    for (const ArchitectureMap* map : maps) {
        std::vector<std::string> met;
        std::string unmet;
        for (const TensorNeed& need : map->needs) {
            if (const TensorEntry* entry = meets(source, *map, need))
                met.push_back(entry->name);
            else
                unmet = need.name.text();
        }
        if (unmet.empty()) {
            const std::string has = fmt::format("it has {}", fmt::join(met, ", "));
            if (!isOfAnotherType(source, *map)) return {map, has};
            if (!other) why = has;
            if (!other) other = map;
        }
        if (met.size() <= mostMet) continue;
        mostMet = met.size();
        nearest = fmt::format("nearest is {}, which has {} too", map->title, unmet);
    }
    return other ? std::pair(other, why) : std::pair(nullptr, nearest);
}

Result<MatchedTensors> matchTensors(const TensorSource& source, const ArchitectureMap& map) {
    MatchedTensors matched;
    for (const TensorEntry& entry : source.entries()) {
        const std::string_view name = map.bare(entry.name);
        TensorFate fate{entry.name, TensorUse::unexpected, {}};
        for (const NameTemplate& buffer : map.ignore)
            if (buffer.match(name)) fate.use = TensorUse::ignored;
        for (const TensorRule& rule : map.tensors) {
            const auto layer = rule.from.match(name);
            if (!layer || *layer >= mostLayers) continue;
            fate.use = TensorUse::used;
            matched.nLayers = std::max(matched.nLayers, *layer + 1);
            for (std::size_t part = 0; part < rule.to.size(); ++part) {
                const std::string ours =
                    *layer < 0 ? rule.to[part] : layerName(*layer, rule.to[part]);
                const auto [held, isNew] = matched.pieces.emplace(ours, Piece{&entry, &rule, part});
                if (!isNew)
                    return fail(Error::Kind::badFile, entry.name,
                                fmt::format("is {}, and so is {}", ours, held->second.entry->name),
                                "remove one of them from the checkpoint");
                fate.becomes.push_back(ours);
            }
            break;
        }
        matched.fates.push_back(std::move(fate));
    }
    return matched;
}

}  // namespace headloom
