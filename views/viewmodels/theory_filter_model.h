#pragma once

#include "core/session/filter_training.h"
#include "core/theory/bank_construction.h"
#include "views/viewmodels/latest_job.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace headloom {

/// What is to be trained: a bank, and heads that are too few for it.
struct FilterAsked {
    BankSize size;
    QString graph;  ///< a name of filterGraphNames; empty: another graph, on which nothing trains
    int heads = 1;

    friend bool operator==(const FilterAsked& a, const FilterAsked& b) {
        return a.size.nFilters == b.size.nFilters && a.size.nNodes == b.size.nNodes &&
               a.size.dNode == b.size.dNode && a.graph == b.graph && a.heads == b.heads;
    }
};

/// MHA and IHA with too few heads, trained on the bank of the Theory page by a worker: some seeds
/// each, one after the other. The same numbers as "headloom-cli filter".
class TheoryFilterModel : public QObject {
    Q_OBJECT
  public:
    static constexpr int seeds = 3;
    static constexpr int restarts = 2;  ///< at most, of a run; the same rule for both arms

    /// One run: where it is, or how it ended.
    struct Run {
        bool interleaved = false;
        FilterProgress now;  ///< its seed is that of the attempt
        bool ended = false;
    };

    explicit TheoryFilterModel(QObject* parent = nullptr);

    /// Something else stops the training and drops what it came to.
    void setAsked(const FilterAsked& asked);
    const FilterAsked& asked() const { return asked_; }
    /// The recipe of an arm. Errors: what cannot be trained, as a sentence with a remedy.
    Result<FilterRecipe> recipe(bool interleaved) const;
    /// Why it cannot be trained; empty: it can.
    QString problem() const;

    void train();
    /// What has come so far stays.
    void stop();
    bool busy() const { return job_.busy(); }

    const std::vector<Run>& runs() const { return runs_; }  ///< in the order in which they began
    /// Errors of the arm's runs, ended or not.
    std::vector<double> errors(bool interleaved) const;
    /// What no MHA with these heads goes below, on the samples that the runs are measured on; of
    /// the training that was started last.
    const RankFloor& floor() const { return floor_; }
    /// What may be said of the runs that have ended (verdictOn).
    QString verdict() const;

  signals:
    void changed();
    void failed(const QString& sentence);

  private:
    /// Hands news to the thread of this object; that of an earlier training is dropped there.
    template <class Take>
    void post(std::uint64_t training, Take take);
    void trainAll(std::uint64_t training, const FilterRecipe (&recipes)[2],
                  const LatestJob::Cancelled& cancelled);
    void take(const Run& run, bool isNew);

    FilterAsked asked_;
    std::uint64_t training_ = 0;  ///< counts trainings
    std::vector<Run> runs_;
    RankFloor floor_;
    LatestJob job_;
};

}  // namespace headloom
