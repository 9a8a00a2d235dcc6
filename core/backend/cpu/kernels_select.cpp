#include "core/backend/cpu/kernels.h"

namespace headloom::cpu {

#ifdef HEADLOOM_X86_KERNELS
const Kernels& compiledV3Kernels();
const Kernels& compiledV4Kernels();

namespace {
/// Every instruction that the compiler may use for x86-64-v3. By name: clang 14 does not know the
/// name of the level.
bool processorIsV3() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2");
}
bool processorIsV4() {
    return processorIsV3() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
}  // namespace

const Kernels* v3Kernels() {
    static const bool usable = processorIsV3();
    return usable ? &compiledV3Kernels() : nullptr;
}
const Kernels* v4Kernels() {
    static const bool usable = processorIsV4();
    return usable ? &compiledV4Kernels() : nullptr;
}
#else
const Kernels* v3Kernels() {
    return nullptr;
}
const Kernels* v4Kernels() {
    return nullptr;
}
#endif

const Kernels& bestKernels() {
    if (const Kernels* v4 = v4Kernels()) return *v4;
    if (const Kernels* v3 = v3Kernels()) return *v3;
    return baselineKernels();
}

}  // namespace headloom::cpu
