#include "views/viewmodels/checkpoint_shown.h"

#include "core/models/guarded.h"
#include "views/viewmodels/words.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace headloom {

namespace {

struct ShownText {
    Q_DECLARE_TR_FUNCTIONS(CheckpointShown)
};

std::uint64_t bytesOf(const ModelConfig& config) {
    std::uint64_t bytes = 0;
    for (const WeightSpec& spec : weightSpecs(config))
        bytes += static_cast<std::uint64_t>(spec.shape.count()) * sizeof(float);
    return bytes;
}

std::shared_ptr<CheckpointShown> shownOf(const QString& title, LoadedCheckpoint loaded) {
    auto shown = std::make_shared<CheckpointShown>();
    shown->title = title;
    for (const TensorEntry& entry : loaded.source->entries()) shown->numbers += entry.count();
    if (loaded.config) shown->modelBytes = bytesOf(*loaded.config);
    shown->forest = forestOf(*loaded.source, loaded.report);
    shown->file = std::make_shared<const LoadedCheckpoint>(std::move(loaded));
    return shown;
}

}  // namespace

QString CheckpointShown::summary() const {
    const LoadReport& report = file->report;
    const QString kind = runs() ? QString::fromStdString(file->config->summary())
                         : report.architecture.empty() ? ShownText::tr("no known architecture")
                                                       : QString::fromStdString(report.title);
    const int tensors = forest->tensorCount();
    return ShownText::tr("%1 · %2 · %3 · %4")
        .arg(kind, QString::fromStdString(report.container),
             tensors == 1 ? ShownText::tr("1 tensor")
                          : ShownText::tr("%1 tensors").arg(countText(tensors)),
             numbers == 1 ? ShownText::tr("1 number")
                          : ShownText::tr("%1 numbers").arg(countText(numbers)));
}

QString CheckpointShown::memoryText(bool loaded) const {
    const auto bytes = [](std::uint64_t count) {
        return bytesText(static_cast<std::int64_t>(count));
    };
    const QString model =
        !runs() ? ShownText::tr("does not run here")
        : loaded
            ? ShownText::tr("the loaded model takes %1 (float32)").arg(bytes(modelBytes))
            : ShownText::tr("the running model would take %1 (float32)").arg(bytes(modelBytes));
    if (path.isEmpty()) return ShownText::tr("in memory, no file · %1").arg(model);
    return ShownText::tr("file %1, all of it mapped and read where it is looked at · %2")
        .arg(bytes(fileBytes), model);
}

QString CheckpointShown::ihaRefusal() const {
    if (!runs()) return ShownText::tr("Only a model that runs here can be interleaved");
    for (const LayerConfig& layer : file->config->layers) {
        if (layer.kind == AttentionKind::iha)
            return ShownText::tr("This model is already IHA: edit its mixing as it is");
        if (layer.kind != AttentionKind::mha)
            return ShownText::tr(
                "Only ordinary heads (MHA, GQA) can be interleaved; this model has others");
    }
    return {};
}

LoadOptions optionsFor(const QString& alphaOrder) {
    LoadOptions options;
    if (!alphaOrder.isEmpty()) options.settings["alphaOrder"] = alphaOrder.toStdString();
    return options;
}

Result<std::shared_ptr<const CheckpointShown>> listCheckpoint(
    const QString& path, const QString& alphaOrder, const std::function<bool()>& cancelled) {
    LoadOptions options = optionsFor(alphaOrder);
    options.weights = false;
    options.progress = [cancelled](const LoadProgress&) { return !cancelled(); };
    auto loaded = guarded([&] { return loadCheckpoint(path.toStdString(), options); });
    if (!loaded) return tl::unexpected(loaded.error());
    auto shown = shownOf(QFileInfo(path).fileName(), std::move(*loaded));
    shown->path = path;
    shown->alphaOrder = alphaOrder;
    for (const SourceFile& file : shown->file->source->files())
        shown->fileBytes += file.bytes.size();
    return std::shared_ptr<const CheckpointShown>(std::move(shown));
}

std::shared_ptr<const CheckpointShown> listModel(const QString& title, const Model& model) {
    LoadedCheckpoint loaded;
    loaded.source = sourceOfTensors(model.weights.entries());
    loaded.report.container = loaded.source->format();
    loaded.report.architecture = "headloom";
    loaded.report.title = "a model of this program";
    loaded.report.reason = "it is in memory and not in a file";
    loaded.report.headTied = model.config.tiedHead;
    for (const TensorEntry& entry : loaded.source->entries()) {
        loaded.report.tensors.push_back({entry.name, TensorUse::used, {entry.name}});
        ++loaded.report.types[entry.typeName];
    }
    if (!model.filter) loaded.config = model.config;
    return shownOf(title, std::move(loaded));
}

}  // namespace headloom
