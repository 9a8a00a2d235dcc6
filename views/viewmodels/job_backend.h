#pragma once

#include "core/session/chosen_backend.h"
#include "views/viewmodels/explore_session.h"

namespace headloom {

/// What the jobs of one LatestJob compute on, on one thread: the backend that is chosen when each
/// is started; the processor in its place where a device fails, until somebody chooses again.
class JobBackend {
  public:
    explicit JobBackend(const ExploreSession& session) : session_(&session) {}

    /// A job's; only its worker calls `run`.
    class Turn {
      public:
        /// As ChosenBackend::run. Errors: those of `work`; the backend cannot be had.
        template <class Work>
        auto run(const Work& work) const -> decltype(work(std::declval<Backend&>())) {
            if (auto opened = held_->choose(name_, 1, choice_); !opened)
                return tl::unexpected(opened.error());
            return held_->run(work);
        }

      private:
        friend class JobBackend;
        std::shared_ptr<ChosenBackend> held_;
        std::string name_;
        int choice_ = 0;
    };

    /// For the job that is about to be started.
    Turn turn() const {
        Turn made;
        made.held_ = held_;
        made.name_ = session_->backend();
        made.choice_ = session_->backendChoice();
        return made;
    }

  private:
    const ExploreSession* session_;
    std::shared_ptr<ChosenBackend> held_ = std::make_shared<ChosenBackend>();
};

}  // namespace headloom
