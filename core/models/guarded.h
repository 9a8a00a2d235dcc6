#pragma once

#include "core/base/error.h"

#include <new>

namespace headloom {

/// Runs `work`, which gives a Result, and turns what a backend or the allocator throws into an
/// Error. The one place where exceptions end.
template <class Work>
auto guarded(Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const BackendFailure& failure) {
        return tl::unexpected(failure.error());
    } catch (const std::bad_alloc&) {
        return fail(Error::Kind::outOfMemory, "memory",
                    "there is not enough for this model and input",
                    "use a shorter prompt, fewer heads or pseudo-heads, or close other programs");
    }
}

}  // namespace headloom
