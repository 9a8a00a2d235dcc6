#include "core/io/shards.h"

#include "core/base/counted.h"
#include "core/io/containers.h"
#include "core/io/content.h"
#include "core/io/shard_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace headloom {

namespace {

namespace fs = std::filesystem;

/// "a, b, c and 4 more".
std::string enumeration(const std::vector<std::string>& names) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return names.size() <= most ? text : fmt::format("{} and {} more", text, names.size() - most);
}

tl::unexpected<Error> refuse(const SourceFile& index, std::string what, std::string remedy) {
    return fail(Error::Kind::badFile, index.name(), std::move(what), std::move(remedy));
}

/// Whether a shard really lies beside the index: in its folder or, where the index is a link itself
/// (as in a cache of downloads), in the folder that it links to.
bool liesBeside(const fs::path& shard, const fs::path& index) {
    std::error_code failure;
    const fs::path real = fs::canonical(shard, failure);
    if (failure) return false;
    const fs::path folder = index.has_parent_path() ? index.parent_path() : fs::path(".");
    const fs::path beside = fs::canonical(folder, failure);
    if (!failure && real.parent_path() == beside) return true;
    const fs::path linked = fs::canonical(index, failure);
    return !failure && real.parent_path() == linked.parent_path();
}

struct Shard {
    std::string name;
    std::vector<std::string> tensors;  ///< that the index looks for in it
};

std::vector<Shard> shardsOf(const ShardIndex& index) {
    std::vector<Shard> shards;
    std::unordered_map<std::string, std::size_t> at;
    for (const auto& [tensor, name] : index.weightMap) {
        const auto [found, isNew] = at.emplace(name, shards.size());
        if (isNew) shards.push_back({name, {}});
        shards[found->second].tensors.push_back(tensor);
    }
    return shards;
}

Result<void> checkAllThere(const SourceFile& index, const std::vector<Shard>& shards) {
    std::vector<std::string> missing;
    std::size_t tensors = 0;
    for (const Shard& shard : shards) {
        const fs::path path = index.path.parent_path() / shard.name;
        std::error_code failure;
        if (!fs::exists(path, failure)) {
            missing.push_back(shard.name);
            tensors += shard.tensors.size();
        } else if (!liesBeside(path, index.path)) {
            return refuse(index,
                          fmt::format("the shard \"{}\" links to another folder", shard.name),
                          "copy the file itself beside the index");
        }
    }
    if (!missing.empty())
        return refuse(index,
                      fmt::format("lacks {} of its {} shards, with {}: {}", missing.size(),
                                  shards.size(), counted(tensors, "tensor"), enumeration(missing)),
                      "download what is missing");
    return {};
}

/// Takes from one shard what the index looks for in it.
Result<void> addShard(const SourceFile& index, const Shard& shard, TensorListing& into,
                      std::size_t& nLeftOut) {
    const auto file = SourceFile::open(index.path.parent_path() / shard.name);
    if (!file) return tl::unexpected(file.error());
    auto listing = listFile(*file);
    if (!listing) return tl::unexpected(listing.error());
    std::unordered_map<std::string_view, const TensorEntry*> byName;
    for (const TensorEntry& entry : listing->entries) byName.emplace(entry.name, &entry);

    std::vector<std::string> missing;
    for (const std::string& tensor : shard.tensors) {
        const auto found = byName.find(tensor);
        if (found == byName.end()) {
            missing.push_back(tensor);
            continue;
        }
        TensorEntry entry = *found->second;
        entry.file = into.files.size();
        into.entries.push_back(std::move(entry));
    }
    if (!missing.empty())
        return refuse(index,
                      fmt::format("\"{}\" lacks {} of the tensors that it should hold: {}",
                                  shard.name, missing.size(), enumeration(missing)),
                      "download that shard and the index again");
    nLeftOut += listing->entries.size() - shard.tensors.size();
    into.format = listing->format;
    into.files.push_back(*file);
    into.metadata.insert(listing->metadata.begin(), listing->metadata.end());
    into.warnings.insert(into.warnings.end(), listing->warnings.begin(), listing->warnings.end());
    return {};
}

std::vector<fs::path> filesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure))
        if (at->is_regular_file(failure)) files.push_back(at->path());
    std::sort(files.begin(), files.end());
    return files;
}

bool isContainer(const fs::path& path) {
    const auto file = SourceFile::open(path);
    return file && contentOf(file->text()) <= Content::llama2c;
}

std::vector<std::string> namesOf(const std::vector<fs::path>& files) {
    std::vector<std::string> names;
    for (const fs::path& file : files) names.push_back(file.filename().string());
    return names;
}

}  // namespace

bool isShardIndex(std::string_view text) {
    return text.find("\"weight_map\"") != std::string_view::npos;
}

Result<TensorListing> listShards(const SourceFile& index) {
    auto parsed = parseShardIndex(index.text(), index.name());
    if (!parsed) return tl::unexpected(parsed.error());
    const std::vector<Shard> shards = shardsOf(*parsed);
    if (shards.empty()) return refuse(index, "names no shards", "download the index again");
    if (auto fine = checkAllThere(index, shards); !fine) return tl::unexpected(fine.error());

    TensorListing listing;
    std::size_t nLeftOut = 0;
    for (const Shard& shard : shards)
        if (auto fine = addShard(index, shard, listing, nLeftOut); !fine)
            return tl::unexpected(fine.error());
    listing.format += ", " + counted(shards.size(), "shard");
    listing.metadata.merge(parsed->metadata);
    if (nLeftOut > 0)
        listing.warnings.push_back(
            fmt::format("left out {} that the shards hold and the index does not name",
                        counted(nLeftOut, "tensor")));
    return listing;
}

Result<fs::path> checkpointInFolder(const fs::path& folder) {
    const std::vector<fs::path> all = filesIn(folder);
    // Each kind of candidate only where the ones before it give none.
    const auto endingIn = [&all](std::string_view ending) {
        std::vector<fs::path> found;
        for (const fs::path& file : all)
            if (file.filename().string().ends_with(ending)) found.push_back(file);
        return found;
    };
    std::vector<fs::path> found = endingIn(".safetensors.index.json");
    if (found.empty()) found = endingIn(".index.json");
    if (found.empty()) found = endingIn(".safetensors");
    if (found.empty()) std::copy_if(all.begin(), all.end(), std::back_inserter(found), isContainer);
    if (found.size() == 1) return found.front();
    if (found.empty())
        return fail(Error::Kind::notFound, folder.string(), "holds no checkpoint",
                    "name a file or a folder with one in it");
    return fail(Error::Kind::badInput, folder.string(),
                fmt::format("holds {} checkpoints: {}", found.size(), enumeration(namesOf(found))),
                "name one of them");
}

}  // namespace headloom
