#include "core/backend/cuda_module.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace headloom {

namespace {

namespace fs = std::filesystem;

constexpr const char* moduleName = "headloom_cuda.so";
constexpr const char* moduleVariable = "HEADLOOM_CUDA_MODULE";

tl::unexpected<Error> missing(std::string what, std::string remedy) {
    return fail(Error::Kind::unsupported, "cuda", std::move(what), std::move(remedy));
}

std::string lastLoaderError() {
    const char* said = ::dlerror();
    return said ? said : "the loader does not say why";
}

/// The loader names the library that it misses before the colon, unless it is the module itself.
bool namesAnotherFile(const std::string& said, const fs::path& module) {
    return said.find("cannot open shared object file") != std::string::npos &&
           !said.starts_with(module.string());
}

Result<const CudaEntry*> open(const fs::path& module) {
    // At once, so that a symbol of another version is seen here; apart from the program's symbols,
    // of which the module has its own.
    void* const opened = ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
        const std::string said = lastLoaderError();
        if (namesAnotherFile(said, module))
            return missing("a CUDA library is missing: " + said,
                           "install the CUDA run-time libraries with cuBLAS, or add their folder "
                           "to LD_LIBRARY_PATH");
        return missing(moduleName + (" cannot be loaded: " + said),
                       "build it again with this program");
    }
    void* const symbol = ::dlsym(opened, cudaEntryName);
    if (!symbol)
        return missing(module.string() + " is not a CUDA module of headloom",
                       "build it again with this program");
    const CudaEntry* entry = reinterpret_cast<decltype(&headloom_cuda_entry)>(symbol)();
    if (!entry || entry->abiVersion != cudaAbiVersion)
        return missing(module.string() + " belongs to version " +
                           (entry ? std::to_string(entry->abiVersion) : "unknown") +
                           " of the module's interface, and this program reads version " +
                           std::to_string(cudaAbiVersion),
                       "build it again with this program");
    return entry;
}

Result<const CudaEntry*> findAndOpen() {
    const std::vector<fs::path> places = cudaModulePlaces();
    std::string looked;
    for (const fs::path& place : places) {
        std::error_code unreadable;
        if (fs::is_regular_file(place, unreadable)) return open(place);
        looked += (looked.empty() ? "" : " or ") + place.string();
    }
    return missing("the module is not there: no " + looked,
                   std::string("build headloom where nvcc is installed, or name the file in ") +
                       moduleVariable);
}

}  // namespace

std::vector<fs::path> cudaModulePlaces() {
    if (const char* named = std::getenv(moduleVariable); named && *named) return {named};
    std::error_code unreadable;
    const fs::path folder = fs::read_symlink("/proc/self/exe", unreadable).parent_path();
    return {folder / moduleName,
            (folder / ".." / "lib" / "headloom" / moduleName).lexically_normal()};
}

Result<std::unique_ptr<Backend>> makeCudaBackend(bool tf32) {
    static const Result<const CudaEntry*> entry = findAndOpen();
    if (!entry) return tl::unexpected(entry.error());
    Error error;
    std::unique_ptr<Backend> made = (*entry)->make(tf32, &error);
    if (!made) return tl::unexpected(std::move(error));
    return made;
}

}  // namespace headloom
