#include "core/io/own_files.h"

#include <fmt/format.h>

namespace headloom {

std::string metadataOf(const SafetensorsFile& file, const char* key) {
    const auto found = file.metadata().find(key);
    return found == file.metadata().end() ? std::string() : found->second;
}

Result<void> checkAlphaOrder(const SafetensorsFile& file) {
    if (metadataOf(file, "iha.alpha_order") == ownAlphaOrder) return {};
    return fail(
        Error::Kind::badFile, file.path().string(),
        fmt::format("does not say that its alphas are ordered {} (iha.alpha_order)", ownAlphaOrder),
        "save it again with that order stated");
}

Error inFile(const std::string& file, Error error) {
    error.kind = Error::Kind::badFile;
    error.where = error.where.empty() ? file : file + ", " + error.where;
    return error;
}

}  // namespace headloom
