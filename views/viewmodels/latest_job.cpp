#include "views/viewmodels/latest_job.h"

#include <QMetaObject>

namespace headloom {

LatestJob::LatestJob(QObject* parent) : QObject(parent) {
    thread_.setMaxThreadCount(1);
}

LatestJob::~LatestJob() {
    if (newest_) newest_->store(true);
    thread_.clear();
    thread_.waitForDone();
}

void LatestJob::start(Work work) {
    const bool wasBusy = busy();
    if (newest_) newest_->store(true);
    thread_.clear();
    newest_ = std::make_shared<std::atomic<bool>>(false);
    thread_.start([this, token = newest_, work = std::move(work)] {
        if (token->load()) return;
        Deliver deliver = work([token] { return token->load(); });
        QMetaObject::invokeMethod(
            this, [this, token, deliver = std::move(deliver)] { finish(token, deliver); },
            Qt::QueuedConnection);
    });
    if (!wasBusy) emit busyChanged();
}

void LatestJob::cancel() {
    if (!newest_) return;
    newest_->store(true);
    newest_.reset();
    thread_.clear();
    emit busyChanged();
}

void LatestJob::finish(const Token& token, const Deliver& deliver) {
    if (token != newest_) return;
    newest_.reset();
    if (deliver) deliver();
    if (!newest_) emit busyChanged();  // delivering may have started the next one
}

}  // namespace headloom
