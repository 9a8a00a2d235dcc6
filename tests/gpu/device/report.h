#pragma once

#include <string>

namespace headloom::device {

/// The results of one group of checks, printed as they come: failures in full, the rest as one
/// line.
class Report {
  public:
    explicit Report(std::string group) : group_(std::move(group)) {}

    /// Passed where `error` is at most `tolerance`; NaN is not.
    void add(const std::string& what, double error, double tolerance);
    /// A failure that has no number.
    void fail(const std::string& what, const std::string& why);
    /// "check  group  512 of 512  worst 0.31 of its tolerance: ...". True: nothing failed.
    bool close() const;

  private:
    std::string group_, worstOf_;
    int count_ = 0, passed_ = 0;
    double worst_ = 0;
};

}  // namespace headloom::device
