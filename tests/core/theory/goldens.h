#pragma once

#include "core/io/safetensors.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace headloom::testing {

/// tests/data/theory/goldens.safetensors, written by tests/oracle/theory.py from a float64 program
/// in another language that shares no code with this one.
class TheoryGoldens {
  public:
    TheoryGoldens()
        : file_(SafetensorsFile::open(HEADLOOM_TEST_DATA "/theory/goldens.safetensors").value()) {}
    Tensor operator[](const std::string& name) const {
        const SafetensorsEntry* entry = file_.find(name);
        REQUIRE_MESSAGE(entry != nullptr, name);
        return file_.read(*entry, DType::f64).value();
    }
    const SafetensorsFile& file() const { return file_; }

  private:
    SafetensorsFile file_;
};

/// Largest difference of two float64 tensors of as many numbers; NaN counts as infinite.
inline double largestDifference(const Tensor& a, const Tensor& b) {
    REQUIRE(a.count() == b.count());
    double largest = 0;
    for (std::int64_t i = 0; i < a.count(); ++i) {
        const double difference = std::abs(a.data<double>()[i] - b.data<double>()[i]);
        largest = std::isnan(difference) ? INFINITY : std::fmax(largest, difference);
    }
    return largest;
}

}  // namespace headloom::testing
