#include "core/base/utf8.h"
#include "core/io/tokenizers/json_document.h"
#include "core/io/tokenizers/json_vocabulary.h"
#include "core/io/tokenizers/special_names.h"
#include "core/io/tokenizers/tokenizer_files.h"
#include "core/models/tokenizers/bpe.h"
#include "core/models/tokenizers/known_patterns.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace headloom {

namespace {

constexpr const char* remedy = "the file is damaged: download or save it again";

/// The pair of files says nothing of how text is cut; the class in tokenizer_config.json does.
const char* patternOf(const std::string& className) {
    if (className.starts_with("Qwen2") || className.starts_with("Qwen3")) return qwen2Pattern;
    for (const char* known : {"GPT2", "CodeGen", "GPTNeoX"})
        if (className.starts_with(known)) return gpt2Pattern;
    return className.empty() ? gpt2Pattern : nullptr;
}

std::string classNameIn(std::string_view config) {
    if (config.empty()) return {};
    const auto root = parseJsonDocument(config, {});
    return root ? textMember(*root, "tokenizer_class") : std::string();
}

Result<Bpe::Merges> readMergeLines(const SourceFile& file) {
    Bpe::Merges merges;
    std::string_view rest = file.text();
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
        auto merge = mergeOfLine(line, MergeSpelling::bytes);
        if (!merge)
            return fail(Error::Kind::badFile, file.name(),
                        fmt::format("line {} is \"{}\", not two spellings", number,
                                    visible(line.substr(0, 80))),
                        remedy);
        merges.push_back(std::move(*merge));
    }
    if (merges.empty())
        return fail(Error::Kind::badFile, file.name(),
                    "has no merges, without which every byte would be a token", remedy);
    return merges;
}

/// The names that GPT-2's family gives its special tokens in the vocabulary itself.
std::vector<AddedToken> markSpecial(std::vector<TokenEntry>& entries) {
    std::vector<AddedToken> added;
    for (std::size_t id = 0; id < entries.size(); ++id)
        for (const char* name : {"<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>", "<mask>"})
            if (entries[id].spelling == name) {
                entries[id].kind = TokenEntry::Kind::special;
                AddedToken token;
                token.content = name;
                token.id = static_cast<int>(id);
                token.special = true;
                added.push_back(std::move(token));
            }
    return added;
}

}  // namespace

TokenizerResult readVocabAndMerges(const SourceFile& vocab, const SourceFile& merges,
                                   std::string_view config) {
    const auto root = parseJsonDocument(vocab.text(), vocab.name());
    if (!root) return tl::unexpected(root.error());
    auto entries = vocabularyEntries(*root, MergeSpelling::bytes);
    if (!entries) return fail(Error::Kind::badFile, vocab.name(), entries.error(), remedy);
    const auto lines = readMergeLines(merges);
    if (!lines) return tl::unexpected(lines.error());

    TokenizerParts parts;
    parts.kind = "byte-level BPE";
    parts.added = markSpecial(*entries);
    parts.table = std::make_shared<const TokenTable>(std::move(*entries));
    auto model = Bpe::of(parts.table, *lines, {});
    if (!model) return fail(Error::Kind::badFile, merges.name(), model.error(), remedy);
    parts.model = std::move(*model);
    nameSpecialTokens(parts, config);
    const std::string className = classNameIn(config);
    if (const char* pattern = patternOf(className)) {
        parts.splitters.push_back(
            splitBy(findRegex(Regex::compile(pattern).value()), SplitBehaviour::isolated));
    } else {
        parts.kind = "ids only";
        parts.idsOnlyReason =
            fmt::format("how \"{}\" cuts text into words is not known", visible(className));
    }
    return makeTokenizer(std::move(parts));
}

}  // namespace headloom
