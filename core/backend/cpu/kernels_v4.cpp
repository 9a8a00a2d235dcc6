// Built with -march=x86-64-v4; only kernels_select.cpp may call it, after asking the processor.
#include "core/backend/cpu/kernels_impl.h"

namespace headloom::cpu {

const Kernels& compiledV4Kernels() {
    static constexpr Kernels table = tableOf("AVX-512");
    return table;
}

}  // namespace headloom::cpu
