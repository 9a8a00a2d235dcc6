#include "core/session/blind_guess.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace headloom;

namespace {

/// Two slots: the first answers 0, 0, 0, 1 in turn, the second always 5; one row does not count.
class CountedTask : public Task {
  public:
    CountedTask() { info_.nSlots = 2; }
    const TaskInfo& info() const override { return info_; }
    Example example(Split, std::uint64_t, std::uint64_t index) const override {
        Example made;
        made.inputLength = 2;
        made.targets = {index % 4 == 3 ? 1 : 0, 5, -1, -1};
        return made;
    }
    Result<Example> fromPrompt(const std::vector<int>&) const override { return example({}, 0, 0); }

  private:
    TaskInfo info_;
};

}  // namespace

TEST_CASE("the commonest answer and the entropy of the answers, slot by slot") {
    const BlindGuess guess = blindGuess(CountedTask(), 8);
    CHECK(guess.accuracy == doctest::Approx((0.75 + 1) / 2));
    const double entropy = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
    CHECK(guess.loss == doctest::Approx(entropy / 2));
    CHECK(blindGuess(CountedTask(), 0).accuracy == 0);
}

TEST_CASE("uniform symbols: one in eight, ln 8") {
    // 12 rows of 4 uniform answers an example: 48,000 answers, so within half a per cent
    const auto task = makeTask("look-back-bank").value();
    const BlindGuess guess = blindGuess(*task, 1000);
    CHECK(guess.accuracy == doctest::Approx(0.125).epsilon(0.06));
    CHECK(guess.loss == doctest::Approx(std::log(8.0)).epsilon(0.005));
}
