#include "views/viewmodels/checkpoint_doctor.h"

#include "core/io/architectures/weight_checks.h"
#include "core/models/guarded.h"
#include "core/session/doctor.h"
#include "views/viewmodels/words.h"

#include <algorithm>

namespace headloom {

CheckpointDoctor::CheckpointDoctor(QObject* parent) : QObject(parent) {
    connect(&job_, &LatestJob::busyChanged, this, &CheckpointDoctor::workingChanged);
}

void CheckpointDoctor::setReport(const LoadReport& report) {
    job_.cancel();
    opened_ = report;
    examined_ = {};
    compared_ = {};
    tree_.setGroups(reportGroups(opened_));
}

QString CheckpointDoctor::text() const {
    return QString::fromStdString(report().text());
}

LoadReport CheckpointDoctor::report() const {
    LoadReport whole = opened_;
    const auto append = [](std::vector<std::string>& to, const std::vector<std::string>& what) {
        for (const std::string& line : what)
            if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
    };
    for (const Findings* one : {&examined_, &compared_}) {
        append(whole.notes, one->notes);
        append(whole.warnings, one->warnings);
    }
    return whole;
}

void CheckpointDoctor::show() {
    tree_.setGroups(reportGroups(report()));
    emit found();
}

void CheckpointDoctor::examine(std::shared_ptr<const Model> model, Attention attention) {
    comparing_ = false;
    job_.start([this, model = std::move(model),
                attention](const auto& cancelled) -> LatestJob::Deliver {
        Findings made;
        made.warnings = checkNumbers(model->weights, cancelled);
        if (attention == Attention::leaveOut) {
            made.notes.push_back(tr("attention was not looked at, as the model is large: Examine "
                                    "does it")
                                     .toStdString());
        } else {
            const auto distance = guarded([&]() -> Result<double> {
                const auto backend = makeCpuBackend(1);
                return distanceFromUniform(*model, *backend, cancelled);
            });
            const std::string hint = distance ? attentionHint(*distance) : std::string();
            if (!hint.empty()) made.warnings.push_back(hint);
            if (!distance)
                made.notes.push_back(tr("attention could not be looked at: %1")
                                         .arg(sentenceOf(distance.error()))
                                         .toStdString());
            else if (hint.empty())
                made.notes.push_back(tr("attention tells tokens apart (distance from uniform %1 of "
                                        "1)")
                                         .arg(*distance, 0, 'f', 2)
                                         .toStdString());
        }
        return [this, made] {
            examined_ = made;
            show();
        };
    });
}

void CheckpointDoctor::compareWithLogits(std::shared_ptr<const Model> model, const QString& path) {
    comparing_ = true;
    job_.start([this, model = std::move(model),
                file = path.toStdString()](const auto& cancelled) -> LatestJob::Deliver {
        const auto parity = guarded([&]() -> Result<Parity> {
            const auto backend = makeCpuBackend(1);
            return compareLogits(*model, file, {}, *backend, cancelled);
        });
        if (!parity)
            return [this, sentence = sentenceOf(parity.error())] { emit failed(sentence); };
        return [this, same = parity->firstDifferent < 0, sentence = parity->sentence()] {
            (same ? compared_.notes : compared_.warnings).push_back(sentence);
            show();
            emit told(QString::fromStdString(sentence));
        };
    });
}

void CheckpointDoctor::stop() {
    if (!working()) return;
    job_.cancel();
    if (comparing_) {
        emit told(tr("The comparison with the logits was stopped."));
        return;
    }
    examined_ = {{tr("the examination was stopped: Examine starts it again").toStdString()}, {}};
    show();
}

}  // namespace headloom
