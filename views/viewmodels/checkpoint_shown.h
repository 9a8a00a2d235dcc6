#pragma once

#include "core/io/architectures/load_checkpoint.h"
#include "views/viewmodels/tensor_forest.h"

#include <QString>

#include <functional>
#include <memory>

namespace headloom {

/// A checkpoint as it was listed: everything that is known without reading weights.
struct CheckpointShown {
    QString title;
    QString path;        ///< empty: a model in memory, such as one in training
    QString alphaOrder;  ///< ModelChoice::alphaOrder
    std::shared_ptr<const LoadedCheckpoint> file;
    std::shared_ptr<const TensorForest> forest;
    std::uint64_t fileBytes = 0;   ///< of all shards; 0 in memory
    std::uint64_t modelBytes = 0;  ///< of the weights as they run, float32; 0: it does not run
    std::int64_t numbers = 0;

    bool runs() const { return file->config.has_value(); }
    /// "llama · safetensors, 2 shards · 291 tensors · 6,738,415,616 numbers".
    QString summary() const;
    /// What file, mapping and running model take; `loaded`: the model runs already.
    QString memoryText(bool loaded) const;
    /// Why no IHA can be made of it; empty: it can.
    QString ihaRefusal() const;
};

/// What the user says of a file that does not say it itself.
LoadOptions optionsFor(const QString& alphaOrder);

/// Lists a file. Not for the UI thread: it may hold a million tensors.
Result<std::shared_ptr<const CheckpointShown>> listCheckpoint(
    const QString& path, const QString& alphaOrder, const std::function<bool()>& cancelled);
/// A model in memory as if it had been listed.
std::shared_ptr<const CheckpointShown> listModel(const QString& title, const Model& model);

}  // namespace headloom
