#include "core/session/bundled.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace headloom;
using headloom::testing::TemporaryFolder;

namespace {

/// HEADLOOM_ASSETS for the length of a test.
struct AssetsVariable {
    explicit AssetsVariable(const std::filesystem::path& folder) {
        ::setenv("HEADLOOM_ASSETS", folder.c_str(), 1);
    }
    ~AssetsVariable() { ::unsetenv("HEADLOOM_ASSETS"); }
};

}  // namespace

TEST_CASE("examples list the arms that are there, in the order of the task's table") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "models");
    for (const char* name : {"four-witnesses-iha", "four-witnesses-mha-h4", "four-witnesses-mha",
                             "look-back-bank-iha", "four-witnesses-unknown", "stranger"})
        folder.write("models/" + std::string(name) + ".safetensors", "");
    const auto examples = bundledExamples(folder.path());
    REQUIRE(examples.size() == 2);
    const BundledExample& witnesses = examples[0];
    CHECK(witnesses.task == "four-witnesses");
    CHECK(witnesses.title == "Four witnesses");
    CHECK_FALSE(witnesses.hint.empty());
    REQUIRE(witnesses.models.size() == 3);
    CHECK(witnesses.models[0].name == "four-witnesses-mha");
    CHECK(witnesses.models[1].arm == "mha-h4");
    CHECK(witnesses.models[2].title == "IHA, 2 heads x 2");
    CHECK(witnesses.left == "four-witnesses-mha");
    CHECK(witnesses.right == "four-witnesses-iha");
    CHECK(witnesses.find("four-witnesses-iha") == &witnesses.models[2]);
    CHECK(witnesses.find("look-back-bank-iha") == nullptr);
    CHECK(examples[1].left.empty());
    CHECK(examples[1].right == "look-back-bank-iha");
    CHECK(bundledExamples(folder / "nowhere").empty());
}

TEST_CASE("filters are a lesson of their own, found by name, no example of a task") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "models");
    CHECK(bundledFilters(folder.path()).models.empty());
    const auto file = folder.write("models/graph-filter-iha.safetensors", "");
    const BundledExample lesson = bundledFilters(folder.path());
    REQUIRE(lesson.models.size() == 1);
    CHECK(lesson.models[0].title == "IHA, 2 heads x 2");
    CHECK(lesson.right == "graph-filter-iha");
    CHECK(lesson.left.empty());
    CHECK_FALSE(lesson.hint.empty());
    CHECK(bundledExamples(folder.path()).empty());
    const AssetsVariable assets(folder.path());
    CHECK(findModelFile("graph-filter-iha") == file);
    CHECK_FALSE(findModelFile("graph-filter-mha"));
}

TEST_CASE("a model is found by its path or its bundled name") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "models");
    const auto file = folder.write("models/four-witnesses-iha.safetensors", "");
    const AssetsVariable assets(folder.path());
    CHECK(assetsFolder() == folder.path());
    CHECK(findModelFile(file) == file);
    CHECK(findModelFile("four-witnesses-iha") == file);
    const auto missing = findModelFile("five-witnesses");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().sentence() ==
          "five-witnesses: there is no such file or bundled model; check the path, or use one of "
          "four-witnesses-iha.");
}

TEST_CASE("the assets of the source tree are found without a variable, a wrong one is refused") {
    ::unsetenv("HEADLOOM_ASSETS");
    CHECK(assetsFolder() == std::filesystem::path(HEADLOOM_SOURCE) / "assets");
    const AssetsVariable assets("/nowhere");
    const auto refused = assetsFolder();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence() ==
          "/nowhere: is not a folder; set HEADLOOM_ASSETS to Headloom's assets folder, or unset "
          "it.");
}
