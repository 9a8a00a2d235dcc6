#include "tests/fuzz/mutations.h"

#include "core/base/rng.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace headloom::testing {

namespace {

/// In a block of exactly their size, so that the sanitizers see a read behind the end.
void runOn(const FuzzTarget& target, const std::string& bytes) {
    const auto exact = std::make_unique<std::byte[]>(bytes.size());
    std::transform(bytes.begin(), bytes.end(), exact.get(),
                   [](char c) { return static_cast<std::byte>(c); });
    target.run({exact.get(), bytes.size()});
}

std::size_t placeIn(const std::string& bytes, Rng& rng) {
    return rng.below(static_cast<std::uint32_t>(bytes.size()));
}

/// A number at the edge of what fields of 1 to 8 bytes hold.
std::string edgeNumber(Rng& rng) {
    static constexpr std::uint64_t edges[] = {
        0,          1,          0x7f,       0x80,       0xff,       0x7fff, 0xffff,
        0x7fffffff, 0x80000000, 0xffffffff, ~0ull >> 1, 1ull << 63, ~0ull};
    const std::uint64_t number = edges[rng.below(std::size(edges))];
    const std::size_t width = std::size_t{1} << rng.below(4);
    return std::string(reinterpret_cast<const char*>(&number), width);
}

std::string changed(std::string bytes, Rng& rng) {
    for (std::uint32_t edits = 1 + rng.below(3); edits > 0 && !bytes.empty(); --edits) {
        const std::size_t at = placeIn(bytes, rng);
        const std::size_t length = 1 + rng.below(16);
        switch (rng.below(6)) {
            case 0:
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.below(8)));
                break;
            case 2: {
                const std::string number = edgeNumber(rng);
                bytes.replace(at, number.size(), number);
                break;
            }
            case 3:
                bytes.erase(at, length);
                break;
            case 4:
                bytes.insert(at, bytes.substr(at, length));
                break;
            default:
                bytes.replace(at, length, bytes.substr(placeIn(bytes, rng), length));
        }
    }
    return bytes;
}

}  // namespace

int runMutations(const FuzzTarget& target, int count) {
    int runs = 0;
    const auto run = [&](const std::string& bytes) {
        runOn(target, bytes);
        ++runs;
    };
    const std::vector<std::string> seeds = target.seeds();
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        const std::string& seed = seeds[i];
        const std::size_t step = seed.size() / 256 + 1;
        for (std::size_t length = 0; length <= seed.size(); length += step)
            run(seed.substr(0, length));
        Rng rng(1, i);
        for (int n = 0; n < count / static_cast<int>(seeds.size()); ++n) run(changed(seed, rng));
    }
    return runs;
}

}  // namespace headloom::testing
