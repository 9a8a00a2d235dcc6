#include "core/io/tokenizers/special_names.h"

#include "core/io/tokenizers/json_document.h"

#include <nlohmann/json.hpp>

#include <initializer_list>

namespace headloom {

namespace {

using nlohmann::json;

/// "</s>" or {"content": "</s>", ...}.
std::string configured(const json& config, const char* key) {
    const json& value = member(config, key);
    return value.is_object() ? textMember(value, "content") : textMember(config, key);
}

/// The first of the names that is a special token; -1: none is.
int firstSpecial(const TokenTable& table, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        const int id = table.find(name);
        if (id >= 0 && table[id].kind == TokenEntry::Kind::special) return id;
    }
    return -1;
}

}  // namespace

void nameSpecialTokens(TokenizerParts& parts, std::string_view config) {
    const TokenTable& table = *parts.table;
    SpecialIds& special = parts.special;
    if (!config.empty())
        if (const auto root = parseJsonDocument(config, {})) {
            special.bos = table.find(configured(*root, "bos_token"));
            special.eos = table.find(configured(*root, "eos_token"));
            special.cls = table.find(configured(*root, "cls_token"));
            special.sep = table.find(configured(*root, "sep_token"));
        }
    if (special.cls < 0) special.cls = firstSpecial(table, {"[CLS]"});
    if (special.sep < 0) special.sep = firstSpecial(table, {"[SEP]"});
    const bool startsWithCls =
        !parts.implicitStart.empty() && parts.implicitStart.front() == special.cls;
    if (special.bos < 0 && !parts.implicitStart.empty() && !startsWithCls)
        special.bos = parts.implicitStart.front();
    if (special.bos < 0)
        special.bos = firstSpecial(table, {"<s>", "<|begin_of_text|>", "<bos>", "<|endoftext|>"});
    if (special.eos < 0)
        special.eos = firstSpecial(table, {"</s>", "<|end_of_text|>", "<eos>", "<|endoftext|>"});
}

}  // namespace headloom
