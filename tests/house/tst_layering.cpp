#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

// The table of rooms in README.md, held here as data: who may include whom, and which outside
// libraries a room never sees. The build enforces the first half too (headloom_room); this test
// names the line and covers the second.

namespace fs = std::filesystem;

namespace {

using Rooms = std::vector<std::string>;

const std::map<std::string, Rooms> mayInclude = {
    {"core/base", {}},
    {"core/tensor", {"core/base"}},
    {"core/backend", {"core/base", "core/tensor"}},
    {"core/models", {"core/base", "core/tensor", "core/backend"}},
    {"core/tasks", {"core/base", "core/tensor", "core/backend", "core/models"}},
    {"core/train", {"core/base", "core/tensor", "core/backend", "core/models"}},
    {"core/analysis", {"core/base", "core/tensor", "core/backend", "core/models"}},
    {"core/theory", {"core/base", "core/tensor", "core/backend", "core/models"}},
    {"core/io", {"core/base", "core/tensor", "core/backend", "core/models"}},
    {"core/session", {"core/"}},
    {"gpu", {"core/base", "core/tensor", "core/backend"}},
    {"views/viewmodels", {"core/"}},
    {"views/theme", {"core/base"}},
    {"views/heatmap", {"core/base", "views/theme"}},
    {"views/plots", {"core/base", "views/theme"}},
    {"views/panels", {"core/base", "views/"}},
    {"views/window", {"core/base", "views/"}},
    {"app", {"core/", "gpu", "views/", "app"}},
};

/// Outside headers that a room may never see, as prefixes of what stands between the brackets.
Rooms neverSees(const std::string& room) {
    const Rooms cuda = {"cuda", "cublas"};
    const Rooms graphics = {"Q", "GL/", "EGL/"};
    Rooms never;
    if (room != "gpu") never = cuda;
    if (room.starts_with("core/") || room == "gpu")
        never.insert(never.end(), graphics.begin(), graphics.end());
    return never;
}

std::string roomOf(const std::string& path) {
    std::string best;
    for (const auto& [room, allowed] : mayInclude)
        if (path.starts_with(room + "/") && room.size() > best.size()) best = room;
    return best;
}

struct Include {
    std::string file;
    int line = 0;
    std::string header;
    bool quoted = false;
};

std::vector<fs::path> sources() {
    std::vector<fs::path> found;
    const std::set<std::string> kinds = {".h", ".cpp", ".cu", ".cuh"};
    for (const char* top : {"core", "gpu", "views", "app"}) {
        const fs::path folder = fs::path(HEADLOOM_SOURCE) / top;
        if (!fs::exists(folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file() && kinds.contains(entry.path().extension().string()))
                found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string pathInProject(const fs::path& path) {
    return fs::relative(path, HEADLOOM_SOURCE).generic_string();
}

std::vector<Include> includesOf(const fs::path& path) {
    static const std::regex form(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
    std::vector<Include> all;
    std::ifstream in(path);
    std::string text;
    for (int line = 1; std::getline(in, text); ++line)
        if (std::smatch match; std::regex_search(text, match, form))
            all.push_back({pathInProject(path), line, match[2], match[1] == "\""});
    return all;
}

/// Why an include is forbidden; empty if it is fine.
std::string objection(const Include& include) {
    const std::string room = roomOf(include.file);
    if (room.empty()) return "the file is in no room of the table";
    if (include.header.find("..") != std::string::npos) return "includes are spelled from the top";
    if (!include.quoted) {
        // std and small libraries are free; the never-list is by prefix, Qt headers start with Q
        for (const std::string& prefix : neverSees(room))
            if (include.header.starts_with(prefix) &&
                (prefix != "Q" || (include.header.size() > 1 && std::isupper(include.header[1]))))
                return room + " never sees " + include.header;
        return {};
    }
    const std::string target = roomOf(include.header);
    if (target.empty()) return include.header.ends_with(".moc") ? "" : "not spelled from the top";
    if (target == room) return {};
    const Rooms& allowed = mayInclude.at(room);
    const bool fine = std::any_of(allowed.begin(), allowed.end(), [&](const std::string& name) {
        return target == name || (name.ends_with("/") && target.starts_with(name));
    });
    return fine ? "" : room + " may not include " + target;
}

}  // namespace

TEST_CASE("rooms include each other only as the table says") {
    const auto files = sources();
    REQUIRE(files.size() > 20);
    for (const fs::path& file : files)
        for (const Include& include : includesOf(file)) {
            CAPTURE(include.file);
            CAPTURE(include.line);
            CHECK(objection(include) == "");
        }
}

TEST_CASE("the check itself sees forbidden includes") {
    const auto quoted = [](const char* file, const char* header) {
        return objection({file, 1, header, true});
    };
    CHECK(quoted("core/tensor/a.h", "core/models/model.h") ==
          "core/tensor may not include core/models");
    CHECK(quoted("core/train/a.h", "core/tasks/task.h") == "core/train may not include core/tasks");
    CHECK(quoted("views/heatmap/a.h", "core/session/explorer.h") ==
          "views/heatmap may not include core/session");
    CHECK(quoted("core/base/a.h", "../tensor/tensor.h") == "includes are spelled from the top");
    CHECK(quoted("core/session/a.h", "core/io/model_file.h") == "");
    CHECK(objection({"core/io/a.h", 1, "QString", false}) == "core/io never sees QString");
    CHECK(objection({"app/a.cpp", 1, "cuda_runtime.h", false}) == "app never sees cuda_runtime.h");
    CHECK(objection({"gpu/a.cu", 1, "cuda_runtime.h", false}) == "");
}

TEST_CASE("no file is longer than 800 lines") {
    for (const fs::path& file : sources()) {
        std::ifstream in(file);
        const auto lines = std::count(std::istreambuf_iterator<char>(in), {}, '\n');
        CAPTURE(pathInProject(file));
        CHECK(lines <= 800);
    }
}

TEST_CASE("the top level holds what the README says and nothing else") {
    const std::set<std::string> known = {"CMakeLists.txt",
                                         "CMakePresets.json",
                                         "LICENSE",
                                         "README.md",
                                         "app",
                                         "core",
                                         "gpu",
                                         "views",
                                         "assets",
                                         "tests",
                                         "build"};
    for (const auto& entry : fs::directory_iterator(HEADLOOM_SOURCE)) {
        const std::string name = entry.path().filename().string();
        CAPTURE(name);
        CHECK((name.starts_with(".") || known.contains(name)));
    }
}
