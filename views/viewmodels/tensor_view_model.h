#pragma once

#include "core/session/tensor_inspection.h"
#include "views/viewmodels/latest_job.h"
#include "views/viewmodels/matrix_shown.h"

#include <QString>

#include <memory>
#include <vector>

namespace headloom {

struct LoadedCheckpoint;

/// A line of a list of facts: what, and its value.
struct FactLine {
    QString name, value;
    friend bool operator==(const FactLine&, const FactLine&) = default;
};

/// The tensor of a checkpoint that is looked at: what is known of it at once, and what a worker
/// finds out by reading it. A tensor chosen meanwhile takes the place of the one being read.
class TensorViewModel : public QObject {
    Q_OBJECT
  public:
    explicit TensorViewModel(QObject* parent = nullptr);

    /// Null: none. Nothing is chosen then.
    void setFile(std::shared_ptr<const LoadedCheckpoint> file);
    /// Index of an entry of the file; -1: none.
    void choose(int entry);
    int entry() const { return entry_; }
    const TensorPart& part() const { return part_; }
    void setPart(const TensorPart& part);
    /// Matrices, rows and columns of the tensor: what a part can be of. Rows are 0 of a vector.
    std::int64_t matrices() const;
    std::int64_t rows() const;
    std::int64_t columns() const;

    /// What the file says of it; nothing where no tensor is chosen.
    std::vector<FactLine> facts() const;
    /// Null while it is read, and where it cannot be.
    const TensorInspection* inspection() const { return inspection_.get(); }
    std::vector<FactLine> statistics() const;
    /// Without values where the part is no matrix.
    MatrixShown picture() const;
    /// Largest first; empty while they are computed and where there are none.
    const std::vector<double>& spectrum() const { return spectrum_; }
    /// How many directions are used, or why there are no singular values.
    QString spectrumText() const { return spectrumText_; }
    /// Why the tensor cannot be read; empty: it can.
    QString problem() const { return problem_; }
    bool working() const { return reader_.busy(); }
    bool decomposing() const { return decomposer_.busy(); }
    /// Ends the reading and the decomposition; what is found already stays.
    void stop();
    bool stopped() const { return stopped_; }
    /// Reads the part again, after a stop.
    void readAgain() { start(part_); }

  signals:
    /// Another tensor or part, with nothing known of its elements yet.
    void chosen();
    void inspected();
    void decomposed();

  private:
    const TensorEntry* chosenEntry() const;
    void start(const TensorPart& wanted);
    void decompose(const PartElements& part);

    std::shared_ptr<const LoadedCheckpoint> file_;
    int entry_ = -1;
    TensorPart part_;
    std::shared_ptr<const TensorInspection> inspection_;
    std::vector<double> spectrum_;
    QString spectrumText_, problem_;
    bool stopped_ = false;
    /// Two threads: the numbers are shown while their decomposition is on its way.
    LatestJob reader_, decomposer_;
};

/// A number in as many digits as tell it: "0.01234", "-1.5", "3.2e-08".
QString numberText(double value);

}  // namespace headloom
