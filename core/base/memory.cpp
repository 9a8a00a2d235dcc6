#include "core/base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <limits>

namespace headloom {

namespace {

/// What the kernel could hand out without swapping; infinite where it does not say.
double availableBytes() {
    std::ifstream lines("/proc/meminfo");
    std::string name, unit;
    double kilobytes = 0;
    while (lines >> name >> kilobytes) {
        if (name == "MemAvailable:") return kilobytes * 1024;
        std::getline(lines, unit);
    }
    return std::numeric_limits<double>::infinity();
}

std::string gigabytes(double bytes) {
    return bytes < 1e11 ? fmt::format("{:.1f}", bytes / 1e9) : fmt::format("{:.0f}", bytes / 1e9);
}

}  // namespace

Result<void> checkMemory(double bytes, const std::string& what, const std::string& remedy) {
    const double machine = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                           static_cast<double>(::sysconf(_SC_PAGESIZE));
    const double available = availableBytes();
    if (bytes < machine && bytes < available) return {};
    std::string found = fmt::format("{} GB are needed, but the machine has {}", gigabytes(bytes),
                                    gigabytes(machine));
    if (bytes < machine) found += fmt::format(", of which {} are free", gigabytes(available));
    return fail(Error::Kind::outOfMemory, what, std::move(found), remedy);
}

}  // namespace headloom
