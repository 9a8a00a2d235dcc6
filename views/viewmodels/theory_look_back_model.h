#pragma once

#include "core/session/look_back.h"
#include "views/viewmodels/latest_job.h"

#include <QStringList>

#include <cstdint>
#include <memory>
#include <vector>

namespace headloom {

/// A map of the chosen example, and what it takes from how far back.
struct LookBackMap {
    QString name;   ///< "M[1,0]", "h1 q0", "h1 q0 k1"; of a mix "1 back"
    Tensor values;  ///< [N, N] float32
    OffsetProfile profile;
    std::vector<double> mixed;  ///< of a mix: the weights of the maps in it; else empty
};

/// An arm as it stands on the page.
struct LookBackColumn {
    QString title;
    bool interleaved = false;
    std::int64_t parameters = 0;
    Score score;                    ///< over the evaluation set
    int nMaps = 0;                  ///< effective maps
    std::vector<OffsetMix> mixes;   ///< of the effective maps, over many examples
    std::vector<LookBackMap> maps;  ///< of the kind in view; empty before the example was read
};

/// What makes pictures of several columns comparable: the largest magnitudes, of a cell in the rows
/// that have a target and of a weight.
struct LookBackScale {
    float cell = 0;
    double weight = 0;
};
LookBackScale scaleOf(const std::vector<LookBackColumn>& columns, const std::vector<int>& rows);

/// "Two heads, four jobs" as it is turned on the Theory page: the trained arms of the look-back
/// bank, read side by side by a worker.
class TheoryLookBackModel : public QObject {
    Q_OBJECT
  public:
    enum class View { effective, queries, tiles, mixes };
    static constexpr int evaluatedExamples = 1000;  ///< as all tables of tasks are measured
    static constexpr int mixedExamples = 100;       ///< that the mixes are fitted on

    explicit TheoryLookBackModel(QObject* parent = nullptr);

    /// Nothing is opened before the first call. What failed is tried again.
    void begin();
    /// In the order of View.
    static QStringList viewNames();
    View view() const { return view_; }
    void setView(View view);
    /// A held-out example, counted from 0.
    int example() const { return example_; }
    void setExample(int example);

    /// Why there is nothing to see; empty: there is, or will be.
    QString problem() const { return problem_; }
    /// Null before the models are open.
    const LookBackArms* arms() const { return opened_ ? &opened_->arms : nullptr; }
    /// Rows of the example that have a target; empty before it was read.
    std::vector<int> rows() const;
    /// The example's tokens; empty before it was read.
    QStringList tokens() const;
    std::vector<LookBackColumn> columns() const;
    /// Maps are signed in the kind in view.
    bool isSigned() const { return view_ == View::effective || view_ == View::mixes; }
    QString verdict() const;
    bool busy() const { return opening_.busy() || reading_.busy(); }

  signals:
    void askedChanged();    ///< view or example
    void openedChanged();   ///< the arms, or the problem
    void exampleChanged();  ///< another example has been read

  private:
    /// What does not depend on the example.
    struct Opened {
        LookBackArms arms;
        std::vector<Evaluation> evaluations;
        std::vector<std::vector<OffsetMix>> mixes;  ///< an arm each
    };
    static Result<Opened> open(Backend& backend, const LatestJob::Cancelled& cancelled);
    void read();
    void fail(const Error& error);
    std::vector<LookBackMap> mapsOf(std::size_t arm) const;

    View view_ = View::effective;
    int example_ = 0;
    QString problem_;
    std::shared_ptr<const Opened> opened_;
    std::vector<ChainRun> runs_;                         ///< an arm each, of the example read last
    std::shared_ptr<Backend> backend_, readingBackend_;  ///< one a thread; null before begin
    LatestJob opening_, reading_;
};

}  // namespace headloom
