#pragma once

#include "tests/support/archive_writers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headloom::testing {

/// A llama2.c checkpoint: dim 8, hidden 12, 2 layers, 4 heads over 2 kv heads, vocabulary 6,
/// context 3. Weight i of each tensor is `value(tensor, i)`, tensors counted in file order.
struct Llama2cModel {
    bool tied = true;
    std::int32_t groupSize = 4;  ///< of version 2

    static constexpr std::int32_t dim = 8, hidden = 12, layers = 2, heads = 4, kvHeads = 2,
                                  vocab = 6, context = 3, kvDim = 4;

    /// Small whole numbers, which int8 holds exactly with a scale of 1.
    static float value(int tensor, int i) {
        return static_cast<float>((tensor * 7 + i) % 100 - 50);
    }

    std::string version0() const {
        std::string out = header(tied ? vocab : -vocab);
        int tensor = 0;
        const auto add = [&](int count, int times = 1) {
            for (int i = 0; i < times; ++i) out += floats(tensor++, count);
        };
        add(vocab * dim);
        add(dim, layers);          // attention norms
        add(dim * dim, layers);    // wq
        add(kvDim * dim, layers);  // wk
        add(kvDim * dim, layers);  // wv
        add(dim * dim, layers);    // wo
        add(dim, layers);          // ffn norms
        add(hidden * dim, layers);
        add(dim * hidden, layers);
        add(hidden * dim, layers);
        add(dim);  // final norm
        out += std::string(context * (dim / heads) * sizeof(float), '\x7f');
        if (!tied) add(vocab * dim);
        return out;
    }
    /// Versions 1 and 2, which quantises all but the norms.
    std::string later(std::int32_t version) const {
        std::string out = "24ka" + bytesOf(version) + header(vocab) + std::string(1, tied ? 1 : 0);
        if (version == 2) out += bytesOf(groupSize);
        out.resize(256, '\0');
        int tensor = 0;
        const auto add = [&](int count, int times = 1) {
            for (int i = 0; i < times; ++i, ++tensor)
                out += version == 2 ? groups(tensor, count) : floats(tensor, count);
        };
        for (int norm = 0; norm < 2 * layers + 1; ++norm) out += floats(tensor++, dim);
        add(vocab * dim);
        add(dim * dim, layers);
        add(kvDim * dim, layers);
        add(kvDim * dim, layers);
        add(dim * dim, layers);
        add(hidden * dim, layers);
        add(dim * hidden, layers);
        add(hidden * dim, layers);
        if (!tied) add(vocab * dim);
        return out;
    }

  private:
    static std::string header(std::int32_t vocabulary) {
        return bytesOf(
            std::vector<std::int32_t>{dim, hidden, layers, heads, kvHeads, vocabulary, context});
    }
    static std::string floats(int tensor, int count) {
        std::vector<float> values;
        for (int i = 0; i < count; ++i) values.push_back(value(tensor, i));
        return bytesOf(values);
    }
    std::string groups(int tensor, int count) const {
        std::string out;
        for (int i = 0; i < count; ++i)
            out += static_cast<char>(static_cast<std::int8_t>(value(tensor, i)));
        return out + bytesOf(std::vector<float>(static_cast<std::size_t>(count / groupSize), 1.0f));
    }
};

}  // namespace headloom::testing
