#pragma once

#include "core/session/sweep_folder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

/// Of one number over seeds.
struct Spread {
    double mean = 0, least = 0, most = 0;
};
/// Of at least one value.
Spread spreadOf(const std::vector<double>& values);

/// The jobs that differ in the seed only.
struct SweepRow {
    std::string group;  ///< SweepJob::group
    int seeds = 0;      ///< wanted
    int measured = 0;   ///< done without a problem; the spreads are over these
    int failed = 0;     ///< done with one
    std::int64_t parameters = 0;
    std::vector<double> exactBySeed;  ///< in the order of the jobs
    Spread exact, accuracy, cpuSeconds, steps;
};

/// A result or none for every job, in the order of the jobs.
using SweepResults = std::vector<std::optional<SweepResult>>;
/// Error: a damaged file.
Result<SweepResults> loadSweep(const std::vector<SweepJob>& jobs, const SweepFolder& folder);

/// One row a group, in the order of the jobs.
std::vector<SweepRow> summarise(const std::vector<SweepJob>& jobs, const SweepResults& results);

/// Comma-separated values (RFC 4180, line feeds): a line of headings, then one for every job that
/// is done. Every key that the grid varies has a column.
std::string sweepCsv(const std::vector<SweepJob>& jobs, const SweepResults& results);

}  // namespace headloom
