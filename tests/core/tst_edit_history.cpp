#include "core/session/edit_history.h"

#include <doctest/doctest.h>

using namespace headloom;

namespace {

/// A state that holds `value` in a tensor of `count` numbers.
EditHistory::State state(float value, std::int64_t count = 1) {
    auto made = std::make_shared<ColumnChanges>();
    const Tensor tensor = Tensor::host({count}, DType::f32);
    for (float& one : tensor.values<float>()) one = value;
    made->weights["w"] = tensor;
    return made;
}

float valueOf(const EditHistory::State& state) {
    return state ? state->weights.at("w").data<float>()[0] : 0;
}

}  // namespace

TEST_CASE("undo and redo walk through the named states of each owner") {
    EditHistory history;
    CHECK_FALSE(history.undo());
    history.push("one", 1, state(1));
    history.push("two", 2, state(2));
    history.push("three", 1, state(3));
    CHECK(valueOf(history.stateOf(1)) == 3);
    CHECK(history.undoName() == "three");
    CHECK(history.undo());
    CHECK(valueOf(history.stateOf(1)) == 1);
    CHECK(valueOf(history.stateOf(2)) == 2);
    CHECK(history.redoName() == "three");
    history.jump(0);
    CHECK(history.stateOf(1) == nullptr);
    CHECK_FALSE(history.canUndo());
    history.jump(99);
    CHECK(valueOf(history.stateOf(1)) == 3);
    CHECK_FALSE(history.redo());
}

TEST_CASE("parts switched off are states as well") {
    const auto off = std::make_shared<ColumnChanges>();
    off->cuts = {{ModelPart::ofHead(1, 2), Instead::zero, false, -1}};
    CHECK_FALSE(off->empty());
    EditHistory history;
    history.push("off", 1, off);
    history.push("the same", 1, std::make_shared<ColumnChanges>(*off));
    CHECK(history.entries().size() == 1);
    history.push("on", 1, nullptr);
    CHECK(history.entries().size() == 2);
}

TEST_CASE("an edit takes the place of everything undone") {
    EditHistory history;
    history.push("one", 1, state(1));
    history.push("two", 1, state(2));
    history.undo();
    history.push("same as now", 1, state(1));  // no edit at all, so nothing is lost
    CHECK(history.redoName() == "two");
    history.push("three", 1, state(3));
    CHECK(history.entries().size() == 2);
    CHECK_FALSE(history.canRedo());
}

TEST_CASE("one gesture is one entry, from before it to its last value") {
    EditHistory history;
    history.push("before", 1, state(1));
    for (const float value : {2.0F, 3.0F, 4.0F}) {
        CHECK(valueOf(history.stateBefore(1, 7)) == 1);
        history.push("drag", 1, state(value), 7);
    }
    CHECK(history.entries().size() == 2);
    history.push("drag back to where it began", 1, state(1), 7);
    CHECK(history.entries().size() == 1);
    history.push("drag on", 1, state(5), 7);
    history.push("another drag", 1, state(6), 8);
    CHECK(history.entries().size() == 3);
    history.undo();
    CHECK(valueOf(history.stateOf(1)) == 5);
}

TEST_CASE("an owner that is gone takes its entries with it") {
    EditHistory history;
    history.push("a", 1, state(1));
    history.push("b", 2, state(2));
    history.push("c", 1, state(3));
    history.undo();
    history.forget(1);
    REQUIRE(history.entries().size() == 1);
    CHECK(history.position() == 1);
    CHECK(history.undoName() == "b");
    CHECK(history.stateOf(1) == nullptr);
}

TEST_CASE("the oldest entries are forgotten, and what they did stays") {
    EditHistory few(2);
    for (const float value : {1.0F, 2.0F, 3.0F}) few.push("edit", 1, state(value));
    CHECK(few.entries().size() == 2);
    few.jump(0);
    CHECK(valueOf(few.stateOf(1)) == 1);

    EditHistory small(100, 1000);  // bytes: two tensors of 100 numbers, not three
    for (const float value : {1.0F, 2.0F, 3.0F}) small.push("edit", 1, state(value, 100));
    CHECK(small.entries().size() == 2);
    small.push("too much alone", 1, state(9, 1000));
    CHECK(small.entries().size() == 1);
    CHECK(valueOf(small.stateOf(1)) == 9);
}
