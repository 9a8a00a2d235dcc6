#include "core/backend/conformance.h"
#include "core/backend/cuda_module.h"
#include "core/models/guarded.h"
#include "tests/support/far_module.h"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace headloom;
using headloom::testing::FarFailure;
using headloom::testing::useFarModule;

// The module of far memory stands for headloom_cuda.so: what crosses the border between program
// and module is the same. tests/app/tst_cli_backend.cpp has the modules that cannot be used.

namespace {

std::unique_ptr<Backend> opened() {
    useFarModule();
    auto made = makeBackend("cuda", 1);
    INFO((made ? "" : made.error().sentence()));
    REQUIRE(made);
    return std::move(*made);
}

}  // namespace

TEST_CASE("a module is looked for where the variable says, or beside the program and in its lib") {
    ::unsetenv("HEADLOOM_CUDA_MODULE");
    const auto places = cudaModulePlaces();
    REQUIRE(places.size() == 2);
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    CHECK(places[0] == program / "headloom_cuda.so");
    CHECK(places[1] == program.parent_path() / "lib" / "headloom" / "headloom_cuda.so");
    ::setenv("HEADLOOM_CUDA_MODULE", "/a/b.so", 1);
    CHECK(cudaModulePlaces() == std::vector<std::filesystem::path>{"/a/b.so"});
}

TEST_CASE("products in TF32 are asked for by name") {
    opened();
    const auto made = makeBackend("cuda-tf32", 1);
    REQUIRE(made);
    CHECK((*made)->info().name == "cuda-tf32");
}

TEST_CASE("a module's backend computes for the program") {
    const auto backend = opened();
    CHECK(backend->info().name == "cuda");
    CHECK(!backend->info().isHost);
    int failed = 0;
    for (const ConformanceRecord& record : checkAgainstReference(*backend))
        failed += record.passed ? 0 : 1;
    CHECK(failed == 0);
}

TEST_CASE("what a module's backend throws is caught by the program as what it is") {
    const auto backend = opened();
    FarFailure& failure = useFarModule();
    failure.left = 0;
    const auto made =
        guarded([&]() -> Result<Tensor> { return backend->allocate({4}, DType::f32); });
    REQUIRE(!made);
    CHECK(made.error().kind == Error::Kind::outOfMemory);
    CHECK(made.error().sentence() ==
          "far: 8 MiB are wanted and 1 MiB is free; use a shorter prompt.");
    CHECK(guarded([&]() -> Result<Tensor> { return backend->allocate({4}, DType::f32); }));
}

TEST_CASE("a tensor outlives the backend of a module") {
    Tensor kept;
    {
        const auto backend = opened();
        kept = backend->allocate({1000}, DType::f32);
    }
    FarFailure& failure = useFarModule();
    CHECK(failure.bytesHeld == 4000);
    const auto again = opened();
    again->zero(kept);
    const Tensor host = Tensor::of<float>({1000}, std::vector<float>(1000, 1.f));
    again->download(kept, host);
    CHECK(host.data<float>()[999] == 0);
    kept = {};
    CHECK(failure.bytesHeld == 0);
}
