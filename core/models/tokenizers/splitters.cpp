#include "core/models/tokenizers/splitters.h"

#include "core/models/tokenizers/unicode.h"

#include <algorithm>
#include <iterator>

namespace headloom {

namespace {

struct Part {
    std::size_t begin, end;
    bool matched;
};

/// The whole piece as matched and unmatched parts.
std::vector<Part> partsOf(std::size_t size, const std::vector<Regex::Match>& matches, bool invert) {
    std::vector<Part> parts;
    std::size_t done = 0;
    for (const auto& [begin, end] : matches) {
        if (begin > done) parts.push_back({done, begin, invert});
        parts.push_back({begin, end, !invert});
        done = end;
    }
    if (done < size) parts.push_back({done, size, invert});
    return parts;
}

std::vector<Part> joined(std::vector<Part> parts, SplitBehaviour behaviour) {
    std::vector<Part> out;
    bool before = false;
    switch (behaviour) {
        case SplitBehaviour::isolated:
            return parts;
        case SplitBehaviour::removed:
            parts.erase(std::remove_if(parts.begin(), parts.end(),
                                       [](const Part& part) { return part.matched; }),
                        parts.end());
            return parts;
        case SplitBehaviour::contiguous:
            for (const Part& part : parts)
                if (!out.empty() && out.back().matched == part.matched)
                    out.back().end = part.end;
                else
                    out.push_back(part);
            return out;
        case SplitBehaviour::mergedWithPrevious:
            for (const Part& part : parts) {
                if (part.matched && !before && !out.empty())
                    out.back().end = part.end;
                else
                    out.push_back(part);
                before = part.matched;
            }
            return out;
        case SplitBehaviour::mergedWithNext:
            std::for_each(parts.rbegin(), parts.rend(), [&](const Part& part) {
                if (part.matched && !before && !out.empty())
                    out.back().begin = part.begin;
                else
                    out.push_back(part);
                before = part.matched;
            });
            std::reverse(out.begin(), out.end());
            return out;
    }
    return parts;
}

std::string_view viewOf(const Pieces& pieces, const Regex::Match& stretch) {
    return std::string_view(pieces.text.text())
        .substr(stretch.first, stretch.second - stretch.first);
}

/// Writes every piece anew; `write(piece, begin, end, out)` appends what becomes of each.
template <class Write>
void rewrite(Pieces& pieces, const Write& write) {
    Pieces out;
    out.atPromptStart = pieces.atPromptStart;
    for (const Regex::Match& stretch : pieces.stretches) {
        const std::size_t begin = out.text.size();
        write(viewOf(pieces, stretch), stretch.first, stretch.second, out.text);
        if (out.text.size() > begin) out.stretches.emplace_back(begin, out.text.size());
    }
    pieces = std::move(out);
}

}  // namespace

Finder findRegex(Regex pattern) {
    return
        [pattern = std::move(pattern)](std::string_view piece) { return pattern.matches(piece); };
}

Finder findLiteral(std::string text) {
    return [text = std::move(text)](std::string_view piece) {
        std::vector<Regex::Match> found;
        if (text.empty()) return found;
        for (std::size_t at = piece.find(text); at != std::string_view::npos;
             at = piece.find(text, at + text.size()))
            found.emplace_back(at, at + text.size());
        return found;
    };
}

Finder findCharacters(std::function<bool(char32_t)> holds) {
    return [holds = std::move(holds)](std::string_view piece) {
        std::vector<Regex::Match> found;
        for (std::size_t at = 0; at < piece.size();) {
            const CodePoint c = codePointAt(piece, at);
            if (holds(c.value)) found.emplace_back(at, at + c.length);
            at += c.length;
        }
        return found;
    };
}

Splitter splitBy(Finder finder, SplitBehaviour behaviour, bool invert) {
    return [finder = std::move(finder), behaviour,
            invert](Pieces& pieces) -> tl::expected<void, std::string> {
        std::vector<Regex::Match> out;
        for (const Regex::Match& stretch : pieces.stretches) {
            const std::string_view piece = viewOf(pieces, stretch);
            const auto matches = finder(piece);
            if (!matches) return tl::unexpected(matches.error());
            for (const Part& part : joined(partsOf(piece.size(), *matches, invert), behaviour))
                out.emplace_back(stretch.first + part.begin, stretch.first + part.end);
        }
        pieces.stretches = std::move(out);
        return {};
    };
}

Splitter prefixSpace() {
    return [](Pieces& pieces) -> tl::expected<void, std::string> {
        const AlignedText before = pieces.text;
        rewrite(pieces, [&before](std::string_view piece, std::size_t begin, std::size_t end,
                                  AlignedText& out) {
            if (!piece.starts_with(' ')) out.appendBeside(before, begin, " ");
            out.append(before, begin, end);
        });
        return {};
    };
}

Splitter metaspace(std::string mark, PrependScheme scheme, bool split) {
    const Splitter cut = splitBy(findLiteral(mark), SplitBehaviour::mergedWithNext);
    return [mark = std::move(mark), scheme, split,
            cut](Pieces& pieces) -> tl::expected<void, std::string> {
        const AlignedText before = pieces.text;
        const bool atPromptStart = pieces.atPromptStart;
        rewrite(pieces, [&](std::string_view piece, std::size_t begin, std::size_t end,
                            AlignedText& out) {
            const bool wanted = scheme == PrependScheme::always ||
                                (scheme == PrependScheme::first && begin == 0 && atPromptStart);
            if (wanted && !piece.starts_with(' ') && !piece.starts_with(mark))
                out.appendBeside(before, begin, mark);
            for (std::size_t at = begin; at < end;) {
                const std::size_t space = std::min(before.text().find(' ', at), end);
                out.append(before, at, space);
                if (space < end) out.appendInPlaceOf(before, space, space + 1, mark);
                at = space + 1;
            }
        });
        if (split) return cut(pieces);
        return {};
    };
}

}  // namespace headloom
