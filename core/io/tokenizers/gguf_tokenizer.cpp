#include "core/base/utf8.h"
#include "core/io/tokenizers/merge_line.h"
#include "core/io/tokenizers/sentence_piece.h"
#include "core/io/tokenizers/tokenizer_files.h"
#include "core/models/tokenizers/bert.h"
#include "core/models/tokenizers/bpe.h"
#include "core/models/tokenizers/byte_alphabet.h"
#include "core/models/tokenizers/known_patterns.h"
#include "core/models/tokenizers/text_tokenizer.h"
#include "core/models/tokenizers/word_piece.h"

#include <fmt/format.h>

namespace headloom {

namespace {

constexpr const char* remedy = "the file is damaged: download or convert it again";
constexpr std::string_view wordMark = "\xE2\x96\x81";  // before BERT's words, in place of no "##"

/// How ggml numbers tokens' types.
enum TokenType : std::int64_t { normal = 1, unknown, control, userDefined, unused, byte };

/// A way of cutting text that files name by `tokenizer.ggml.pre`.
struct KnownWay {
    std::vector<std::string_view> names;
    std::vector<const char*> patterns;
    bool ignoreMerges = false, addsBos = false;
};

const KnownWay* knownWay(std::string_view name) {
    static const KnownWay ways[] = {
        {{"gpt-2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "gigachat",
          "modern-bert", "mpt", "olmo", "jais", "trillion", "granite-docling", "exaone4"},
         {gpt2Pattern}},
        {{"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "lfm2"},
         {llama3Pattern},
         true,
         true},
        {{"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"}, {llama3Pattern}},
        {{"qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez", "solar-open", "grok-2"},
         {qwen2Pattern}},
        {{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"},
         {singleDigitPattern, gpt2Pattern}},
        {{"gpt-4o", "llama4"}, {gpt4oPattern}},
        {{"tekken"}, {tekkenPattern}, true, true},
    };
    for (const KnownWay& way : ways)
        for (const std::string_view each : way.names)
            if (each == name) return &way;
    return nullptr;
}

/// Reads the keys of one file into the parts of a tokenizer.
class GgufTokenizerReader {
  public:
    explicit GgufTokenizerReader(const GgufFile& file) : file_(file) {}

    TokenizerResult read() {
        const std::string_view model = textOf("tokenizer.ggml.model");
        if (model.empty() || model == "none" || model == "no_vocab")
            return fail(Error::Kind::badFile, file_.source().name(), "has no tokenizer",
                        "name the model's tokenizer.json, or another GGUF file of the model");
        if (auto fine = readTokens(); !fine) return tl::unexpected(fine.error());
        if (model == "gpt2") return byteLevelBpe();
        if (model == "llama") return sentencePiece();
        if (model == "bert") return wordPiece();
        parts_.spelling = TokenSpelling::sentencePiece;
        if (auto fine = readSpecialIds(-1, -1, -1); !fine) return tl::unexpected(fine.error());
        return idsOnly(entries(),
                       fmt::format("tokenizers of the kind \"{}\" are not read", visible(model)));
    }

  private:
    tl::unexpected<Error> damaged(std::string_view key, std::string what) const {
        return fail(Error::Kind::badFile, fmt::format("{}, key \"{}\"", file_.source().name(), key),
                    std::move(what), remedy);
    }

    std::string_view textOf(std::string_view key) const {
        const GgufValue* value = file_.find(key);
        return value ? value->text().value_or(std::string_view()) : std::string_view();
    }
    bool flagOf(std::string_view key, bool otherwise) const {
        const GgufValue* value = file_.find(key);
        return value ? value->boolean().value_or(otherwise) : otherwise;
    }
    /// The id a key names; `otherwise` where there is no such key and that is a token.
    Result<int> idOf(std::string_view key, int otherwise) const {
        const auto size = static_cast<std::int64_t>(tokens_.size());
        const GgufValue* value = file_.find(key);
        if (!value) return otherwise < size ? otherwise : -1;
        const auto id = value->integer();
        if (!id || *id < 0 || *id >= size)
            return damaged(key, fmt::format("is {}, but the ids are 0 to {}",
                                            visible(value->line()), size - 1));
        return static_cast<int>(*id);
    }

    Result<void> readTokens() {
        constexpr const char* key = "tokenizer.ggml.tokens";
        const GgufValue* value = file_.find(key);
        auto tokens = value ? value->texts() : std::nullopt;
        if (!tokens || tokens->empty()) return damaged(key, "is not a list of token strings");
        tokens_ = std::move(*tokens);
        for (std::size_t id = 0; id < tokens_.size(); ++id)
            if (const auto at = firstNotUtf8(tokens_[id]))
                return damaged(key, fmt::format("token {} is not UTF-8 at its byte {}", id, *at));
        types_.assign(tokens_.size(), normal);
        constexpr const char* typeKey = "tokenizer.ggml.token_type";
        if (const GgufValue* types = file_.find(typeKey)) {
            auto numbers = types->integers();
            if (!numbers || numbers->size() != tokens_.size())
                return damaged(typeKey, fmt::format("is not one number for each of {} tokens",
                                                    tokens_.size()));
            types_ = std::move(*numbers);
        }
        return {};
    }

    bool isSpecial(std::size_t id) const { return types_[id] == control || types_[id] == unknown; }

    /// The tokens as the file spells them.
    std::vector<TokenEntry> entries() const {
        std::vector<TokenEntry> all;
        all.reserve(tokens_.size());
        for (std::size_t id = 0; id < tokens_.size(); ++id) {
            const auto kind = isSpecial(id)        ? TokenEntry::Kind::special
                              : types_[id] == byte ? TokenEntry::Kind::byte
                                                   : TokenEntry::Kind::normal;
            all.push_back({std::string(tokens_[id]), kind});
        }
        return all;
    }

    /// Makes the table of them; control and user-defined tokens mean themselves wherever they are
    /// typed.
    void setTable(std::vector<TokenEntry> all) {
        for (std::size_t id = 0; id < all.size(); ++id) {
            if (!isSpecial(id) && types_[id] != userDefined) continue;
            AddedToken token;
            token.content = all[id].spelling;
            token.id = static_cast<int>(id);
            token.special = isSpecial(id);
            parts_.added.push_back(std::move(token));
        }
        parts_.table = std::make_shared<const TokenTable>(std::move(all));
    }

    TokenizerResult idsOnly(std::vector<TokenEntry> all, std::string reason) {
        parts_.kind = "ids only";
        parts_.idsOnlyReason = std::move(reason);
        setTable(std::move(all));
        return makeTokenizer(std::move(parts_));
    }

    /// Where a key is missing, the id given here, if that is a token.
    Result<void> readSpecialIds(int bos, int eos, int unk) {
        parts_.special = {bos, eos, unk, -1, -1};
        const std::pair<const char*, int*> keys[] = {
            {"tokenizer.ggml.bos_token_id", &parts_.special.bos},
            {"tokenizer.ggml.eos_token_id", &parts_.special.eos},
            {"tokenizer.ggml.unknown_token_id", &parts_.special.unk},
            {"tokenizer.ggml.cls_token_id", &parts_.special.cls},
            {"tokenizer.ggml.seperator_token_id", &parts_.special.sep},  // sic
        };
        for (const auto& [key, id] : keys) {
            const auto read = idOf(key, *id);
            if (!read) return tl::unexpected(read.error());
            *id = *read;
        }
        return {};
    }

    void addImplicit(bool bosByDefault) {
        if (flagOf("tokenizer.ggml.add_bos_token", bosByDefault) && parts_.special.bos >= 0)
            parts_.implicitStart.push_back(parts_.special.bos);
        if (flagOf("tokenizer.ggml.add_eos_token", false) && parts_.special.eos >= 0)
            parts_.implicitEnd.push_back(parts_.special.eos);
    }

    Result<Bpe::Merges> readMerges() const {
        constexpr const char* key = "tokenizer.ggml.merges";
        const GgufValue* value = file_.find(key);
        const auto lines = value ? value->texts() : std::nullopt;
        if (!lines || lines->empty())
            return damaged(key, "has no merges, without which every byte would be a token");
        Bpe::Merges merges;
        merges.reserve(lines->size());
        for (std::size_t rank = 0; rank < lines->size(); ++rank) {
            const std::string_view line = (*lines)[rank];
            auto merge = mergeOfLine(line, MergeSpelling::bytes);
            if (!merge)
                return damaged(
                    key, fmt::format("merge {} is \"{}\", not two spellings", rank, visible(line)));
            merges.push_back(std::move(*merge));
        }
        return merges;
    }

    TokenizerResult byteLevelBpe() {
        parts_.kind = "byte-level BPE";
        std::vector<TokenEntry> all = entries();
        for (std::size_t id = 0; id < all.size(); ++id)
            if (!isSpecial(id) && types_[id] != userDefined)
                if (auto bytes = bytesOfSpelling(tokens_[id])) all[id].spelling = *bytes;
        if (auto fine = readSpecialIds(-1, -1, -1); !fine) return tl::unexpected(fine.error());
        const std::string_view pre = textOf("tokenizer.ggml.pre");
        const KnownWay* way = knownWay(pre);
        if (!way)
            return idsOnly(
                std::move(all),
                pre.empty() ? "the file does not say how text is cut into words"
                            : fmt::format("the pre-tokenizer \"{}\" is not known", visible(pre)));
        addImplicit(way->addsBos);
        const auto merges = readMerges();
        if (!merges) return tl::unexpected(merges.error());
        for (const char* pattern : way->patterns)
            parts_.splitters.push_back(
                splitBy(findRegex(Regex::compile(pattern).value()), SplitBehaviour::isolated));
        setTable(std::move(all));
        BpeOptions options;
        options.ignoreMerges = way->ignoreMerges;
        options.unknown = parts_.special.unk;
        auto model = Bpe::of(parts_.table, *merges, options);
        if (!model) return damaged("tokenizer.ggml.merges", model.error());
        parts_.model = std::move(*model);
        return makeTokenizer(std::move(parts_));
    }

    TokenizerResult sentencePiece() {
        constexpr const char* key = "tokenizer.ggml.scores";
        const GgufValue* value = file_.find(key);
        const auto scores = value ? value->numbers() : std::nullopt;
        if (!scores || scores->size() != tokens_.size())
            return damaged(key,
                           fmt::format("is not one score for each of {} tokens", tokens_.size()));
        if (auto fine = readSpecialIds(1, 2, 0); !fine) return tl::unexpected(fine.error());
        addImplicit(true);
        setTable(entries());
        fillSentencePiece(parts_, {scores->begin(), scores->end()},
                          flagOf("tokenizer.ggml.add_space_prefix", true));
        return makeTokenizer(std::move(parts_));
    }

    /// ggml marks the words that begin with a token, BERT's own files the tokens that go on.
    std::vector<TokenEntry> wordPieceEntries() const {
        std::vector<TokenEntry> all = entries();
        for (std::size_t id = 0; id < all.size(); ++id) {
            std::string& spelling = all[id].spelling;
            const bool bracketed = spelling.starts_with('[') && spelling.ends_with(']');
            if (spelling.starts_with(wordMark))
                spelling.erase(0, wordMark.size());
            else if (!bracketed && types_[id] == normal)
                spelling = "##" + spelling;
        }
        return all;
    }

    TokenizerResult wordPiece() {
        if (auto fine = readSpecialIds(-1, -1, -1); !fine) return tl::unexpected(fine.error());
        setTable(wordPieceEntries());
        SpecialIds& special = parts_.special;
        if (special.cls < 0) special.cls = special.bos;
        if (special.cls < 0) special.cls = parts_.table->find("[CLS]");
        if (special.sep < 0) special.sep = parts_.table->find("[SEP]");
        if (special.unk < 0) special.unk = parts_.table->find("[UNK]");
        if (special.cls >= 0) parts_.implicitStart = {special.cls};
        if (special.sep >= 0) parts_.implicitEnd = {special.sep};
        parts_.kind = "WordPiece";
        parts_.spelling = TokenSpelling::wordPiece;
        // ggml says nothing of case: its own reader always ignores it, as the uncased models do.
        parts_.normalisers = bertNormalisers({});
        parts_.splitters = bertSplitters();
        WordPiece::Options options;
        options.unknown = special.unk;
        parts_.model = std::make_shared<const WordPiece>(parts_.table, options);
        return makeTokenizer(std::move(parts_));
    }

    const GgufFile& file_;
    std::vector<std::string_view> tokens_;
    std::vector<std::int64_t> types_;
    TokenizerParts parts_;
};

}  // namespace

TokenizerResult readGgufTokenizer(const GgufFile& file) {
    return GgufTokenizerReader(file).read();
}

}  // namespace headloom
