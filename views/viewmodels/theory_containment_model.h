#pragma once

#include "core/theory/containment.h"
#include "core/theory/witness.h"
#include "views/viewmodels/latest_job.h"

#include <QStringList>

#include <memory>
#include <vector>

namespace headloom {

/// "MHA inside IHA" as it is switched on the Theory page. All masks, positions and copies of a
/// score run at once; which of them is looked at is a matter of looking it up.
class TheoryContainmentModel : public QObject {
    Q_OBJECT
  public:
    explicit TheoryContainmentModel(QObject* parent = nullptr);

    /// Nothing is worked out before the first call.
    void begin();
    /// In the order of their enumerations.
    static QStringList maskNames();
    static QStringList positionNames();
    static QStringList scoreNames();

    const ContainmentCase& shownCase() const { return case_; }
    /// The selected copy is kept within the copies that there are.
    void setCase(const ContainmentCase& wanted);
    /// On through the table of masks and positions, copy by copy, or back.
    void step(int by);

    /// Rows of containmentRows, each with all copies; empty before the first answer.
    const std::vector<ContainmentRun>& table() const { return table_; }
    /// Row of the case in the table.
    int row() const;
    /// The case at a place of the table.
    ContainmentCase caseAt(int row, int selected) const;
    /// Null before there is an answer for this score, P and weight.
    const ContainmentRun* run() const;
    /// IHA less MHA of the maps that `run` has, [H, N, N]; empty without.
    std::vector<float> mapDifference() const;

    /// Where the witness is read, kept within what can be run.
    struct WitnessPlace {
        double s = 1, v = 1;
    };
    WitnessPlace witnessPlace() const { return place_; }
    void setWitnessPlace(WitnessPlace wanted);
    /// Over s, which holds the s of the place; null before the first answer.
    const Witness* witness() const { return witness_.get(); }
    bool busy() const { return job_.busy() || witnessJob_.busy(); }

  signals:
    void caseChanged();
    void tableChanged();
    void witnessPlaceChanged();
    void witnessChanged();
    void failed(const QString& sentence);

  private:
    void start();
    void startWitness();

    ContainmentCase case_;
    std::vector<ContainmentRun> table_;
    WitnessPlace place_;
    std::shared_ptr<const Witness> witness_;
    std::shared_ptr<Backend> backend_, witnessBackend_;  ///< null before begin
    LatestJob job_, witnessJob_;
};

}  // namespace headloom
