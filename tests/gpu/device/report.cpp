#include "tests/gpu/device/report.h"

#include <cstdio>

namespace headloom::device {

void Report::add(const std::string& what, double error, double tolerance) {
    ++count_;
    if (!(error <= tolerance)) {
        std::printf("FAILED  %s: %s: error %.3g, tolerance %.3g\n", group_.c_str(), what.c_str(),
                    error, tolerance);
        return;
    }
    ++passed_;
    if (tolerance == 0 || error < worst_ * tolerance) return;
    worst_ = error / tolerance;
    worstOf_ = what;
}

void Report::fail(const std::string& what, const std::string& why) {
    ++count_;
    std::printf("FAILED  %s: %s: %s\n", group_.c_str(), what.c_str(), why.c_str());
}

bool Report::close() const {
    std::printf("check\t%s\t%d of %d\tworst passed: %.2f of its tolerance (%s)\n", group_.c_str(),
                passed_, count_, worst_, worstOf_.c_str());
    std::fflush(stdout);
    return count_ > 0 && passed_ == count_;
}

}  // namespace headloom::device
