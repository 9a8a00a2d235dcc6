#include "core/base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

namespace headloom {

Result<void> checkMemory(double bytes, const std::string& what, const std::string& remedy) {
    const double machine = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                           static_cast<double>(::sysconf(_SC_PAGESIZE));
    if (bytes < machine) return {};
    return fail(
        Error::Kind::outOfMemory, what,
        fmt::format("{:.0f} GB are needed, but the machine has {:.0f}", bytes / 1e9, machine / 1e9),
        remedy);
}

}  // namespace headloom
