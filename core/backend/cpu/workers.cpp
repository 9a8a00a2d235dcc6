#include "core/backend/cpu/workers.h"

#include "core/base/error.h"

#include <cstdlib>
#include <string>

namespace headloom::cpu {

void Scratch::Free::operator()(float* floats) const {
    std::free(floats);
}

float* Scratch::atLeast(std::size_t floats) {
    if (floats <= size_) return floats_.get();
    constexpr std::size_t alignment = 64;
    const std::size_t bytes = (floats * sizeof(float) + alignment - 1) / alignment * alignment;
    floats_.reset();
    size_ = 0;
    floats_.reset(static_cast<float*>(std::aligned_alloc(alignment, bytes)));
    if (!floats_)
        throw BackendFailure({Error::Kind::outOfMemory, "cpu backend",
                              "no memory for " + std::to_string(bytes) + " bytes of scratch",
                              "use a smaller model or a shorter prompt"});
    size_ = floats;
    return floats_.get();
}

void Workers::reserve(std::size_t floats, std::size_t integers) {
    for (Scratch& one : scratch_) one.atLeast(floats);
    for (std::vector<std::int64_t>& list : lists_)
        if (list.size() < integers) list.resize(integers);
}

}  // namespace headloom::cpu
