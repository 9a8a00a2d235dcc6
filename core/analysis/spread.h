#pragma once

#include <limits>

namespace headloom {

/// Mean and spread of numbers that come one at a time. Welford's sums (1962) are those of
/// differences from the mean so far, so that a small spread about a large mean is not lost. The
/// order decides the last bits: the same numbers in the same order give the same answers.
class Spread {
  public:
    /// What is not finite is left out: there is no such number.
    void add(double value);

    int count() const { return count_; }
    /// NaN without any number.
    double mean() const { return count_ > 0 ? mean_ : none; }
    double least() const { return count_ > 0 ? least_ : none; }
    double most() const { return count_ > 0 ? most_ : none; }
    /// Standard deviation of a sample: divided by count - 1. NaN below two numbers.
    double deviation() const;

    friend bool operator==(const Spread&, const Spread&) = default;

  private:
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();

    int count_ = 0;
    double mean_ = 0, squares_ = 0, least_ = 0, most_ = 0;
};

}  // namespace headloom
