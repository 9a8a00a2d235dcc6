#include "core/base/rng.h"

#include <cmath>
#include <numbers>

namespace headloom {

Rng::Rng(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

void Rng::refill() {
    const std::uint64_t block = drawn_ / 4;
    std::uint32_t c[4] = {
        static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
        static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)};
    std::uint32_t k0 = static_cast<std::uint32_t>(seed_);
    std::uint32_t k1 = static_cast<std::uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57} * c[2];
        const std::uint32_t next[4] = {
            static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
            static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
        for (int i = 0; i < 4; ++i) c[i] = next[i];
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (int i = 0; i < 4; ++i) block_[i] = c[i];
}

std::uint32_t Rng::bits() {
    if (drawn_ % 4 == 0) refill();
    return block_[drawn_++ % 4];
}

std::uint32_t Rng::below(std::uint32_t n) {
    // Lemire's method: reject the few values that would make some results likelier than others.
    std::uint64_t product = std::uint64_t{bits()} * n;
    if (static_cast<std::uint32_t>(product) < n) {
        const std::uint32_t threshold = -n % n;
        while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{bits()} * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
}

double Rng::uniform() {
    const std::uint64_t high = bits() >> 5, low = bits() >> 6;
    return static_cast<double>((high << 26) | low) * 0x1.0p-53;
}

double Rng::normal() {
    const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

void Rng::seek(std::uint64_t counter) {
    drawn_ = counter;
    if (drawn_ % 4 != 0) refill();
}

}  // namespace headloom
