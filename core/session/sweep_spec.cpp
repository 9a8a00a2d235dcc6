#include "core/session/sweep_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace headloom {

using json = nlohmann::ordered_json;  // a grid keeps the order it was written in

namespace {

constexpr std::size_t mostJobs = 100000;  // far above what anyone waits for
constexpr std::uint64_t usualSeeds = 3;
constexpr std::string_view taskPrefix = "task.";

tl::unexpected<Error> bad(std::string where, std::string what, std::string remedy) {
    return fail(Error::Kind::badInput, std::move(where), std::move(what), std::move(remedy));
}

/// The error with the part of the specification in front of its place.
tl::unexpected<Error> within(const std::string& part, Error error) {
    error.where = error.where.empty() ? part : part + ", " + error.where;
    return tl::unexpected(std::move(error));
}

Result<void> checkKeys(const json& object, const std::string& part,
                       const std::vector<std::string>& known) {
    for (const auto& item : object.items())
        if (std::find(known.begin(), known.end(), item.key()) == known.end())
            return bad(part, fmt::format("\"{}\" is not a key of it", item.key()),
                       fmt::format("use one of: {}", fmt::join(known, ", ")));
    return {};
}

/// The member, where it is there and of this type.
Result<json> member(const json& object, const char* key, bool (json::*is)() const noexcept,
                    const json& standard, const char* wanted) {
    const auto found = object.find(key);
    if (found == object.end()) return standard;
    if (((*found).*is)()) return *found;
    return bad(key, "is not " + std::string(wanted), "see \"headloom-cli sweep --help\"");
}

std::string textOf(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A setting of a task as text; a list is joined.
std::string settingOf(const json& value) {
    if (!value.is_array()) return textOf(value);
    std::vector<std::string> parts;
    for (const json& part : value) parts.push_back(textOf(part));
    return fmt::format("{}", fmt::join(parts, ","));
}

/// What is told apart in one job: keys to values, of ArmChanges and of the task.
using Point = std::vector<std::pair<std::string, json>>;

/// An arm of the specification.
struct Base {
    std::string arm, name;
    json changes = json::object();
};

Result<Base> baseFrom(const json& entry) {
    Base base;
    if (entry.is_string()) {
        base.arm = base.name = entry.get<std::string>();
        return base;
    }
    if (!entry.is_object()) return bad("base", "an entry is not an arm", "name an arm in quotes");
    if (auto fine = checkKeys(entry, "base", {"arm", "name", "changes"}); !fine)
        return tl::unexpected(fine.error());
    const auto text = &json::is_string;
    const auto arm = member(entry, "arm", text, "", "the id of an arm"),
               name = member(entry, "name", text, "", "a name"),
               changes = member(entry, "changes", &json::is_object, json::object(), "an object");
    for (const auto* part : {&arm, &name, &changes})
        if (!*part) return within("base", part->error());
    base.arm = arm->get<std::string>();
    base.changes = *changes;
    base.name = name->get<std::string>();
    if (!base.name.empty()) return base;
    const auto read = armChangesFromJson(changes->dump());
    if (!read) return within("base", read.error());
    base.name = describe(*read).empty() ? base.arm : base.arm + " " + describe(*read);
    return base;
}

Result<std::vector<Base>> basesFrom(const json& root, const std::string& task) {
    std::vector<Base> bases;
    json list = json::array();
    if (const auto found = root.find("base"); found == root.end())
        for (const ArmInfo& arm : armsOf(task)) list.push_back(arm.id);
    else if (found->is_array())
        list = *found;
    else
        list.push_back(*found);
    for (const json& entry : list) {
        auto base = baseFrom(entry);
        if (!base) return tl::unexpected(base.error());
        bases.push_back(std::move(*base));
    }
    if (bases.empty()) return bad("base", "there is no arm in it", "name at least one arm");
    return bases;
}

Result<std::vector<std::uint64_t>> seedsFrom(const json& root) {
    const json given = root.value("seeds", json(usualSeeds));
    std::vector<std::uint64_t> seeds;
    bool fine = true;
    if (given.is_array()) {
        for (const json& seed : given) {
            fine = fine && seed.is_number_unsigned();
            if (fine) seeds.push_back(seed.get<std::uint64_t>());
        }
    } else {
        fine = given.is_number_unsigned() && given.get<std::uint64_t>() <= mostJobs;
        for (std::uint64_t seed = 0; fine && seed < given.get<std::uint64_t>(); ++seed)
            seeds.push_back(seed);
    }
    if (!fine || seeds.empty())
        return bad("seeds", "it is neither a number of seeds nor a list of them",
                   "write for example 3, or [0, 1, 2]");
    return seeds;
}

/// Every combination of the grid's values; later keys vary faster.
Result<std::vector<Point>> pointsFrom(const json& grid) {
    std::vector<Point> points = {{}};
    for (const auto& item : grid.items()) {
        if (!item.value().is_array() || item.value().empty())
            return bad("grid, " + item.key(), "it is not a list of values",
                       "write for example [2, 4]");
        if (points.size() * item.value().size() > mostJobs)
            return bad("grid", fmt::format("it makes more than {} jobs", mostJobs),
                       "give fewer values, or split the sweep");
        std::vector<Point> crossed;
        for (const Point& point : points)
            for (const json& value : item.value()) {
                crossed.push_back(point);
                crossed.back().emplace_back(item.key(), value);
            }
        points = std::move(crossed);
    }
    return points;
}

bool isOfTask(const std::string& key) {
    return key.starts_with(taskPrefix);
}

/// One combination of an arm and a point, without a seed.
Result<SweepJob> jobOf(const std::string& task, const TaskSettings& common, const json& settings,
                       const Base& base, const Point& point) {
    SweepJob job;
    job.arm = base.name;
    TaskSettings taskSettings = common;
    json changes = settings;
    changes.update(base.changes);
    for (const auto& [key, value] : point) {
        job.changes.emplace_back(key, settingOf(value));
        if (isOfTask(key))
            taskSettings[key.substr(taskPrefix.size())] = settingOf(value);
        else
            changes[key] = value;
    }
    auto recipe = makeRecipe(task, base.arm, 0, taskSettings);
    if (!recipe) return tl::unexpected(recipe.error());
    const auto read = armChangesFromJson(changes.dump());
    if (!read) return tl::unexpected(read.error());
    auto made = changed(std::move(*recipe), *read);
    if (!made) return tl::unexpected(made.error());
    job.recipe = std::move(*made);
    return job;
}

Result<void> applyEvaluate(const json& evaluate, TrainSettings& settings) {
    if (auto fine = checkKeys(evaluate, "evaluate", {"every", "examples", "goal"}); !fine)
        return fine;
    const auto whole = [](const json& value, int least) {
        return value.is_number_integer() && value.get<double>() >= least &&
               value.get<double>() < 1e9;
    };
    const json every = evaluate.value("every", json(settings.evaluateEvery)),
               examples = evaluate.value("examples", json(settings.evaluateExamples)),
               goal = evaluate.value("goal", json(settings.goal));
    if (!whole(every, 0))
        return bad("evaluate, every", "it is not a number of steps",
                   "write for example 100, or 0 for only at the end");
    if (!whole(examples, 1))
        return bad("evaluate, examples", "it is not a number of examples",
                   "write for example 1000");
    if (!goal.is_number() || !(goal.get<double>() >= 0) || goal.get<double>() > 1)
        return bad("evaluate, goal", "it is not a share of whole chains",
                   "write for example 0.99, or 0 for none");
    settings.evaluateEvery = every.get<std::int64_t>();
    settings.evaluateExamples = examples.get<int>();
    settings.goal = goal.get<double>();
    return {};
}

/// A key may be set for all, by an arm, or by the grid, but the grid would hide the others.
Result<void> checkOverlap(const json& grid, const json& settings, const std::vector<Base>& bases) {
    const auto refuse = [](const std::string& key, const std::string& other) {
        return bad("grid, " + key, "it is set in " + other + " as well", "keep one of the two");
    };
    for (const auto& item : grid.items()) {
        if (settings.contains(item.key())) return refuse(item.key(), "settings");
        for (const Base& base : bases)
            if (base.changes.contains(item.key())) return refuse(item.key(), "base " + base.name);
    }
    return {};
}

Result<void> checkDistinct(const std::vector<SweepJob>& jobs) {
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (const auto [first, fresh] = seen.emplace(toJson(jobs[i].recipe), i); !fresh)
            return bad(fmt::format("jobs {} and {}", first->second, i),
                       fmt::format("both are {}", jobs[i].name()), "leave one of them out");
    return {};
}

}  // namespace

std::string SweepJob::group() const {
    std::string text = recipe.task + " " + arm;
    for (const auto& [key, value] : changes) text += fmt::format(" {}={}", key, value);
    return text;
}

std::string SweepJob::name() const {
    return fmt::format("{}, seed {}", group(), recipe.seed);
}

Result<std::vector<SweepJob>> sweepFromJson(std::string_view text) {
    const json root = json::parse(text, nullptr, false);
    if (!root.is_object())
        return bad({}, "it is not a JSON object", "see \"headloom-cli sweep --help\"");
    if (auto fine =
            checkKeys(root, "sweep",
                      {"task", "task_settings", "base", "grid", "settings", "seeds", "evaluate"});
        !fine)
        return tl::unexpected(fine.error());
    const auto object = &json::is_object;
    const auto task = member(root, "task", &json::is_string, "", "the id of a task"),
               taskSettings = member(root, "task_settings", object, json::object(), "an object"),
               grid = member(root, "grid", object, json::object(), "an object"),
               settings = member(root, "settings", object, json::object(), "an object"),
               evaluate = member(root, "evaluate", object, json::object(), "an object");
    for (const auto* part : {&task, &taskSettings, &grid, &settings, &evaluate})
        if (!*part) return tl::unexpected(part->error());
    const std::string id = task->get<std::string>();
    TaskSettings common;
    for (const auto& item : taskSettings->items()) common[item.key()] = settingOf(item.value());
    if (const auto made = makeTask(id, common); !made) return within("task", made.error());
    if (const auto read = armChangesFromJson(settings->dump()); !read)
        return within("settings", read.error());
    const auto bases = basesFrom(root, id);
    if (!bases) return tl::unexpected(bases.error());
    const auto points = pointsFrom(*grid);
    if (!points) return tl::unexpected(points.error());
    for (const auto& item : grid->items())
        if (!isOfTask(item.key()))
            if (const auto read = armChangesFromJson(json{{item.key(), item.value()[0]}}.dump());
                !read)
                return within("grid", read.error());
    if (auto fine = checkOverlap(*grid, *settings, *bases); !fine)
        return tl::unexpected(fine.error());
    const auto seeds = seedsFrom(root);
    if (!seeds) return tl::unexpected(seeds.error());
    if (bases->size() * points->size() > mostJobs / seeds->size())
        return bad("sweep", fmt::format("it makes more than {} jobs", mostJobs),
                   "give fewer values, or split the sweep");

    std::vector<SweepJob> jobs;
    for (const Base& base : *bases)
        for (const Point& point : *points) {
            auto job = jobOf(id, common, *settings, base, point);
            if (!job) {
                SweepJob named;
                named.recipe.task = id;
                named.arm = base.name;
                for (const auto& [key, value] : point)
                    named.changes.emplace_back(key, settingOf(value));
                return within(fmt::format("job {} ({})", jobs.size(), named.group()), job.error());
            }
            if (auto fine = applyEvaluate(*evaluate, job->recipe.settings); !fine)
                return tl::unexpected(fine.error());
            for (const std::uint64_t seed : *seeds) {
                jobs.push_back(*job);
                jobs.back().recipe.seed = seed;
            }
        }
    if (auto fine = checkDistinct(jobs); !fine) return tl::unexpected(fine.error());
    return jobs;
}

}  // namespace headloom
