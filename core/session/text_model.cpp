#include "core/session/text_model.h"

#include "core/io/model_name.h"
#include "core/io/tokenizers/tokenizer_files.h"
#include "core/models/tokenizer.h"
#include "core/models/tokenizers/text_tokenizer.h"
#include "core/session/free_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

namespace fs = std::filesystem;

/// Whether every id of the tokenizer has a row in the embedding, which may be padded.
bool fits(const Tokenizer& tokenizer, const Model& model) {
    return tokenizer.size() > 0 && tokenizer.size() <= model.config.dVocab;
}

/// llama2.c's tokenizers lie beside its models under names like tok512.bin.
std::vector<fs::path> llama2cTokenizers(const fs::path& folder) {
    constexpr std::size_t most = 16;
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("tok") && name.ends_with(".bin")) found.push_back(entry.path());
        if (found.size() == most) break;
    }
    std::sort(found.begin(), found.end());
    return found;
}

struct FoundTokenizer {
    std::shared_ptr<const Tokenizer> tokenizer;
    std::string where;
};

/// The first tokenizer that fits: of the file itself, of its folder.
std::optional<FoundTokenizer> tokenizerOf(const fs::path& path, const Model& model) {
    std::error_code ignored;
    const bool isFolder = fs::is_directory(path, ignored);
    const fs::path folder = isFolder                     ? path
                            : path.parent_path().empty() ? fs::path(".")
                                                         : path.parent_path();
    std::vector<fs::path> places;
    if (!isFolder) places.push_back(path);
    places.push_back(folder);
    for (fs::path& file : llama2cTokenizers(folder)) places.push_back(std::move(file));
    for (const fs::path& place : places) {
        const auto opened = openTokenizer(place);
        if (!opened || !fits(**opened, model)) continue;
        const std::string where = place == path ? "the file itself" : place.string();
        return FoundTokenizer{*opened, fmt::format("{}, from {}", (*opened)->summary(), where)};
    }
    return std::nullopt;
}

/// Reads prompts as ids and shows ids.
std::shared_ptr<const Tokenizer> idsOnly(int size) {
    std::vector<TokenEntry> entries;
    for (int id = 0; id < size; ++id) entries.push_back({std::to_string(id)});
    TokenizerParts parts;
    parts.kind = "ids";
    parts.table = std::make_shared<const TokenTable>(std::move(entries));
    parts.idsOnlyReason = "no tokenizer lies beside the model";
    return makeTokenizer(std::move(parts));
}

/// The ids of an empty prompt: what the tokenizer adds to it, or BOS, or the first token.
std::vector<int> emptyPrompt(const Model& model, int bos) {
    if (auto ids = model.vocabulary.encode(""); ids && !ids->empty()) return *ids;
    return {bos >= 0 && bos < model.config.dVocab ? bos : 0};
}

/// A prompt that shows something of a model, where it can be read and fits.
std::string beginningFor(const Model& model) {
    const bool isText = model.vocabulary.tokenizer()->idsOnlyReason().empty();
    const char* usual = isText ? "Once upon a time" : "1 2 3 4 5 6 7 8";
    const auto ids = model.vocabulary.encode(usual);
    return ids && static_cast<int>(ids->size()) <= model.config.nCtx ? usual : "";
}

}  // namespace

Result<TextModel> withTokenizer(const OpenedModel& opened, const fs::path& path,
                                const std::optional<fs::path>& tokenizer) {
    Model model = *opened.model;  // its weights are shared
    std::optional<FoundTokenizer> found;
    if (tokenizer) {
        const auto named = openTokenizer(*tokenizer);
        if (!named) return tl::unexpected(named.error());
        if (!fits(**named, model))
            return fail(Error::Kind::badInput, tokenizer->string(),
                        fmt::format("has {} tokens, and the model {}", (*named)->size(),
                                    model.config.dVocab),
                        "name the tokenizer that the model was trained with");
        found = FoundTokenizer{
            *named, fmt::format("{}, from {}", (*named)->summary(), tokenizer->string())};
    } else {
        found = tokenizerOf(path, model);
    }
    TextModel made;
    made.vocabulary =
        found ? found->where : "no tokenizer lies beside it: prompts are ids, such as 1 403 407";
    model.vocabulary = Vocabulary(found ? found->tokenizer : idsOnly(model.config.dVocab));
    if (model.name.empty()) model.name = modelName(path);
    made.text = std::make_shared<const FreeText>(model, emptyPrompt(model, opened.bos));
    made.beginning = beginningFor(model);
    made.model = std::make_shared<const Model>(std::move(model));
    return made;
}

}  // namespace headloom
