#pragma once

#include <QObject>
#include <QThreadPool>

#include <atomic>
#include <functional>
#include <memory>

namespace headloom {

/// A thread that works on the newest job only: a newer one replaces the one that waits and cancels
/// the one that runs, whose answer is dropped.
class LatestJob : public QObject {
    Q_OBJECT
  public:
    using Cancelled = std::function<bool()>;
    /// What is to be done with the answer, on the thread of this object. May be empty.
    using Deliver = std::function<void()>;
    /// Called on the worker; polls `cancelled` and then gives anything.
    using Work = std::function<Deliver(const Cancelled& cancelled)>;

    explicit LatestJob(QObject* parent = nullptr);
    ~LatestJob() override;  // cancels and waits

    void start(Work work);
    void cancel();
    bool busy() const { return newest_ != nullptr; }

  signals:
    void busyChanged();

  private:
    using Token = std::shared_ptr<std::atomic<bool>>;  ///< true: cancelled
    void finish(const Token& token, const Deliver& deliver);

    Token newest_;
    QThreadPool thread_;
};

}  // namespace headloom
