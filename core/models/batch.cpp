#include "core/models/batch.h"

#include <algorithm>
#include <cassert>

namespace headloom {

std::int64_t Batch::counted() const {
    const auto values = targets.values<std::int32_t>();
    return std::count_if(values.begin(), values.end(), [](std::int32_t t) { return t >= 0; });
}

Tensor idsOf(const Vocabulary& vocabulary, const std::vector<std::span<const int>>& sequences) {
    const auto batch = static_cast<std::int64_t>(sequences.size());
    const auto rows = static_cast<std::int64_t>(sequences.front().size());
    const std::int64_t sharers = vocabulary.mostSummed();
    const Tensor ids =
        Tensor::host(sharers > 1 ? Shape{batch, rows, sharers} : Shape{batch, rows}, DType::i32);
    std::int32_t* to = ids.data<std::int32_t>();
    for (const std::span<const int> sequence : sequences) {
        assert(static_cast<std::int64_t>(sequence.size()) == rows);
        if (sharers == 1) {
            to = std::copy(sequence.begin(), sequence.end(), to);
            continue;
        }
        for (const int token : sequence) {
            const std::vector<int> parts = vocabulary.parts(token);
            std::fill(std::copy(parts.begin(), parts.end(), to), to + sharers, -1);
            to += sharers;
        }
    }
    return ids;
}

}  // namespace headloom
