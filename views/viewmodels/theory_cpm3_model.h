#pragma once

#include "core/theory/cpm3_construction.h"
#include "views/viewmodels/constructed_tile.h"
#include "views/viewmodels/latest_job.h"

#include <QString>

#include <memory>
#include <vector>

namespace headloom {

/// What the CPM-3 constructions do, one after the other.
enum class Cpm3Stage {
    shift,      ///< attention: every head, or tile, looks so many tokens on
    workspace,  ///< what the heads bring together: every row lists all symbols
    count       ///< the MLP: which ordered pairs of a row make a sum divisible by M
};

/// CPM-3 as it is turned on the Theory page: what is asked for, and what a worker has made of it.
class TheoryCpm3Model : public QObject {
    Q_OBJECT
  public:
    explicit TheoryCpm3Model(QObject* parent = nullptr);

    /// Nothing is worked out before the first call.
    void begin();
    /// Of MHA (the fewest known) or IHA for so many tokens.
    static int headsFor(int nTokens, bool interleaved);
    const Cpm3Task& task() const { return task_; }
    /// The sequence as it was typed.
    QString sequence() const { return text_; }
    void setSequence(const QString& text);
    /// Cuts the sequence off, or lets it go on with the digits of pi.
    void setTokens(int count);
    void setG(int g);
    void setM(int m);

    Cpm3Stage stage() const { return stage_; }
    void setStage(Cpm3Stage stage);
    /// The row that is looked at.
    int token() const { return token_; }
    void setToken(int token);
    /// On to the next stage and, once counting, to the next token; or back.
    void step(int by);

    /// Why what is asked for cannot be had; empty: it can.
    QString problem() const { return problem_; }
    /// Null before the first answer, and where there is a problem.
    const Cpm3Run* run() const { return run_.get(); }
    std::vector<ConstructedTile> tiles(bool interleaved) const;
    /// [N, N] of the stage after the shift: the workspace, or the hidden units (t1, t2) of the
    /// chosen token. Empty without a run.
    std::vector<float> matrix(bool interleaved) const;
    bool busy() const { return job_.busy(); }

  signals:
    void askedChanged();  ///< the task or the problem
    void runChanged();    ///< a new run, or none
    void placeChanged();  ///< stage or token

  private:
    void setTask(Cpm3Task task);
    void start();
    void fail(const Error& error);

    Cpm3Task task_;
    QString text_, problem_;
    Cpm3Stage stage_ = Cpm3Stage::shift;
    int token_ = 0;
    std::shared_ptr<const Cpm3Run> run_;
    std::shared_ptr<Backend> backend_;  ///< null before begin
    LatestJob job_;
};

}  // namespace headloom
