#include "views/viewmodels/compute_model.h"

#include "core/backend/backend.h"
#include "core/base/cores.h"
#include "core/session/backend_comparison.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/explore_session.h"

#include <algorithm>

namespace headloom {

namespace {

Result<std::unique_ptr<Backend>> opened(const std::string& name) {
    return makeBackend(name, coreCount());
}

QString numberText(double value) {
    if (value == 0) return QStringLiteral("0");
    return QString::number(value, 'e', 2).replace(QLatin1Char('-'), QChar(0x2212));
}

/// "CPU, 2 threads, AVX2 kernels: 0.21 ms, median of 5 passes".
QString sideText(const BackendComparison::Side& side) {
    return ComputeModel::tr("%1: %2 ms, median of %3 passes")
        .arg(QString::fromStdString(side.device.description))
        .arg(side.milliseconds, 0, 'f', 2)
        .arg(side.passes);
}

/// "all 34 tensors agree within rounding; largest difference 2.71e-05, in logits".
QString verdictText(const BackendComparison& made) {
    const QString verdict = QString::fromStdString(verdictOn(made));
    const auto largest =
        std::max_element(made.tensors.begin(), made.tensors.end(),
                         [](const TensorDifference& one, const TensorDifference& other) {
                             return one.maxAbsolute < other.maxAbsolute;
                         });
    if (largest == made.tensors.end()) return verdict;
    if (largest->maxAbsolute == 0) return ComputeModel::tr("%1; largest difference 0").arg(verdict);
    return ComputeModel::tr("%1; largest difference %2, in %3")
        .arg(verdict, numberText(largest->maxAbsolute), QString::fromStdString(largest->name));
}

ComputeModel::Comparison shown(const BackendComparison& made) {
    ComputeModel::Comparison to;
    for (const TensorDifference& one : made.tensors)
        to.rows.push_back({QString::fromStdString(one.name),
                           QString::fromStdString(one.shape.text()), numberText(one.maxAbsolute),
                           numberText(one.maxRelative), numberText(one.tolerance), one.within()});
    to.times = ComputeModel::tr("%1\n%2").arg(sideText(made.tested), sideText(made.against));
    to.verdict = verdictText(made);
    to.reason = QString::fromStdString(toleranceReason());
    to.csv = QString::fromStdString(comparisonAsCsv(made));
    to.agrees = made.beyond() == 0;
    return to;
}

ComputeModel::Comparison failed(const Error& error) {
    ComputeModel::Comparison to;
    to.problem = QString::fromStdString(error.sentence());
    return to;
}

ComputeModel::Comparison compareOn(ChainRequest request, const std::string& tested,
                                   const std::string& against) {
    const auto one = opened(tested);
    if (!one) return failed(one.error());
    const auto other = opened(against);
    if (!other) return failed(other.error());
    const auto made = compareBackends(std::move(request), **one, **other);
    return made ? shown(*made) : failed(made.error());
}

}  // namespace

ComputeModel::ComputeModel(ExploreSession& session, QObject* parent)
    : QObject(parent), session_(session) {
    connect(&comparer_, &LatestJob::busyChanged, this, &ComputeModel::busyChanged);
}

ComputeModel::~ComputeModel() = default;

std::vector<std::string> ComputeModel::names() {
    return backendNames();
}

QString ComputeModel::titleOf(const std::string& backend) {
    if (backend == "auto") return tr("Automatic");
    if (backend == "cpu") return tr("CPU");
    if (backend == "cuda") return tr("CUDA");
    if (backend == "cuda-tf32") return tr("CUDA, products in TF32");
    return tr("Reference, plain loops");
}

void ComputeModel::probe() {
    if (std::exchange(asked_, true)) return;
    prober_.start([this](const LatestJob::Cancelled&) -> LatestJob::Deliver {
        std::map<std::string, QString> found;
        for (const std::string& name : names())
            if (const auto made = makeBackend(name, 1); !made)
                found[name] = QString::fromStdString(made.error().sentence());
        return [this, found = std::move(found)] {
            missing_ = found;
            emit probed();
        };
    });
}

QString ComputeModel::missing(const std::string& backend) const {
    const auto found = missing_.find(backend);
    return found == missing_.end() ? QString() : found->second;
}

void ComputeModel::compare(Side side, const std::string& tested, const std::string& against) {
    const ColumnRunPtr& column = session_.runs().at(indexOf(side));
    if (!column) {
        comparison_ = {};
        comparison_.problem = tr("No model stands in this column.");
        emit compared();
        return;
    }
    ChainRequest request;
    request.model = column->run->model;
    request.prompt.assign(column->run->tokens.begin(),
                          column->run->tokens.begin() + column->run->rows);
    request.ablation = column->run->ablation;
    comparer_.start([this, request, tested,
                     against](const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        ChainRequest asked = request;
        asked.cancelled = cancelled;
        Comparison made = compareOn(std::move(asked), tested, against);
        return [this, made = std::move(made)] {
            comparison_ = made;
            emit compared();
        };
    });
}

}  // namespace headloom
