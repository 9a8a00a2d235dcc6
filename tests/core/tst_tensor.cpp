#include "core/tensor/tensor.h"

#include <doctest/doctest.h>

using namespace headloom;

TEST_CASE("shape counts, compares and prints") {
    const Shape shape{2, 3, 4};
    CHECK(shape.count() == 24);
    CHECK(shape[-1] == 4);
    CHECK(shape.text() == "[2, 3, 4]");
    CHECK(shape == Shape{2, 3, 4});
    CHECK_FALSE(shape == Shape{2, 3});
    CHECK(Shape{}.count() == 1);
}

TEST_CASE("views share memory, copies do not") {
    const Tensor whole = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor row = whole.at(1), copy = whole.copy();
    CHECK(row.shape() == Shape{3});
    row.data<float>()[0] = 40;
    CHECK(whole.data<float>()[3] == 40);
    CHECK(copy.data<float>()[3] == 4);
    CHECK(whole.slice(1, 1).reshaped({3, 1}).data<float>()[2] == 6);
}

TEST_CASE("cast keeps the values") {
    const Tensor whole = Tensor::of<float>({2}, {1.5f, -2.f});
    CHECK(whole.cast(DType::f64).data<double>()[1] == -2.0);
    CHECK(whole.cast(DType::i32).data<std::int32_t>()[0] == 1);
}
