#pragma once

#include "core/io/tensor_source.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace headloom::testing {

using Numbers = std::vector<double>;

inline SourceFile sourceFile(std::string bytes, const std::string& name = "f") {
    const auto kept = std::make_shared<const std::string>(std::move(bytes));
    return {name, std::as_bytes(std::span(*kept)), kept};
}
inline std::shared_ptr<const TensorSource> opened(std::string bytes,
                                                  const std::string& name = "f") {
    const auto source = openTensorSource(sourceFile(std::move(bytes), name));
    if (!source) throw std::runtime_error(source.error().sentence());
    return *source;
}
/// Why it does not open, or why a tensor in it cannot be read; empty where everything can.
inline std::string refusalOf(std::string bytes) {
    const auto source = openTensorSource(sourceFile(std::move(bytes)));
    if (!source) return source.error().sentence();
    for (const TensorEntry& entry : (*source)->entries())
        if (const auto tensor = (*source)->read(entry, DType::f32); !tensor)
            return tensor.error().sentence();
    return {};
}
inline Numbers numbersOf(const TensorSource& source, const char* name) {
    const TensorEntry* entry = source.find(name);
    if (!entry) throw std::runtime_error(std::string("no tensor ") + name);
    const auto tensor = source.read(*entry, DType::f64);
    if (!tensor) throw std::runtime_error(tensor.error().sentence());
    return {tensor->values<double>().begin(), tensor->values<double>().end()};
}
inline std::vector<std::string> namesOf(const TensorSource& source) {
    std::vector<std::string> names;
    for (const TensorEntry& entry : source.entries()) names.push_back(entry.name);
    return names;
}

/// A real file, or an empty path where HEADLOOM_FIXTURES is not set.
inline std::string fixture(const std::string& name) {
    const char* folder = std::getenv("HEADLOOM_FIXTURES");
    return folder ? std::string(folder) + "/" + name : std::string();
}

}  // namespace headloom::testing
