#pragma once

#include "core/base/error.h"
#include "core/io/architectures/architecture_map.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

/// A JSON configuration as one list of values: {"rope": {"theta": 1e4}} is "rope.theta" =
/// "10000.0", a list is "[a, b]", null is left out. Errors: no JSON, not an object, a key twice.
Result<Settings> flattenJson(std::string_view text, const std::string& where);

/// Answers what a checkpoint's configuration says, whoever says it: first the user, then what the
/// architecture is by itself, then the configuration, then the defaults of its type, and last what
/// has to be assumed. Remembers what it had to assume and the first value that is no such thing.
class ConfigValues {
  public:
    ConfigValues(const ArchitectureMap& map, Settings user, Settings stored);

    /// The setting "type", "" where nothing says it.
    const std::string& type() const { return type_; }
    /// The text, and that of a configuration or the user only.
    std::optional<std::string> text(const std::string& setting) const;
    std::optional<std::string> stated(const std::string& setting) const;
    std::optional<double> number(const std::string& setting) const;
    std::optional<std::int64_t> integer(const std::string& setting) const;
    std::optional<bool> boolean(const std::string& setting) const;
    /// The items of "[a, b]"; one value is a list of one.
    std::vector<std::string> list(const std::string& setting) const;

    /// The key that a setting was found under, or its name.
    std::string keyOf(const std::string& setting) const;
    /// Settings that were asked for and had to be assumed, with their values.
    const std::map<std::string, std::string>& assumed() const { return assumed_; }
    const std::optional<Error>& failure() const { return failure_; }

  private:
    std::optional<std::string> storedUnder(const std::string& setting, std::string* key) const;
    void refuse(const std::string& setting, const std::string& value, const char* kind) const;

    const ArchitectureMap& map_;
    Settings user_, stored_;
    std::string type_;
    mutable std::map<std::string, std::string> assumed_;
    mutable std::optional<Error> failure_;
};

}  // namespace headloom
