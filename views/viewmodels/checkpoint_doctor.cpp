#include "views/viewmodels/checkpoint_doctor.h"

#include "core/io/architectures/weight_checks.h"
#include "core/models/guarded.h"
#include "core/session/doctor.h"
#include "views/viewmodels/words.h"

#include <algorithm>

namespace headloom {

namespace {

/// Running a model for the doctor takes seconds above this, and cannot be stopped.
constexpr std::uint64_t examinedAtMost = std::uint64_t{1} << 30;

}  // namespace

void CheckpointDoctor::setReport(const LoadReport& report) {
    job_.cancel();
    report_ = report;
    tree_.setGroups(reportGroups(report_));
}

QString CheckpointDoctor::text() const {
    return QString::fromStdString(report_.text());
}

void CheckpointDoctor::examine(std::shared_ptr<const Model> model, std::uint64_t bytes) {
    const bool small = bytes <= examinedAtMost;
    job_.start([this, model = std::move(model),
                small](const auto& cancelled) -> LatestJob::Deliver {
        std::vector<std::string> warnings = checkNumbers(model->weights);
        std::vector<std::string> notes;
        if (!small) {
            notes.push_back(
                tr("attention was not looked at: the model is too large for a quick run")
                    .toStdString());
        } else if (!cancelled()) {
            const auto distance = guarded([&]() -> Result<double> {
                const auto backend = makeCpuBackend(1);
                return distanceFromUniform(*model, *backend);
            });
            const std::string hint = distance ? uniformAttentionHint(*distance) : std::string();
            if (!hint.empty()) warnings.push_back(hint);
            if (distance && hint.empty())
                notes.push_back(tr("attention tells tokens apart (distance from uniform %1 of 1)")
                                    .arg(*distance, 0, 'f', 2)
                                    .toStdString());
        }
        return [this, notes, warnings] { note(notes, warnings); };
    });
}

void CheckpointDoctor::note(const std::vector<std::string>& notes,
                            const std::vector<std::string>& warnings) {
    const auto append = [](std::vector<std::string>& to, const std::vector<std::string>& what) {
        for (const std::string& line : what)
            if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
    };
    append(report_.notes, notes);
    append(report_.warnings, warnings);
    tree_.setGroups(reportGroups(report_));
    emit found();
}

void CheckpointDoctor::compareWithLogits(std::shared_ptr<const Model> model, const QString& path) {
    job_.start([this, model = std::move(model),
                file = path.toStdString()](const auto&) -> LatestJob::Deliver {
        const auto parity = guarded([&]() -> Result<Parity> {
            const auto backend = makeCpuBackend(1);
            return compareLogits(*model, file, {}, *backend);
        });
        if (!parity)
            return [this, sentence = sentenceOf(parity.error())] { emit failed(sentence); };
        return [this, same = parity->firstDifferent < 0, sentence = parity->sentence()] {
            const std::vector<std::string> line = {sentence};
            same ? note(line, {}) : note({}, line);
            emit told(QString::fromStdString(sentence));
        };
    });
}

}  // namespace headloom
