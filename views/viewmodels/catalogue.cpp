#include "views/viewmodels/catalogue.h"

#include "core/models/model.h"
#include "core/session/bundled.h"
#include "core/session/filter_file.h"
#include "core/session/recipe.h"
#include "core/session/text_model.h"
#include "core/tasks/filter_nodes.h"
#include "core/tasks/task.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace headloom {

namespace {

struct Catalogue {
    Q_DECLARE_TR_FUNCTIONS(Catalogue)
};

ModelChoice choiceOf(const BundledModel& model) {
    return {QString::fromStdString(model.name), titleText(QString::fromStdString(model.title)),
            QString::fromStdString(model.file.string())};
}

ExampleInfo infoOf(const BundledExample& bundled) {
    ExampleInfo info;
    info.id = QString::fromStdString(bundled.task);
    info.title = QString::fromStdString(bundled.title);
    info.look = QString::fromStdString(bundled.hint);
    for (const BundledModel& model : bundled.models) info.models.push_back(choiceOf(model));
    info.left = QString::fromStdString(bundled.left);
    info.right = QString::fromStdString(bundled.right);
    if (info.left.isEmpty() && !info.models.empty()) info.left = info.models.front().id;
    if (info.right.isEmpty() && info.models.size() > 1) info.right = info.models.back().id;
    return info;
}

/// A task none of whose models is there: its arms with random weights, which say so.
ExampleInfo untrained(const Task& task) {
    ExampleInfo info;
    info.id = QString::fromStdString(task.info().id);
    info.title = QString::fromStdString(task.info().title);
    info.look = Catalogue::tr("Its models are not installed: random weights stand in");
    for (const ArmInfo& arm : armsOf(task.info().id)) {
        const QString id = QString::fromStdString(arm.id);
        const QString title = titleText(QString::fromStdString(arm.title));
        info.models.push_back({id, Catalogue::tr("%1, untrained").arg(title), {}});
        QString& pair = id.startsWith(QLatin1String("iha")) ? info.right : info.left;
        if (pair.isEmpty()) pair = id;
    }
    return info;
}

Result<std::shared_ptr<const Model>> untrainedModel(const QString& exampleId,
                                                    const ModelChoice& choice) {
    const auto recipe = makeRecipe(exampleId.toStdString(), choice.id.toStdString(), 0);
    if (!recipe) return tl::unexpected(recipe.error());
    const auto task = makeTask(recipe->task);
    if (!task) return tl::unexpected(task.error());
    auto model = std::make_shared<Model>();
    model->name = choice.title.toStdString();
    model->config = recipe->config;
    model->weights = initialWeights(recipe->config, recipe->seed, recipe->mixing);
    model->vocabulary = (*task)->info().vocabulary;
    return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace

QString titleText(QString title) {
    static const QRegularExpression times(QStringLiteral("\\bx(?= ?\\d)"));
    return title.replace(times, QStringLiteral("×"));
}

Result<std::unique_ptr<Task>> exampleTask(const QString& id) {
    if (id != QLatin1String(graphFilterId)) return makeTask(id.toStdString());
    auto nodes = makeFilterNodes({});
    if (!nodes) return tl::unexpected(nodes.error());
    return std::move(*nodes);
}

std::vector<ExampleInfo> exampleCatalogue() {
    std::vector<BundledExample> bundled;
    BundledExample filters;
    if (const auto assets = assetsFolder()) {
        bundled = bundledExamples(*assets);
        filters = bundledFilters(*assets);
    }
    std::vector<ExampleInfo> examples;
    for (const std::string& id : taskIds()) {
        const auto task = makeTask(id);
        if (!task) continue;
        const auto found =
            std::find_if(bundled.begin(), bundled.end(),
                         [&id](const BundledExample& one) { return one.task == id; });
        // where models are installed, a task without one is there to be trained, not to be opened
        if (found == bundled.end() && !bundled.empty()) continue;
        examples.push_back(found == bundled.end() ? untrained(**task) : infoOf(*found));
        examples.back().explanation = QString::fromStdString((*task)->info().explanation);
    }
    if (!filters.models.empty()) {
        examples.push_back(infoOf(filters));
        if (const auto nodes = makeFilterNodes({}))
            examples.back().explanation = QString::fromStdString((*nodes)->info().explanation);
    }
    return examples;
}

Result<LoadedChoice> withOtherTokenizer(const LoadedChoice& loaded, const ModelChoice& choice) {
    OpenedModel opened;
    opened.model = loaded.model;
    opened.bos = loaded.bos;
    std::optional<std::filesystem::path> tokenizer;
    if (!choice.tokenizer.isEmpty()) tokenizer = choice.tokenizer.toStdString();
    auto read = withTokenizer(opened, choice.path.toStdString(), tokenizer);
    if (!read) return tl::unexpected(read.error());
    LoadedChoice made = loaded;
    made.model = std::move(read->model);
    made.text = std::move(read->text);
    made.beginning = QString::fromStdString(read->beginning);
    made.about =
        made.report + Catalogue::tr("Tokens: %1").arg(QString::fromStdString(read->vocabulary));
    return made;
}

namespace {

/// A file that lacks one answer is refused with options of the command line; here a page asks.
Error withRemedyHere(Error error, const std::string& path) {
    LoadOptions listing;
    listing.weights = false;
    const auto listed = loadCheckpoint(path, listing);
    if (!listed || !listed->report.question) return error;
    error.what =
        Catalogue::tr("does not say which axis of its alphas is the source head").toStdString();
    error.remedy = Catalogue::tr("open it on the Checkpoint page (Ctrl+Alt+F), which can show both")
                       .toStdString();
    return error;
}

}  // namespace

Result<LoadedChoice> loadChoice(const QString& exampleId, const ModelChoice& choice,
                                const std::function<bool(const LoadProgress&)>& progress) {
    LoadedChoice loaded;
    const std::string path = choice.path.toStdString();
    if (path.empty()) {
        auto model = untrainedModel(exampleId, choice);
        if (!model) return tl::unexpected(model.error());
        loaded.model = std::move(*model);
        return loaded;
    }
    if (isFilterFile(path)) {
        const auto filter = loadFilter(path);
        if (!filter) return tl::unexpected(filter.error());
        loaded.model = std::make_shared<const Model>(modelOf(filter->recipe, filter->weights));
        return loaded;
    }
    LoadOptions how;
    how.progress = progress;
    if (!choice.alphaOrder.isEmpty()) how.settings["alphaOrder"] = choice.alphaOrder.toStdString();
    const auto opened = openModel(path, how);
    if (!opened) return tl::unexpected(withRemedyHere(opened.error(), path));
    loaded.model = opened->model;
    if (!opened->model->vocabulary.empty()) return loaded;
    loaded.report = QString::fromStdString(opened->report.text());
    loaded.bos = opened->bos;
    return withOtherTokenizer(loaded, choice);
}

}  // namespace headloom
