#include "core/backend/cuda_module.h"

namespace headloom {

std::vector<std::string> backendNames() {
    return {"auto", "cpu", "cuda", "cuda-tf32", "reference"};
}

Result<std::unique_ptr<Backend>> makeBackend(const std::string& name, int threads) {
    if (threads < 1)
        return fail(Error::Kind::badInput, "threads", "there must be at least one thread",
                    "pass a number from 1 up");
    if (name == "cpu" || name == "auto") return makeCpuBackend(threads);
    if (name == "cuda" || name == "cuda-tf32") return makeCudaBackend(name == "cuda-tf32");
    if (name == "reference") return makeReferenceBackend();
    return fail(Error::Kind::badInput, "backend", "\"" + name + "\" is not a backend",
                "use auto, cpu, cuda, cuda-tf32 or reference");
}

}  // namespace headloom
