#pragma once

#include "core/base/error.h"

#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace headloom {

struct LoadProgress;
struct Model;
class Task;

/// A model that can stand in a column.
struct ModelChoice {
    QString id;     ///< arm id, or the path of an opened file
    QString title;  ///< "IHA, 2 heads × 2"
    QString path;   ///< its file; empty: not trained yet, made from random weights
    QString
        tokenizer{};  ///< a file that the user chose for a checkpoint; empty: what lies beside it
    /// What the user said of the axes of its alphas, "source-target"; empty: the file says it.
    QString alphaOrder{};
};

/// One entry of File > Examples.
struct ExampleInfo {
    QString id;           ///< task id
    QString title;        ///< "Four witnesses"
    QString look;         ///< one line: what to look for
    QString explanation;  ///< a paragraph
    std::vector<ModelChoice> models;
    QString left, right;  ///< ids of the pair that opens first
};

/// "IHA, 2 heads x 2" and "positions x2" with a multiplication sign.
QString titleText(QString title);

/// The examples in the order of the menu. A task without models at hand is listed with random
/// weights and says so.
std::vector<ExampleInfo> exampleCatalogue();

/// The task that an example is of, as it comes. Errors: those of core's makeTask.
Result<std::unique_ptr<Task>> exampleTask(const QString& id);

/// What a choice turned out to be.
struct LoadedChoice {
    std::shared_ptr<const Model> model;
    /// The prompt of a model from elsewhere, which belongs to no task of ours; null for our own.
    std::shared_ptr<const Task> text;
    QString beginning;  ///< a prompt to show it with
    QString report;     ///< what was read and assumed, lines for people
    QString about;      ///< the report, and where the tokens come from
    int bos = -1;       ///< of a model from elsewhere: OpenedModel::bos
};

/// Reads a model from its file, or makes an untrained one. May take long: not for the UI thread.
/// Errors: a file that cannot be read, a model that does not run here, interrupted by `progress`.
Result<LoadedChoice> loadChoice(const QString& exampleId, const ModelChoice& choice,
                                const std::function<bool(const LoadProgress&)>& progress = {});
/// The same model from elsewhere, reading its prompts with the choice's tokenizer. Errors: those of
/// core's withTokenizer.
Result<LoadedChoice> withOtherTokenizer(const LoadedChoice& loaded, const ModelChoice& choice);

}  // namespace headloom
