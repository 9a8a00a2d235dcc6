#include "core/session/kept_moments.h"

#include <doctest/doctest.h>

using namespace headloom;

namespace {

using Steps = std::vector<std::int64_t>;

/// A moment of 4 + 8 + 12 bytes.
std::shared_ptr<const LearningMoment> moment(std::int64_t step) {
    auto made = std::make_shared<Checkpoint>();
    made->state.step = step;
    made->state.weights.add("w", Tensor::host({1}, DType::f32));
    made->state.firstMoments.add("w", Tensor::host({2}, DType::f32));
    made->state.secondMoments.add("w", Tensor::host({3}, DType::f32));
    return std::make_shared<const LearningMoment>(std::shared_ptr<const Checkpoint>(made));
}

}  // namespace

TEST_CASE("moments are found by their step and counted in bytes") {
    KeptMoments kept(2, 1000);
    for (const int step : {0, 10, 20}) kept.keep(0, moment(step));
    kept.keep(1, moment(5));
    CHECK(kept.bytes() == 4 * 24);
    CHECK(kept.steps(0) == Steps{0, 10, 20});
    CHECK(kept.steps(1) == Steps{5});
    CHECK(kept.at(0, 10)->step() == 10);
    CHECK(!kept.at(0, 5));
    kept.rewindTo(0, 10);
    CHECK(kept.steps(0) == Steps{0, 10});
    CHECK(kept.bytes() == 3 * 24);
}

TEST_CASE("beyond the bound the closest to their neighbours go, the ends stay") {
    KeptMoments kept(1, 4 * 24);
    for (int step = 0; step <= 80; step += 10) kept.keep(0, moment(step));
    CHECK(kept.bytes() == 4 * 24);
    const Steps steps = kept.steps(0);
    REQUIRE(steps.size() == 4);
    CHECK(steps.front() == 0);
    CHECK(steps.back() == 80);
    // spread out: neither of those between lies beside an end
    CHECK(steps[1] >= 20);
    CHECK(steps[2] <= 70);
}

TEST_CASE("every run keeps its newest moment, however small the bound") {
    KeptMoments kept(2, 1);
    for (int step = 0; step < 5; ++step)
        for (const int run : {0, 1}) kept.keep(run, moment(step));
    CHECK(kept.steps(0) == Steps{4});
    CHECK(kept.steps(1) == Steps{4});
}
