#pragma once

#include "core/theory/errata.h"
#include "views/viewmodels/latest_job.h"

#include <QString>

#include <vector>

namespace headloom {

/// The paper's errata with the numbers that show them, computed once, on a worker, when somebody
/// first looks.
class TheoryErrataModel : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

    void begin();
    /// Empty until `changed`.
    const std::vector<Erratum>& errata() const { return errata_; }

  signals:
    void changed();
    void failed(const QString& sentence);

  private:
    std::vector<Erratum> errata_;
    LatestJob job_;
};

}  // namespace headloom
