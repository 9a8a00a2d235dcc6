#include "core/io/tokenizers/json_steps.h"

#include "core/base/utf8.h"
#include "core/io/tokenizers/json_document.h"
#include "core/models/tokenizers/bert.h"
#include "core/models/tokenizers/known_patterns.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace headloom {

namespace {

using nlohmann::json;

// Longer ones only serve to blow texts up.
constexpr std::size_t longestInsertion = 64;

tl::unexpected<Unread> damaged(std::string what) {
    return tl::unexpected(Unread{true, std::move(what)});
}
tl::unexpected<Unread> unknown(std::string what) {
    return tl::unexpected(Unread{false, std::move(what)});
}

/// Runs `read` on a part, or on each part of a sequence.
template <class Read>
Step eachOf(const json& node, const char* members, const Read& read) {
    if (node.is_null()) return {};
    if (!node.is_object()) return damaged("a step is not an object");
    if (textMember(node, "type") != "Sequence") return read(node);
    const json& all = member(node, members);
    if (!all.is_array()) return damaged(fmt::format("a sequence has no \"{}\"", members));
    for (const json& each : all)
        if (auto fine = eachOf(each, members, read); !fine) return fine;
    return {};
}

/// {"String": ...} or {"Regex": ...}.
struct Pattern {
    std::string literal;  ///< empty: `regex` counts
    std::optional<Regex> regex;
};

tl::expected<Pattern, Unread> patternOf(const json& node) {
    const json& pattern = member(node, "pattern");
    Pattern read;
    if (member(pattern, "String").is_string()) {
        read.literal = textMember(pattern, "String");
        if (read.literal.empty()) return damaged("a pattern is empty");
        return read;
    }
    if (!member(pattern, "Regex").is_string())
        return damaged("a pattern is neither \"String\" nor \"Regex\"");
    const std::string text = textMember(pattern, "Regex");
    auto regex = Regex::compile(text);
    if (!regex)
        return unknown(
            fmt::format("the pattern \"{}\" is not understood {}", visible(text), regex.error()));
    read.regex = std::move(*regex);
    return read;
}

Step readReplace(const json& node, TokenizerParts& parts) {
    auto pattern = patternOf(node);
    if (!pattern) return tl::unexpected(pattern.error());
    std::string with = textMember(node, "content");
    if (with.size() > longestInsertion) return unknown("a replacement is longer than 64 bytes");
    parts.normalisers.push_back(pattern->regex
                                    ? replace(std::move(*pattern->regex), std::move(with))
                                    : replace(std::move(pattern->literal), std::move(with)));
    return {};
}

Step readBert(const json& node, TokenizerParts& parts) {
    BertOptions options;
    options.cleansText = flagMember(node, "clean_text", true);
    options.spacesChinese = flagMember(node, "handle_chinese_chars", true);
    options.lowercases = flagMember(node, "lowercase", true);
    options.stripsAccents = flagMember(node, "strip_accents", options.lowercases);
    for (Normaliser& each : bertNormalisers(options)) parts.normalisers.push_back(std::move(each));
    return {};
}

Step readOneNormaliser(const json& node, TokenizerParts& parts) {
    const std::string type = textMember(node, "type");
    const auto add = [&parts](Normaliser normaliser) -> Step {
        parts.normalisers.push_back(std::move(normaliser));
        return {};
    };
    if (type == "NFC") return add(unicodeForm(NormalForm::nfc));
    if (type == "NFD") return add(unicodeForm(NormalForm::nfd));
    if (type == "NFKC") return add(unicodeForm(NormalForm::nfkc));
    if (type == "NFKD") return add(unicodeForm(NormalForm::nfkd));
    if (type == "Lowercase") return add(lowercase());
    if (type == "StripAccents") return add(without(isMark));
    if (type == "Strip")
        return add(
            strip(flagMember(node, "strip_left", true), flagMember(node, "strip_right", true)));
    if (type == "Replace") return readReplace(node, parts);
    if (type == "BertNormalizer") return readBert(node, parts);
    if (type == "Prepend") {
        const std::string prefix = textMember(node, "prepend");
        if (prefix.size() > longestInsertion) return unknown("a prefix is longer than 64 bytes");
        return add(prepend(prefix));
    }
    return unknown(fmt::format("the normalizer \"{}\" is not known", visible(type)));
}

std::optional<SplitBehaviour> behaviourOf(const json& node) {
    const std::string name = textMember(node, "behavior");
    if (name == "Removed") return SplitBehaviour::removed;
    if (name == "Isolated") return SplitBehaviour::isolated;
    if (name == "MergedWithPrevious") return SplitBehaviour::mergedWithPrevious;
    if (name == "MergedWithNext") return SplitBehaviour::mergedWithNext;
    if (name == "Contiguous") return SplitBehaviour::contiguous;
    return std::nullopt;
}

Step readSplit(const json& node, TokenizerParts& parts) {
    auto pattern = patternOf(node);
    if (!pattern) return tl::unexpected(pattern.error());
    const auto behaviour = behaviourOf(node);
    if (!behaviour) return damaged("a split has no known \"behavior\"");
    Finder finder = pattern->regex ? findRegex(std::move(*pattern->regex))
                                   : findLiteral(std::move(pattern->literal));
    parts.splitters.push_back(
        splitBy(std::move(finder), *behaviour, flagMember(node, "invert", false)));
    return {};
}

Step readMetaspace(const json& node, TokenizerParts& parts) {
    const std::string mark = textMember(node, "replacement");
    if (mark.empty() || codePointLength(mark, 0) != mark.size())
        return damaged("the replacement of Metaspace is not one character");
    // Files from before prepend_scheme have add_prefix_space instead.
    const std::string name = textMember(node, "prepend_scheme");
    PrependScheme scheme =
        flagMember(node, "add_prefix_space", true) ? PrependScheme::always : PrependScheme::never;
    if (name == "always") scheme = PrependScheme::always;
    if (name == "first") scheme = PrependScheme::first;
    if (name == "never") scheme = PrependScheme::never;
    parts.spaceMark = mark;
    parts.splitters.push_back(metaspace(mark, scheme, flagMember(node, "split", true)));
    return {};
}

/// Of a pattern of this program's own, which compiles.
Splitter splitByOwn(const char* pattern, SplitBehaviour behaviour, bool invert = false) {
    return splitBy(findRegex(Regex::compile(pattern).value()), behaviour, invert);
}

Step readOnePreTokenizer(const json& node, TokenizerParts& parts) {
    const std::string type = textMember(node, "type");
    const auto add = [&parts](Splitter splitter) -> Step {
        parts.splitters.push_back(std::move(splitter));
        return {};
    };
    if (type == "ByteLevel") {
        if (flagMember(node, "add_prefix_space", true)) parts.splitters.push_back(prefixSpace());
        if (!flagMember(node, "use_regex", true)) return {};
        return add(splitByOwn(gpt2Pattern, SplitBehaviour::isolated));
    }
    if (type == "Split") return readSplit(node, parts);
    if (type == "Metaspace") return readMetaspace(node, parts);
    if (type == "Digits")
        return add(splitBy(findCharacters(isNumber), flagMember(node, "individual_digits", false)
                                                         ? SplitBehaviour::isolated
                                                         : SplitBehaviour::contiguous));
    if (type == "Punctuation")
        return add(splitBy(findCharacters(isBertPunctuation),
                           behaviourOf(node).value_or(SplitBehaviour::isolated)));
    if (type == "WhitespaceSplit")
        return add(splitBy(findCharacters(isWhiteSpace), SplitBehaviour::removed));
    if (type == "Whitespace") {  // words, and runs of what is neither word nor space
        parts.splitters.push_back(splitBy(findCharacters(isWhiteSpace), SplitBehaviour::removed));
        return add(splitBy(findCharacters(isWordCharacter), SplitBehaviour::contiguous));
    }
    if (type == "BertPreTokenizer") {
        for (Splitter& each : bertSplitters()) parts.splitters.push_back(std::move(each));
        return {};
    }
    return unknown(fmt::format("the pre-tokenizer \"{}\" is not known", visible(type)));
}

/// An id of the table by its token's text, as post-processors name it.
std::optional<int> idOfToken(const json& id, const std::string& name, const TokenTable& table) {
    if (id.is_number_unsigned() &&
        id.get<std::uint64_t>() < static_cast<std::uint64_t>(table.size()))
        return id.get<int>();
    const int found = table.find(name);
    return found < 0 ? std::nullopt : std::optional(found);
}

Step readTemplate(const json& node, TokenizerParts& parts) {
    const json& single = member(node, "single");
    if (!single.is_array()) return damaged("a template has no \"single\"");
    bool after = false;
    for (const json& part : single) {
        if (member(part, "Sequence").is_object()) {
            after = true;
            continue;
        }
        const std::string name = textMember(member(part, "SpecialToken"), "id");
        const json& listed = member(member(node, "special_tokens"), name.c_str());
        const json& ids = member(listed, "ids");
        const json none;
        const auto id =
            idOfToken(ids.is_array() && !ids.empty() ? ids.front() : none, name, *parts.table);
        if (!id) return damaged(fmt::format("the template names no token \"{}\"", visible(name)));
        (after ? parts.implicitEnd : parts.implicitStart).push_back(*id);
    }
    return {};
}

/// ["[SEP]", 102]
std::optional<int> namedPair(const json& node, const char* key, const TokenTable& table) {
    const json& pair = member(node, key);
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) return std::nullopt;
    return idOfToken(pair[1], pair[0].get<std::string>(), table);
}

Step readOnePostProcessor(const json& node, TokenizerParts& parts) {
    const std::string type = textMember(node, "type");
    if (type == "ByteLevel") return {};  // changes offsets only
    if (type == "TemplateProcessing") return readTemplate(node, parts);
    if (type == "BertProcessing" || type == "RobertaProcessing") {
        const auto cls = namedPair(node, "cls", *parts.table);
        const auto sep = namedPair(node, "sep", *parts.table);
        if (!cls || !sep) return damaged("its \"cls\" or \"sep\" is no token");
        parts.implicitStart.push_back(*cls);
        parts.implicitEnd.push_back(*sep);
        return {};
    }
    return unknown(fmt::format("the post-processor \"{}\" is not known", visible(type)));
}

}  // namespace

Step readNormaliser(const json& node, TokenizerParts& parts) {
    return eachOf(node, "normalizers",
                  [&parts](const json& each) { return readOneNormaliser(each, parts); });
}

Step readPreTokenizer(const json& node, TokenizerParts& parts) {
    return eachOf(node, "pretokenizers",
                  [&parts](const json& each) { return readOnePreTokenizer(each, parts); });
}

Step readPostProcessor(const json& node, TokenizerParts& parts) {
    return eachOf(node, "processors",
                  [&parts](const json& each) { return readOnePostProcessor(each, parts); });
}

bool hasType(const json& node, const std::string& type) {
    if (textMember(node, "type") == type) return true;
    for (const char* members : {"normalizers", "pretokenizers", "processors", "decoders"})
        for (const json& each : member(node, members))
            if (hasType(each, type)) return true;
    return false;
}

}  // namespace headloom
