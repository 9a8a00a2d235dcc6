#include "core/models/tokenizers/bpe.h"

#include "core/base/utf8.h"
#include "core/models/tokenizers/unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace headloom {

namespace {

std::uint64_t pairOf(int left, int right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}

std::string_view textOf(std::string_view piece, const Symbol& symbol) {
    return piece.substr(symbol.begin, symbol.end - symbol.begin);
}

/// The ids of <0x00> .. <0xFF>; -1 where a vocabulary lacks one.
std::array<int, 256> fallbackIds(const TokenTable& table) {
    std::array<int, 256> ids{};
    for (std::size_t byte = 0; byte < ids.size(); ++byte)
        ids[byte] = table.find(fmt::format("<0x{:02X}>", byte));
    return ids;
}

std::vector<Symbol> characterSymbols(std::string_view piece) {
    std::vector<Symbol> symbols;
    symbols.reserve(piece.size());
    for (std::size_t at = 0; at < piece.size();) {
        const std::size_t length = codePointAt(piece, at).length;
        Symbol symbol;
        symbol.begin = static_cast<std::uint32_t>(at);
        symbol.end = static_cast<std::uint32_t>(at + length);
        symbols.push_back(symbol);
        at += length;
    }
    return symbols;
}

}  // namespace

Bpe::Bpe(std::shared_ptr<const TokenTable> table, const BpeOptions& options)
    : table_(std::move(table)), options_(options) {
    if (!options_.onBytes) {
        byteIds_ = fallbackIds(*table_);
        return;
    }
    for (int byte = 0; byte < 256; ++byte) {
        const char spelled = static_cast<char>(byte);
        byteIds_[static_cast<std::size_t>(byte)] = table_->find({&spelled, 1});
    }
}

tl::expected<std::shared_ptr<const Bpe>, std::string> Bpe::of(
    std::shared_ptr<const TokenTable> table, const Merges& merges, const BpeOptions& options) {
    const std::shared_ptr<Bpe> model(new Bpe(std::move(table), options));
    model->merges_.reserve(merges.size());
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const auto& [left, right] = merges[rank];
        const std::string joined = left + right;
        for (const std::string& part : {left, right, joined})
            if (model->table_->find(part) < 0)
                return tl::unexpected(
                    fmt::format("merge {} joins \"{}\" and \"{}\", but \"{}\" is no token", rank,
                                visible(left), visible(right), visible(part)));
        model->merges_[pairOf(model->table_->find(left), model->table_->find(right))] = {
            static_cast<double>(rank), model->table_->find(joined)};
    }
    return model;
}

/// The token or tokens of a character that the vocabulary lacks.
void Bpe::addUnknown(std::string_view piece, const Symbol& symbol,
                     std::vector<Symbol>& symbols) const {
    const std::string_view bytes = textOf(piece, symbol);
    const auto idOf = [this](char byte) { return byteIds_[static_cast<unsigned char>(byte)]; };
    if (options_.byteFallback &&
        std::all_of(bytes.begin(), bytes.end(), [&](char byte) { return idOf(byte) >= 0; })) {
        for (std::uint32_t at = symbol.begin; at < symbol.end; ++at)
            symbols.push_back({idOf(piece[at]), at, at + 1, -1, -1});
        return;
    }
    Symbol unknown = symbol;
    unknown.id = options_.unknown;
    const bool fuses = options_.fuseUnknown && unknown.id >= 0 && !symbols.empty() &&
                       symbols.back().id == unknown.id;
    if (fuses)
        symbols.back().end = symbol.end;
    else
        symbols.push_back(unknown);
}

std::vector<Symbol> Bpe::symbolsOf(std::string_view piece) const {
    std::vector<Symbol> symbols;
    if (options_.onBytes) {
        symbols.reserve(piece.size());
        for (std::uint32_t at = 0; at < piece.size(); ++at) {
            const int id = byteIds_[static_cast<unsigned char>(piece[at])];
            symbols.push_back({id < 0 ? options_.unknown : id, at, at + 1, -1, -1});
        }
        return symbols;
    }
    for (Symbol& symbol : characterSymbols(piece)) {
        symbol.id = table_->find(textOf(piece, symbol));
        if (symbol.id < 0)
            addUnknown(piece, symbol, symbols);
        else
            symbols.push_back(symbol);
    }
    return symbols;
}

void Bpe::encode(std::string_view piece, std::vector<PieceToken>& out) const {
    if (options_.ignoreMerges)
        if (const int whole = table_->find(piece);
            whole >= 0 && (*table_)[whole].kind == TokenEntry::Kind::normal) {
            out.push_back({whole, 0, piece.size()});
            return;
        }
    std::vector<Symbol> symbols = symbolsOf(piece);
    mergeAll(symbols, [this](const Symbol& left, const Symbol& right) -> std::optional<Merge> {
        const auto found = merges_.find(pairOf(left.id, right.id));
        if (found == merges_.end()) return std::nullopt;
        return found->second;
    });
    for (const Symbol& symbol : symbols)
        if (!symbol.isMerged()) out.push_back({symbol.id, symbol.begin, symbol.end});
}

ScoredBpe::ScoredBpe(std::shared_ptr<const TokenTable> table, std::vector<float> scores,
                     int unknown)
    : table_(std::move(table)),
      scores_(std::move(scores)),
      unknown_(unknown),
      byteIds_(fallbackIds(*table_)) {}

/// Special tokens and bytes are never what text joins to.
int ScoredBpe::find(std::string_view text) const {
    const int id = table_->find(text);
    return id >= 0 && (*table_)[id].kind == TokenEntry::Kind::normal ? id : -1;
}

void ScoredBpe::encode(std::string_view piece, std::vector<PieceToken>& out) const {
    std::vector<Symbol> symbols = characterSymbols(piece);
    for (Symbol& symbol : symbols) symbol.id = find(textOf(piece, symbol));
    mergeAll(symbols, [&](const Symbol& left, const Symbol& right) -> std::optional<Merge> {
        const int id = find(piece.substr(left.begin, right.end - left.begin));
        if (id < 0) return std::nullopt;
        return Merge{-static_cast<double>(scores_[static_cast<std::size_t>(id)]), id};
    });
    for (const Symbol& symbol : symbols) {
        if (symbol.isMerged()) continue;
        if (symbol.id >= 0) {
            out.push_back({symbol.id, symbol.begin, symbol.end});
            continue;
        }
        for (std::uint32_t at = symbol.begin; at < symbol.end; ++at) {
            const int byte = byteIds_[static_cast<unsigned char>(piece[at])];
            if (byte < 0) {  // no byte of a vocabulary that lacks one: the character is unknown
                out.push_back({unknown_, symbol.begin, symbol.end});
                break;
            }
            out.push_back({byte, at, at + 1});
        }
    }
}

}  // namespace headloom
