#include "core/io/wrapper_prefixes.h"

#include <fmt/format.h>

#include <unordered_map>

namespace headloom {

namespace {

constexpr std::string_view compiled = "_orig_mod.";
constexpr std::string_view parallel = "module.";

/// Removes the word where it stands at the start of the name or behind a dot.
bool removeCompiled(std::string& name) {
    for (std::size_t at = 0; (at = name.find(compiled, at)) != std::string::npos; ++at)
        if (at == 0 || name[at - 1] == '.') {
            name.erase(at, compiled.size());
            return true;
        }
    return false;
}

bool removeParallel(std::string& name) {
    if (!name.starts_with(parallel) || name.size() == parallel.size()) return false;
    name.erase(0, parallel.size());
    return true;
}

void report(TensorListing& listing, std::string_view prefix, std::size_t count) {
    if (count > 0)
        listing.warnings.push_back(
            fmt::format("\"{}\" was removed from the name{}", prefix,
                        count == 1 ? " of 1 tensor" : fmt::format("s of {} tensors", count)));
}

}  // namespace

Result<void> removeWrapperPrefixes(TensorListing& listing) {
    std::size_t nCompiled = 0, nParallel = 0;
    std::unordered_map<std::string, std::string> before;
    for (TensorEntry& entry : listing.entries) {
        const std::string written = entry.name;
        bool wasCompiled = false, wasParallel = false;
        for (bool again = true; again;) {
            const bool first = removeCompiled(entry.name), second = removeParallel(entry.name);
            wasCompiled |= first;
            wasParallel |= second;
            again = first || second;
        }
        nCompiled += wasCompiled;
        nParallel += wasParallel;
        const auto [other, isNew] = before.emplace(entry.name, written);
        if (!isNew && other->second != written)
            return fail(Error::Kind::badFile, listing.files[entry.file].name(),
                        fmt::format("\"{}\" and \"{}\" are the same tensor without their prefixes",
                                    other->second, written),
                        "remove one of them from the checkpoint");
    }
    report(listing, compiled, nCompiled);
    report(listing, parallel, nParallel);
    return {};
}

}  // namespace headloom
