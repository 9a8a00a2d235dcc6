#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// Whether text that spells a special token ("<s>", "[SEP]") means that token.
enum class SpecialTokens { parsed, asText };

/// A token of an encoded prompt.
struct TokenPiece {
    int id = 0;
    /// The bytes [begin, end) of the prompt that it stands for; none of an implicit token. Pieces
    /// of one character share its bytes where the character was rewritten.
    std::size_t begin = 0, end = 0;
    bool implicit = false;  ///< not typed: the tokenizer adds it, as BOS often is
};

/// Ids with a role; -1 where a tokenizer has none.
struct SpecialIds {
    int bos = -1, eos = -1, unk = -1, cls = -1, sep = -1;
};

/// Turns text into the ids that a model was trained on, and back. Immutable: shared between threads
/// as shared_ptr<const Tokenizer>.
class Tokenizer {
  public:
    virtual ~Tokenizer() = default;
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    /// What it is, in words: "byte-level BPE, 50257 tokens".
    virtual std::string summary() const = 0;
    /// Why prompts are read as ids ("1 403 407") instead of text, without a full stop; empty where
    /// text is read.
    virtual const std::string& idsOnlyReason() const = 0;
    /// Ids are 0 .. size() - 1.
    virtual int size() const = 0;
    virtual const SpecialIds& special() const = 0;
    /// What encode puts before and after every prompt: BOS, or CLS and SEP, or nothing.
    virtual const std::vector<int>& implicitStart() const = 0;
    virtual const std::vector<int>& implicitEnd() const = 0;

    /// The implicit tokens and the prompt's own, in order. Error: the prompt is not UTF-8, or has a
    /// character that no token stands for.
    virtual Result<std::vector<TokenPiece>> encode(
        std::string_view prompt, SpecialTokens special = SpecialTokens::parsed) const = 0;

    /// An id as a reader wants to see it: " the" instead of the vocabulary's spelling, bytes that
    /// are not UTF-8 as <0xNN>; "<7>" for an id outside the vocabulary.
    virtual std::string text(int id) const = 0;
    /// The text of a sequence, byte for byte; a character may be made of several ids.
    virtual std::string decode(const std::vector<int>& ids) const = 0;
    /// For each id of a sequence whether a word starts there, so that a view can join the pieces of
    /// a word. Words are what white space and special tokens set apart; decode() of the ids of one
    /// gives its text.
    virtual std::vector<bool> wordStarts(const std::vector<int>& ids) const = 0;

  protected:
    Tokenizer() = default;
};

/// The ids alone.
std::vector<int> idsOf(const std::vector<TokenPiece>& pieces);

}  // namespace headloom
