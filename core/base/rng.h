#pragma once

#include <cstdint>

namespace headloom {

/// Counter-based random numbers: draw number i of stream s under seed k is a pure function of
/// (k, s, i), so sample i of a data set never depends on how many were drawn before it or in what
/// batches. The block function is Philox4x32-10 (Salmon et al., SC 2011), integer arithmetic only:
/// the same bits on every machine.
class Rng {
  public:
    explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);

    /// 32 uniform bits.
    std::uint32_t bits();
    /// Uniform in 0..n-1 without modulo bias; n >= 1.
    std::uint32_t below(std::uint32_t n);
    /// Uniform in [0, 1), 53 bits.
    double uniform();
    /// Standard normal (Box-Muller). Uses the C library's log, cos and sin, so the last bit may
    /// differ between C libraries.
    double normal();

    /// Position in the stream: setting it replays from there.
    std::uint64_t counter() const { return drawn_; }
    void seek(std::uint64_t counter);

  private:
    void refill();

    std::uint64_t seed_;
    std::uint64_t stream_;
    std::uint64_t drawn_ = 0;
    std::uint32_t block_[4] = {};
};

}  // namespace headloom
