#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headloom {

/// Text under rewriting that remembers, byte by byte, which bytes of the prompt it came from.
class AlignedText {
  public:
    AlignedText() = default;
    /// A stretch of the prompt that begins at `begin`.
    AlignedText(std::string_view text, std::size_t begin);

    const std::string& text() const { return text_; }
    std::size_t size() const { return text_.size(); }
    bool empty() const { return text_.empty(); }
    /// The prompt's bytes behind bytes [from, to) of the text; from < to.
    std::size_t promptBegin(std::size_t from) const { return begin_[from]; }
    std::size_t promptEnd(std::size_t to) const { return end_[to - 1]; }

    /// Appends bytes [from, to) of another text as they are.
    void append(const AlignedText& other, std::size_t from, std::size_t to);
    /// Appends `text` in the place of bytes [from, to) of another text, from < to.
    void appendInPlaceOf(const AlignedText& other, std::size_t from, std::size_t to,
                         std::string_view text);
    /// Appends `text` that nobody typed; it counts as the character of another text that begins at
    /// `at` (as in huggingface/tokenizers), or as the last one.
    void appendBeside(const AlignedText& other, std::size_t at, std::string_view text);

  private:
    std::string text_;
    std::vector<std::uint32_t> begin_, end_;
};

/// The longest prompt that is read, in bytes: offsets are kept in 32 bits.
constexpr std::size_t longestPrompt = std::size_t{1} << 31;

/// Whether a text may grow that much while it is rewritten. NFKC makes eleven bytes of one at most;
/// a file that asks for more only wants memory.
bool mayGrow(std::size_t before, std::size_t after);

}  // namespace headloom
