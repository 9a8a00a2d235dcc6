#include "core/models/tokenizers/bert.h"

#include "core/models/tokenizers/mapped_text.h"

namespace headloom {

namespace {

/// The blocks of Chinese characters that BERT knows (huggingface/tokenizers, bert.rs).
bool isChinese(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

bool isBertControl(char32_t c) {
    if (c == '\t' || c == '\n' || c == '\r') return false;
    return c == 0 || c == 0xFFFD || isOther(c);
}

Normaliser cleaned() {
    return [](const AlignedText& text) {
        return mappedText(text,
                          [&text](char32_t c, std::size_t from, std::size_t to, AlignedText& out) {
                              if (isBertControl(c)) return;
                              if (isWhiteSpace(c))
                                  out.appendInPlaceOf(text, from, to, " ");
                              else
                                  out.append(text, from, to);
                          });
    };
}

Normaliser chineseSpaced() {
    return [](const AlignedText& text) {
        return mappedText(text,
                          [&text](char32_t c, std::size_t from, std::size_t to, AlignedText& out) {
                              const bool chinese = isChinese(c);
                              if (chinese) out.appendBeside(text, from, " ");
                              out.append(text, from, to);
                              if (chinese) out.appendBeside(text, to, " ");
                          });
    };
}

}  // namespace

std::vector<Normaliser> bertNormalisers(const BertOptions& options) {
    std::vector<Normaliser> all;
    if (options.cleansText) all.push_back(cleaned());
    if (options.spacesChinese) all.push_back(chineseSpaced());
    if (options.stripsAccents) {
        all.push_back(unicodeForm(NormalForm::nfd));
        all.push_back(without(isNonSpacingMark));
    }
    if (options.lowercases) all.push_back(lowercase());
    return all;
}

std::vector<Splitter> bertSplitters() {
    return {splitBy(findCharacters(isWhiteSpace), SplitBehaviour::removed),
            splitBy(findCharacters(isBertPunctuation), SplitBehaviour::isolated)};
}

bool isBertPunctuation(char32_t c) {
    const bool ascii = (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
                       (c >= 123 && c <= 126);
    return ascii || isPunctuation(c);
}

}  // namespace headloom
