#include "core/base/utf8.h"
#include "core/io/tokenizers/json_document.h"
#include "core/io/tokenizers/json_steps.h"
#include "core/io/tokenizers/json_vocabulary.h"
#include "core/io/tokenizers/merge_line.h"
#include "core/io/tokenizers/special_names.h"
#include "core/io/tokenizers/tokenizer_files.h"
#include "core/models/tokenizers/bpe.h"
#include "core/models/tokenizers/word_piece.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace headloom {

namespace {

using nlohmann::json;

/// Puts one document together. Parts that are damaged end it with an error; parts of an unknown
/// kind leave a tokenizer of ids.
class TokenizerJsonReader {
  public:
    TokenizerJsonReader(const json& root, std::string file) : root_(root), file_(std::move(file)) {}

    TokenizerResult read(std::string_view config) {
        const json& model = member(root_, "model");
        if (!model.is_object())
            return fail(Error::Kind::badFile, file_, "is JSON, but has no tokenizer's \"model\"",
                        "name a tokenizer.json, or a vocab.json with its merges.txt");
        // Files from before 2020 do not name the type.
        type_ = textMember(model, "type");
        if (type_.empty()) type_ = member(model, "merges").is_array() ? "BPE" : "WordPiece";
        onBytes_ = type_ == "BPE" && hasType(member(root_, "pre_tokenizer"), "ByteLevel");
        if (auto fine = readVocabulary(model); !fine) return tl::unexpected(fine.error());
        auto fine = readSteps(model);
        if (!fine && fine.error().damaged)
            return fail(Error::Kind::badFile, file_, fine.error().what,
                        "the file is damaged: download or save it again");
        if (!fine) {
            parts_.kind = "ids only";
            parts_.idsOnlyReason = fine.error().what;
            parts_.implicitStart.clear();
            parts_.implicitEnd.clear();
        }
        nameSpecialTokens(parts_, config);
        return makeTokenizer(std::move(parts_));
    }

  private:
    Result<void> readVocabulary(const json& model) {
        const auto spelling = onBytes_ ? MergeSpelling::bytes : MergeSpelling::text;
        auto entries = vocabularyEntries(member(model, "vocab"), spelling);
        if (entries) {
            auto added = addedTokens(member(root_, "added_tokens"), *entries);
            if (added) {
                parts_.added = std::move(*added);
                parts_.table = std::make_shared<const TokenTable>(std::move(*entries));
                return {};
            }
            entries = tl::unexpected(added.error());
        }
        return fail(Error::Kind::badFile, file_, entries.error(),
                    "the file is damaged: download or save it again");
    }

    Step readSteps(const json& model) {
        parts_.spelling = type_ == "WordPiece" ? TokenSpelling::wordPiece
                          : onBytes_           ? TokenSpelling::bytes
                                               : TokenSpelling::sentencePiece;
        if (auto fine = type_ == "BPE" ? readBpe(model) : readOtherModel(model); !fine) return fine;
        if (auto fine = readNormaliser(member(root_, "normalizer"), parts_); !fine) return fine;
        if (auto fine = readPreTokenizer(member(root_, "pre_tokenizer"), parts_); !fine)
            return fine;
        return readPostProcessor(member(root_, "post_processor"), parts_);
    }

    tl::expected<Bpe::Merges, Unread> readMerges(const json& model) const {
        const json& list = member(model, "merges");
        if (!list.is_array() || list.empty())
            return tl::unexpected(
                Unread{true, "has no merges, without which every byte would be a token"});
        const auto spelling = onBytes_ ? MergeSpelling::bytes : MergeSpelling::text;
        Bpe::Merges merges;
        merges.reserve(list.size());
        for (const json& each : list) {
            std::optional<std::pair<std::string, std::string>> merge;
            if (each.is_string())
                merge = mergeOfLine(each.get_ref<const std::string&>(), spelling);
            else if (each.is_array() && each.size() == 2 && each[0].is_string() &&
                     each[1].is_string())
                merge = mergeOfParts(each[0].get_ref<const std::string&>(),
                                     each[1].get_ref<const std::string&>(), spelling);
            if (!merge)
                return tl::unexpected(Unread{
                    true,
                    fmt::format(
                        "merge {} is {}, not two spellings", merges.size(),
                        each.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 80))});
            merges.push_back(std::move(*merge));
        }
        return merges;
    }

    Step readBpe(const json& model) {
        parts_.kind = onBytes_ ? "byte-level BPE" : "BPE on characters";
        for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
            if (!textMember(model, affix).empty())
                return tl::unexpected(
                    Unread{false, fmt::format("BPE with \"{}\" is not read", affix)});
        const auto merges = readMerges(model);
        if (!merges) return tl::unexpected(merges.error());
        parts_.special.unk = parts_.table->find(textMember(model, "unk_token"));
        BpeOptions options;
        options.onBytes = onBytes_;
        options.ignoreMerges = flagMember(model, "ignore_merges", false);
        options.byteFallback = flagMember(model, "byte_fallback", false);
        options.unknown = parts_.special.unk;
        options.fuseUnknown = flagMember(model, "fuse_unk", false);
        auto made = Bpe::of(parts_.table, *merges, options);
        if (!made) return tl::unexpected(Unread{true, made.error()});
        parts_.model = std::move(*made);
        return {};
    }

    Step readOtherModel(const json& model) {
        if (type_ != "WordPiece")
            return tl::unexpected(Unread{
                false, fmt::format("tokenizers of the kind \"{}\" are not read", visible(type_))});
        parts_.kind = "WordPiece";
        parts_.special.unk = parts_.table->find(textMember(model, "unk_token"));
        WordPiece::Options options;
        options.unknown = parts_.special.unk;
        if (const json& prefix = member(model, "continuing_subword_prefix"); prefix.is_string())
            options.continuation = prefix.get<std::string>();
        if (const json& most = member(model, "max_input_chars_per_word"); most.is_number_unsigned())
            options.longestWord = most.get<std::size_t>();
        parts_.continuation = options.continuation;
        parts_.model = std::make_shared<const WordPiece>(parts_.table, options);
        return {};
    }

    const json& root_;
    std::string file_, type_;
    bool onBytes_ = false;
    TokenizerParts parts_;
};

}  // namespace

TokenizerResult readTokenizerJson(const SourceFile& file, std::string_view config) {
    const auto root = parseJsonDocument(file.text(), file.name());
    if (!root) return tl::unexpected(root.error());
    return TokenizerJsonReader(*root, file.name()).read(config);
}

}  // namespace headloom
