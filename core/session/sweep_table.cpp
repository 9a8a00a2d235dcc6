#include "core/session/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace headloom {

namespace {

/// A cell, in quotes where it has to be.
std::string cell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

Spread spreadOf(const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {sum / static_cast<double>(values.size()), *least, *most};
}

Result<SweepResults> loadSweep(const std::vector<SweepJob>& jobs, const SweepFolder& folder) {
    SweepResults results;
    for (const SweepJob& job : jobs) {
        auto result = folder.load(job);
        if (!result) return tl::unexpected(result.error());
        results.push_back(std::move(*result));
    }
    return results;
}

std::vector<SweepRow> summarise(const std::vector<SweepJob>& jobs, const SweepResults& results) {
    struct Values {
        std::vector<double> exact, accuracy, cpuSeconds, steps;
    };
    std::vector<SweepRow> rows;
    std::vector<Values> values;
    std::map<std::string, std::size_t> rowOf;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto [at, fresh] = rowOf.emplace(jobs[i].group(), rows.size());
        if (fresh) {
            rows.emplace_back().group = at->first;
            values.emplace_back();
        }
        SweepRow& row = rows[at->second];
        ++row.seeds;
        if (!results[i]) continue;
        row.parameters = results[i]->parameters;
        if (!results[i]->problem.empty()) {
            ++row.failed;
            continue;
        }
        const Measured& measured = *results[i]->recipe.measured;
        ++row.measured;
        values[at->second].exact.push_back(measured.exact);
        values[at->second].accuracy.push_back(measured.accuracy);
        values[at->second].cpuSeconds.push_back(measured.cpuSeconds);
        values[at->second].steps.push_back(static_cast<double>(measured.steps));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].measured == 0) continue;
        rows[i].exact = spreadOf(values[i].exact);
        rows[i].accuracy = spreadOf(values[i].accuracy);
        rows[i].cpuSeconds = spreadOf(values[i].cpuSeconds);
        rows[i].steps = spreadOf(values[i].steps);
        rows[i].exactBySeed = std::move(values[i].exact);
    }
    return rows;
}

std::string sweepCsv(const std::vector<SweepJob>& jobs, const SweepResults& results) {
    std::vector<std::string> keys;
    for (const SweepJob& job : jobs)
        for (const auto& change : job.changes)
            if (std::find(keys.begin(), keys.end(), change.first) == keys.end())
                keys.push_back(change.first);
    std::string csv = "job,task,arm";
    for (const std::string& key : keys) csv += "," + cell(key);
    csv +=
        ",seed,parameters,steps_done,goal_reached,examples,exact,accuracy,seconds,cpu_seconds,"
        "backend,threads,problem\n";
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (!results[i]) continue;
        const SweepResult& result = *results[i];
        const SweepJob& job = jobs[i];
        csv += fmt::format("{},{},{}", i, cell(job.recipe.task), cell(job.arm));
        for (const std::string& key : keys) {
            const auto found = std::find_if(job.changes.begin(), job.changes.end(),
                                            [&](const auto& one) { return one.first == key; });
            csv += "," + (found == job.changes.end() ? std::string() : cell(found->second));
        }
        csv += fmt::format(",{},{}", job.recipe.seed, result.parameters);
        if (const auto& measured = result.recipe.measured; measured && result.problem.empty())
            csv += fmt::format(",{},{},{},{},{},{:.3f},{:.3f},{},{},\n", measured->steps,
                               result.goalReached ? "true" : "false", measured->examples,
                               measured->exact, measured->accuracy, measured->seconds,
                               measured->cpuSeconds, cell(measured->backend), measured->threads);
        else
            csv += fmt::format(",,,,,,,,,,{}\n", cell(result.problem));
    }
    return csv;
}

}  // namespace headloom
