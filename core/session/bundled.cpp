#include "core/session/bundled.h"

#include "core/session/filter_arms.h"
#include "core/session/recipe.h"
#include "core/tasks/filter_nodes.h"

#include <algorithm>
#include <cstdlib>

namespace headloom {

namespace {

namespace fs = std::filesystem;

/// What to look for, a line a task.
std::string hintOf(const std::string& task) {
    if (task == "four-witnesses")
        return "Step through the chain: the four pseudo-queries of IHA's two heads take one "
               "witness each, two ordinary heads smear over several and the chain breaks.";
    if (task == "pointer-chain")
        return "Both kinds follow the chain equally well: watch the last layer's attention land on "
               "the clause that each step states.";
    if (task == "look-back-bank")
        return "Every token names the four before it: two interleaved heads do four jobs, two "
               "ordinary heads cannot, four can.";
    if (task == "relations")
        return "Each entry of the table looks along its row and its column: a cross in every map. "
               "Without an MLP interleaving is a little ahead, with one it is not: compare both.";
    return {};
}

fs::path folderOfProgram() {
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::path() : program.parent_path();
}

/// The first model whose arm begins with `kind`.
std::string firstOf(const std::vector<BundledModel>& models, std::string_view kind) {
    const auto found = std::find_if(models.begin(), models.end(), [kind](const auto& model) {
        return model.arm.starts_with(kind);
    });
    return found == models.end() ? std::string() : found->name;
}

/// Those of the arms whose files are there, and the pair that opens first.
void addModels(const fs::path& assets, const std::vector<ArmInfo>& arms, BundledExample& example) {
    for (const ArmInfo& arm : arms) {
        BundledModel model{example.task + "-" + arm.id, arm.id, arm.title, {}};
        model.file = assets / "models" / (model.name + ".safetensors");
        std::error_code ignored;
        if (fs::exists(model.file, ignored)) example.models.push_back(std::move(model));
    }
    example.left = firstOf(example.models, "mha");
    example.right = firstOf(example.models, "iha");
}

}  // namespace

const BundledModel* BundledExample::find(const std::string& name) const {
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&name](const auto& model) { return model.name == name; });
    return found == models.end() ? nullptr : &*found;
}

Result<fs::path> assetsFolder() {
    std::error_code ignored;
    if (const char* named = std::getenv("HEADLOOM_ASSETS")) {
        if (fs::is_directory(named, ignored)) return fs::path(named);
        return fail(Error::Kind::notFound, named, "is not a folder",
                    "set HEADLOOM_ASSETS to Headloom's assets folder, or unset it");
    }
    const fs::path program = folderOfProgram();
    const fs::path places[] = {program.parent_path() / "share" / "headloom", HEADLOOM_ASSETS_PATH};
    for (const fs::path& place : places)
        if (fs::is_directory(place, ignored)) return place;
    return fail(Error::Kind::notFound, places[0].string(), "there are no assets",
                "install Headloom again, or set HEADLOOM_ASSETS to its assets folder");
}

std::vector<BundledExample> bundledExamples(const fs::path& assets) {
    std::vector<BundledExample> examples;
    for (const std::string& id : taskIds()) {
        const auto task = makeTask(id);
        if (!task) continue;
        BundledExample example;
        example.task = id;
        example.title = (*task)->info().title;
        example.hint = hintOf(id);
        addModels(assets, armsOf(id), example);
        if (!example.models.empty()) examples.push_back(std::move(example));
    }
    return examples;
}

BundledExample bundledFilters(const fs::path& assets) {
    BundledExample lesson;
    lesson.task = graphFilterId;
    lesson.title = "The rank floor";
    lesson.hint =
        "A bank of four shifts: two ordinary heads have two maps and stop at half of the error, "
        "however long they train; two interleaved heads have four maps and go on to nothing, as "
        "four ordinary heads do.";
    addModels(assets, filterArms({}), lesson);
    return lesson;
}

Result<fs::path> findModelFile(const std::string& pathOrName) {
    std::error_code ignored;
    if (fs::exists(pathOrName, ignored)) return fs::path(pathOrName);
    const auto assets = assetsFolder();
    std::string known;
    if (assets)
        if (const BundledExample filters = bundledFilters(*assets); filters.find(pathOrName))
            return filters.find(pathOrName)->file;
    if (assets)
        for (const BundledExample& example : bundledExamples(*assets)) {
            if (const BundledModel* model = example.find(pathOrName)) return model->file;
            for (const BundledModel& model : example.models)
                known += (known.empty() ? "" : ", ") + model.name;
        }
    return fail(Error::Kind::notFound, pathOrName, "there is no such file or bundled model",
                known.empty() ? "check the path" : "check the path, or use one of " + known);
}

}  // namespace headloom
