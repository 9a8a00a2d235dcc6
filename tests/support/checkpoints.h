#pragma once

#include "core/io/atomic_file.h"
#include "core/io/tensor_source.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Checkpoints as other programs write them.

namespace headloom::testing {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// A file below $HEADLOOM_FIXTURES; none, with a message, where that is not set.
inline std::optional<std::filesystem::path> fixture(const std::string& name) {
    const char* folder = std::getenv("HEADLOOM_FIXTURES");
    if (!folder) {
        MESSAGE("skipped: HEADLOOM_FIXTURES is not set");
        return std::nullopt;
    }
    return std::filesystem::path(folder) / name;
}

/// The nearest binary16 of a normal number that has one; smaller ones become 0.
inline std::uint16_t halfFrom(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
    const std::uint32_t rounded = (bits & 0x7fffffff) + 0xfff + (bits >> 13 & 1);
    if (rounded < 0x38800000) return sign;
    return static_cast<std::uint16_t>(sign | (rounded - 0x38000000) >> 13);
}
/// The nearest bfloat16.
inline std::uint16_t bfloatFrom(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// float32 tensors as the bytes of a safetensors file of type F32, F16 or BF16.
inline std::string safetensorsOf(const NamedTensors& tensors, const std::string& type = "F32") {
    std::string header = "{", data;
    for (const auto& [name, tensor] : tensors) {
        const std::size_t begin = data.size();
        for (const float value : tensor.values<float>()) {
            char bytes[4];
            const std::uint16_t half = type == "F16" ? halfFrom(value) : bfloatFrom(value);
            if (type == "F32")
                std::memcpy(bytes, &value, 4);
            else
                std::memcpy(bytes, &half, 2);
            data.append(bytes, type == "F32" ? 4 : 2);
        }
        header += (header.size() > 1 ? "," : "") + ("\"" + name) + "\":{\"dtype\":\"" + type +
                  "\",\"shape\":[";
        for (int axis = 0; axis < tensor.shape().rank(); ++axis)
            header += (axis > 0 ? "," : "") + std::to_string(tensor.size(axis));
        header += "],\"data_offsets\":[" + std::to_string(begin) + "," +
                  std::to_string(data.size()) + "]}";
    }
    header += "}";
    const std::uint64_t length = header.size();
    std::string file(8, '\0');
    std::memcpy(file.data(), &length, 8);
    return file + header + data;
}

/// The tensors of a source under other names: `rename` gives the name, empty to leave one out.
template <class Rename>
NamedTensors renamed(const TensorSource& source, Rename rename) {
    NamedTensors made;
    for (const TensorEntry& entry : source.entries())
        if (const std::string name = rename(entry.name); !name.empty())
            made.emplace_back(name, source.read(entry, DType::f32).value());
    return made;
}

/// A tensor of Meta's Llama as Hugging Face names it.
inline std::string hfName(std::string name) {
    const auto replace = [&](const std::string& from, const std::string& to) {
        if (const auto at = name.find(from); at != std::string::npos)
            name.replace(at, from.size(), to);
    };
    replace("tok_embeddings", "embed_tokens");
    replace("attention_norm", "input_layernorm");
    replace("ffn_norm", "post_attention_layernorm");
    for (const char* which : {"q", "k", "v", "o"})
        replace(std::string("attention.w") + which, std::string("self_attn.") + which + "_proj");
    replace("feed_forward.w1", "mlp.gate_proj");
    replace("feed_forward.w2", "mlp.down_proj");
    replace("feed_forward.w3", "mlp.up_proj");
    return name.starts_with("output") ? "lm_head.weight" : "model." + name;
}

/// Rows of a [H*d, D] matrix as Hugging Face's conversion orders them: of every head first the even
/// ones, then the odd ones.
inline Tensor evenRowsFirst(const Tensor& matrix, std::int64_t heads) {
    const Tensor made = Tensor::host(matrix.shape(), DType::f32);
    const std::int64_t d = matrix.size(0) / heads, width = matrix.size(1);
    for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t row = 0; row < d; ++row)
            std::memcpy(made.data<float>() + (h * d + row / 2 + (row % 2) * (d / 2)) * width,
                        matrix.data<float>() + (h * d + row) * width,
                        static_cast<std::size_t>(width) * sizeof(float));
    return made;
}

}  // namespace headloom::testing
