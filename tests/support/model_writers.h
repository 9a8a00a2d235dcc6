#pragma once

#include "tests/support/gguf_quants.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/pickle_writer.h"

#include <map>
#include <string>
#include <vector>

// Whole models in the containers of other programs.

namespace headloom::testing {

/// torch.save of {key: tensor}, every tensor in a storage of its own.
inline std::string stateDict(const NamedTensors& tensors, std::vector<std::string>& storages) {
    std::vector<std::pair<std::string, std::string>> items;
    for (const auto& [name, tensor] : tensors) {
        pickle::TensorSpec spec;
        spec.key = std::to_string(storages.size());
        spec.elements = tensor.count();
        std::int64_t step = tensor.count();
        for (const std::int64_t size : tensor.shape().sizes()) {
            step /= size;
            spec.size.push_back(size);
            spec.stride.push_back(step);
        }
        items.emplace_back(name, pickle::tensor(spec));
        const auto values = tensor.values<float>();
        storages.push_back(bytesOf(std::vector<float>(values.begin(), values.end())));
    }
    return pickle::dict(items);
}
inline std::string torchOf(const NamedTensors& tensors, bool deflate = false) {
    std::vector<std::string> storages;
    const std::string dict = stateDict(tensors, storages);
    return pickle::archive(dict, storages, deflate);
}
/// The same below `key`, beside whole numbers and truths under `settings`.
inline std::string torchContainer(const NamedTensors& tensors, const std::string& key,
                                  const std::string& settings,
                                  const std::map<std::string, int>& values) {
    std::vector<std::string> storages;
    const std::string dict = stateDict(tensors, storages);
    std::vector<std::pair<std::string, std::string>> items;
    for (const auto& [name, value] : values) items.emplace_back(name, pickle::integer(value));
    return pickle::archive(
        pickle::dict({{key, dict}, {settings, pickle::dict(items)}, {"epoch", pickle::integer(3)}}),
        storages);
}

/// One storage with all matrices in it, each as the transpose of how it lies there.
inline std::string torchOfViews(const NamedTensors& tensors) {
    std::vector<std::pair<std::string, std::string>> items;
    std::vector<float> storage;
    std::int64_t elements = 0;
    for (const auto& [name, tensor] : tensors) elements += tensor.count();
    for (const auto& [name, tensor] : tensors) {
        pickle::TensorSpec spec;
        spec.elements = elements;
        spec.offset = static_cast<std::int64_t>(storage.size());
        const float* values = tensor.data<float>();
        const std::int64_t rows = tensor.size(0), columns = tensor.count() / rows;
        for (std::int64_t column = 0; column < columns; ++column)
            for (std::int64_t row = 0; row < rows; ++row)
                storage.push_back(values[row * columns + column]);
        spec.size = {rows};
        spec.stride = {1};
        if (tensor.shape().rank() == 2) {
            spec.size.push_back(columns);
            spec.stride.push_back(rows);
        }
        items.emplace_back(name, pickle::tensor(spec));
    }
    return pickle::archive(pickle::dict(items), {bytesOf(storage)});
}

/// numpy.savez (or savez_compressed), in C's order or Fortran's.
inline std::string npzOf(const NamedTensors& tensors, bool deflate, bool fortran) {
    std::vector<ZipPart> parts;
    for (const auto& [name, tensor] : tensors) {
        std::string shape = "(", data;
        for (const std::int64_t size : tensor.shape().sizes()) shape += std::to_string(size) + ", ";
        const bool turned = fortran && tensor.shape().rank() == 2;
        const std::int64_t rows = turned ? tensor.size(0) : 1, columns = tensor.count() / rows;
        for (std::int64_t column = 0; column < columns; ++column)
            for (std::int64_t row = 0; row < rows; ++row)
                data += bytesOf(tensor.data<float>()[row * columns + column]);
        parts.push_back({name + ".npy", npyOf("<f4", shape + ")", data, turned), deflate});
    }
    return zipOf(parts);
}

/// Sizes of a Llama as llama2.c's headers have them.
struct LlamaSizes {
    std::int32_t dim = 0, hidden = 0, layers = 0, heads = 0, kvHeads = 0, vocab = 0, context = 0;
};

/// int8 in groups of `group`, then the groups' scales.
inline Rounded int8Groups(const Tensor& tensor, std::int64_t group) {
    Rounded made;
    std::string scales;
    for (std::int64_t first = 0; first < tensor.count(); first += group) {
        const float* values = tensor.data<float>() + first;
        float largest = 0;
        for (std::int64_t i = 0; i < group; ++i) largest = std::max(largest, std::abs(values[i]));
        const float scale = largest / 127;
        scales += bytesOf(scale);
        for (std::int64_t i = 0; i < group; ++i) {
            const long q = largest == 0 ? 0 : std::lround(values[i] / scale);
            made.bytes += static_cast<char>(q);
            made.values.push_back(static_cast<float>(q) * scale);
        }
    }
    made.bytes += scales;
    return made;
}

/// llama2.c's file of tensors under Meta's names, tied; `group` is that of version 2. What it holds
/// goes into `stored`.
inline std::string llama2cOf(const NamedTensors& tensors, const LlamaSizes& sizes, int version,
                             std::int64_t group, NamedTensors& stored) {
    std::vector<std::string> order;
    const auto one = [&](const std::string& name) { order.push_back(name + ".weight"); };
    const auto all = [&](const std::string& name) {
        for (int layer = 0; layer < sizes.layers; ++layer)
            one("layers." + std::to_string(layer) + "." + name);
    };
    const auto each = [&](const std::vector<std::string>& names) {
        for (const std::string& name : names) all(name);
    };
    const std::vector<std::string> attention = {"attention.wq", "attention.wk", "attention.wv",
                                                "attention.wo"};
    if (version == 0) {
        one("tok_embeddings");
        all("attention_norm");
        each(attention);
        all("ffn_norm");
    } else {
        each({"attention_norm", "ffn_norm"});
        one("norm");
        one("tok_embeddings");
        each(attention);
    }
    each({"feed_forward.w1", "feed_forward.w2", "feed_forward.w3"});
    if (version == 0) one("norm");

    std::string out = version == 0 ? "" : "24ka" + bytesOf(static_cast<std::int32_t>(version));
    out += bytesOf(sizes);
    if (version > 0) {
        out += '\1';  // the classifier is shared
        if (version == 2) out += bytesOf(static_cast<std::int32_t>(group));
        out.resize(256, '\0');
    }
    const std::map<std::string, Tensor> byName(tensors.begin(), tensors.end());
    for (const std::string& name : order) {
        const Tensor& tensor = byName.at(name);
        const bool whole = version < 2 || tensor.shape().rank() < 2;
        const Rounded made = whole ? rounded(StoredType::f32, tensor) : int8Groups(tensor, group);
        out += made.bytes;
        stored.emplace_back(name, Tensor::of<float>(tensor.shape(), made.values));
    }
    if (version == 0)  // the cosines and sines of RoPE
        out += std::string(static_cast<std::size_t>(sizes.context * sizes.dim / sizes.heads) * 4,
                           '\0');
    return out;
}

/// What a GGUF file says of the model, and how its matrices are stored.
struct GgufModel {
    std::string architecture;
    std::map<std::string, std::uint32_t> sizes;  ///< keys without the architecture
    std::map<std::string, float> numbers;
    std::uint32_t version = 3;
    StoredType type = StoredType::f32;  ///< of matrices whose rows are whole blocks
};

inline bool becomes(const GgufModel& model, const Tensor& tensor) {
    return tensor.shape().rank() == 2 &&
           static_cast<std::uint64_t>(tensor.size(1)) % blockOf(model.type).elements == 0;
}
/// The tensors as the file has them, decoded.
inline NamedTensors asStored(const GgufModel& model, const NamedTensors& tensors) {
    NamedTensors made;
    for (const auto& [name, tensor] : tensors) {
        Tensor copy = tensor.copy();
        const auto values = rounded(becomes(model, tensor) ? model.type : StoredType::f32, tensor);
        std::copy(values.values.begin(), values.values.end(), copy.values<float>().begin());
        made.emplace_back(name, copy);
    }
    return made;
}

inline std::string ggufOf(const GgufModel& model, const NamedTensors& tensors) {
    const std::map<StoredType, std::uint32_t> numbers = {
        {StoredType::f32, 0},  {StoredType::f16, 1},  {StoredType::q4_0, 2},
        {StoredType::q4_1, 3}, {StoredType::q5_0, 6}, {StoredType::q5_1, 7},
        {StoredType::q8_0, 8}, {StoredType::bf16, 30}};
    GgufWriter file;
    file.header(model.version, tensors.size(), 1 + model.sizes.size() + model.numbers.size());
    file.key("general.architecture", model.architecture);
    for (const auto& [key, value] : model.sizes) file.key(model.architecture + "." + key, value);
    for (const auto& [key, value] : model.numbers)
        file.text(model.architecture + "." + key).number<std::uint32_t>(6).number(value);
    std::string data;
    for (const auto& [name, tensor] : tensors) {
        const StoredType type = becomes(model, tensor) ? model.type : StoredType::f32;
        std::vector<std::uint64_t> dims;
        for (int axis = tensor.shape().rank(); axis-- > 0;)
            dims.push_back(static_cast<std::uint64_t>(tensor.size(axis)));
        file.tensor(name, dims, numbers.at(type), data.size());
        data += rounded(type, tensor).bytes;
        data.resize((data.size() + 31) / 32 * 32);
    }
    return file.pad().bytes + data;
}

}  // namespace headloom::testing
