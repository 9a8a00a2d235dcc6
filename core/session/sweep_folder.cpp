#include "core/session/sweep_folder.h"

#include "core/io/atomic_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>

namespace headloom {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t longestStem = 120;  // a file name has room for 255 bytes

/// FNV-1a, 64 bits.
std::uint64_t hashOf(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

/// "four-witnesses-iha-heads-4-seed-0-1f2e3d4c5b6a7988": letters that every file system takes.
std::string stemOf(const SweepJob& job) {
    std::string stem;
    for (const char c : job.name())
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '.')
            stem += c;
        else if (!stem.empty() && stem.back() != '-')
            stem += '-';
    return fmt::format("{}-{:016x}", stem.substr(0, longestStem), hashOf(toJson(job.recipe)));
}

tl::unexpected<Error> notAResult(const fs::path& file) {
    return fail(Error::Kind::badFile, file.string(), "is not the result of this job",
                "delete it and run the job again");
}

}  // namespace

std::string sweepLine(const SweepJob& job, const SweepResult& result) {
    json changes = json::object();
    for (const auto& [key, value] : job.changes) changes[key] = value;
    json line = {{"job", job.name()},
                 {"arm", job.arm},
                 {"changes", changes},
                 {"seed", job.recipe.seed},
                 {"parameters", result.parameters}};
    if (!result.problem.empty())
        line["problem"] = result.problem;
    else
        line["goal_reached"] = result.goalReached;
    line["recipe"] = json::parse(toJson(result.recipe));
    return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<SweepFolder> SweepFolder::open(const fs::path& path) {
    std::error_code failed;
    fs::create_directories(path, failed);
    if (failed || !fs::is_directory(path, failed))
        return fail(Error::Kind::ioFailure, path.string(),
                    fmt::format("the folder cannot be created ({})",
                                failed ? failed.message() : "there is a file of that name"),
                    "name another one with --out");
    return SweepFolder(path);
}

fs::path SweepFolder::resultFile(const SweepJob& job) const {
    return path_ / (stemOf(job) + ".json");
}

fs::path SweepFolder::checkpointFile(const SweepJob& job) const {
    return path_ / (stemOf(job) + ".checkpoint");
}

bool SweepFolder::done(const SweepJob& job) const {
    std::error_code ignored;
    return fs::exists(resultFile(job), ignored);
}

bool SweepFolder::begun(const SweepJob& job) const {
    std::error_code ignored;
    return fs::exists(checkpointFile(job), ignored);
}

Result<std::optional<SweepResult>> SweepFolder::load(const SweepJob& job) const {
    if (!done(job)) return std::nullopt;
    const fs::path file = resultFile(job);
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const json line = json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("recipe")) return notAResult(file);
    auto recipe = recipeFromJson(line["recipe"].dump());
    if (!recipe) return notAResult(file);
    SweepResult result;
    result.recipe = std::move(*recipe);
    const auto parameters = line.find("parameters"), goal = line.find("goal_reached"),
               problem = line.find("problem");
    if (parameters == line.end() || !parameters->is_number_unsigned()) return notAResult(file);
    result.parameters = parameters->get<std::int64_t>();
    result.goalReached = goal != line.end() && goal->is_boolean() && goal->get<bool>();
    if (problem != line.end() && problem->is_string()) result.problem = problem->get<std::string>();
    if (result.problem.empty() && !result.recipe.measured) return notAResult(file);
    return result;
}

Result<void> SweepFolder::save(const SweepJob& job, const SweepResult& result) const {
    if (auto saved = writeFileAtomically(resultFile(job), sweepLine(job, result) + "\n"); !saved)
        return saved;
    std::error_code ignored;
    fs::remove(checkpointFile(job), ignored);
    return {};
}

}  // namespace headloom
