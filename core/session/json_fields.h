#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

// For the files that read and write recipes. A field is written and read by one list of names (a
// visitor over the settings), so that neither can forget one.

namespace headloom {

/// Reads fields where they are present; remembers the first of a wrong type.
struct FieldReader {
    const nlohmann::json& object;
    std::string& wrong;

    template <class T>
    void operator()(const char* name, T& out) {
        const auto found = object.find(name);
        if (found == object.end()) return;
        bool fits;
        if constexpr (std::is_same_v<T, std::string>)
            fits = found->is_string();
        else if constexpr (std::is_same_v<T, double>)
            fits = found->is_number();
        else if constexpr (std::is_same_v<T, std::uint64_t>)
            fits = found->is_number_unsigned();
        else
            fits = found->is_number_integer() && std::abs(found->template get<double>()) < 2e9;
        if (fits)
            out = found->template get<T>();
        else if (wrong.empty())
            wrong = name;
    }
};

/// Writes fields.
struct FieldWriter {
    nlohmann::json& object;

    template <class T>
    void operator()(const char* name, const T& value) {
        object[name] = value;
    }
};

/// The object under `name`, or an empty one.
inline nlohmann::json part(const nlohmann::json& root, const char* name, std::string& wrong) {
    const auto found = root.find(name);
    if (found == root.end()) return nlohmann::json::object();
    if (found->is_object()) return *found;
    if (wrong.empty()) wrong = name;
    return nlohmann::json::object();
}

}  // namespace headloom
