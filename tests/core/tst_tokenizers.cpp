#include "core/models/tokenizer.h"
#include "core/models/vocabulary.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace headloom;

namespace {

/// Ids 0 .. 2 spell "a", " b" and the end; every prompt starts with id 0 unseen.
class ThreeTokens final : public Tokenizer {
  public:
    std::string summary() const override { return "three tokens"; }
    const std::string& idsOnlyReason() const override { return noReason_; }
    int size() const override { return 3; }
    const SpecialIds& special() const override { return special_; }
    const std::vector<int>& implicitStart() const override { return start_; }
    const std::vector<int>& implicitEnd() const override { return end_; }
    Result<std::vector<TokenPiece>> encode(std::string_view prompt, SpecialTokens) const override {
        if (prompt == "?") return fail(Error::Kind::badInput, "prompt", "cannot be read");
        return std::vector<TokenPiece>{{0, 0, 0, true}, {1, 0, prompt.size(), false}};
    }
    std::string text(int id) const override { return id == 0 ? "a" : id == 1 ? " b" : "<end>"; }
    std::string decode(const std::vector<int>& ids) const override {
        return fmt::format("{} ids", ids.size());
    }
    std::vector<bool> wordStarts(const std::vector<int>& ids) const override {
        return std::vector<bool>(ids.size(), true);
    }

  private:
    std::string noReason_;
    SpecialIds special_{0, 2, -1, -1, -1};
    std::vector<int> start_ = {0}, end_;
};

}  // namespace

TEST_CASE("a vocabulary that stands on a tokenizer reads, writes and ends as it does") {
    const Vocabulary vocabulary(std::make_shared<const ThreeTokens>());
    CHECK(vocabulary.size() == 3);
    CHECK(vocabulary.tokens() == std::vector<std::string>{"a", " b", "<end>"});
    CHECK(vocabulary.text(1) == " b");
    CHECK(vocabulary.text(3) == "<3>");
    CHECK(vocabulary.endToken() == 2);
    CHECK(*vocabulary.encode("x") == std::vector<int>{0, 1});
    CHECK(vocabulary.encode("?").error().what == "cannot be read");
    CHECK(vocabulary.decode({0, 1}) == "2 ids");
    // A plain list saved in its place would read prompts by longest match.
    CHECK(vocabulary.toJson().empty());
    CHECK(Vocabulary({"a"}).tokenizer() == nullptr);
    CHECK(vocabulary.tokenizer()->summary() == "three tokens");
}
