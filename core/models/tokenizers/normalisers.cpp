#include "core/models/tokenizers/normalisers.h"

#include "core/models/tokenizers/mapped_text.h"

namespace headloom {

namespace {

tl::expected<AlignedText, std::string> replaceAll(const AlignedText& text,
                                                  const std::vector<Regex::Match>& found,
                                                  const std::string& with) {
    if (!mayGrow(text.size(), found.size() * with.size()))
        return tl::unexpected<std::string>("grows beyond measure in the tokenizer's replacements");
    AlignedText out;
    std::size_t done = 0;
    for (const auto& [begin, end] : found) {
        out.append(text, done, begin);
        out.appendInPlaceOf(text, begin, end, with);
        done = end;
    }
    out.append(text, done, text.size());
    return out;
}

}  // namespace

Normaliser unicodeForm(NormalForm form) {
    return [form](const AlignedText& text) {
        AlignedText out;
        for (std::size_t from = 0; from < text.size();) {
            std::size_t to = from + codePointAt(text.text(), from).length;
            while (to < text.size() && !isNormalisationBoundary(codePointAt(text.text(), to).value))
                to += codePointAt(text.text(), to).length;
            const std::string_view segment = std::string_view(text.text()).substr(from, to - from);
            // most text is ASCII, which every form leaves alone
            const bool plain = segment.size() == 1;
            const std::string made = plain ? std::string(segment) : normalised(segment, form);
            if (made == segment)
                out.append(text, from, to);
            else
                out.appendInPlaceOf(text, from, to, made);
            from = to;
        }
        return out;
    };
}

Normaliser lowercase() {
    return [](const AlignedText& text) {
        return mappedText(text,
                          [&text](char32_t c, std::size_t from, std::size_t to, AlignedText& out) {
                              out.appendInPlaceOf(text, from, to, lowerCase(c));
                          });
    };
}

Normaliser without(bool (*drop)(char32_t)) {
    return [drop](const AlignedText& text) {
        return mappedText(
            text, [&text, drop](char32_t c, std::size_t from, std::size_t to, AlignedText& out) {
                if (!drop(c)) out.append(text, from, to);
            });
    };
}

Normaliser strip(bool left, bool right) {
    return [left, right](const AlignedText& text) {
        std::size_t begin = 0, end = text.size();
        while (left && begin < end && isWhiteSpace(codePointAt(text.text(), begin).value))
            begin += codePointAt(text.text(), begin).length;
        while (right && end > begin && isWhiteSpace(codePointBefore(text.text(), end).value))
            end -= codePointBefore(text.text(), end).length;
        AlignedText out;
        out.append(text, begin, end);
        return out;
    };
}

Normaliser prepend(std::string prefix) {
    return [prefix = std::move(prefix)](const AlignedText& text) {
        if (text.empty()) return text;
        AlignedText out;
        out.appendBeside(text, 0, prefix);
        out.append(text, 0, text.size());
        return out;
    };
}

Normaliser replace(std::string literal, std::string with) {
    return [literal = std::move(literal), with = std::move(with)](const AlignedText& text) {
        std::vector<Regex::Match> found;
        if (literal.empty()) return replaceAll(text, found, with);
        for (std::size_t at = text.text().find(literal); at != std::string::npos;
             at = text.text().find(literal, at + literal.size()))
            found.emplace_back(at, at + literal.size());
        return replaceAll(text, found, with);
    };
}

Normaliser replace(Regex pattern, std::string with) {
    return [pattern = std::move(pattern), with = std::move(with)](
               const AlignedText& text) -> tl::expected<AlignedText, std::string> {
        const auto found = pattern.matches(text.text());
        if (!found) return tl::unexpected(found.error());
        return replaceAll(text, *found, with);
    };
}

}  // namespace headloom
