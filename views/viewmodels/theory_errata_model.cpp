#include "views/viewmodels/theory_errata_model.h"

namespace headloom {

void TheoryErrataModel::begin() {
    if (job_.busy() || !errata_.empty()) return;
    job_.start([this](const LatestJob::Cancelled&) -> LatestJob::Deliver {
        // the small reference backend, in double: what is zero shows as rounding and not as noise
        const auto backend = makeReferenceBackend();
        auto made = runErrata(DType::f64, *backend);
        return [this, made = std::move(made)] {
            if (!made) {
                emit failed(QString::fromStdString(made.error().sentence()));
                return;
            }
            errata_ = *made;
            emit changed();
        };
    });
}

}  // namespace headloom
