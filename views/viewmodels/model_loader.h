#pragma once

#include "views/viewmodels/catalogue.h"

#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <map>
#include <memory>
#include <optional>

namespace headloom {

/// A load on its way, in bytes of the model's weights; a total of 0: not known yet.
struct LoadingShown {
    QString title;
    std::uint64_t done = 0, total = 0;
};

/// Reads models on a thread of its own, one after the other, and keeps what was read. A load is
/// known by its key: whoever wants the same model waits for the same load.
class ModelLoader : public QObject {
    Q_OBJECT
  public:
    explicit ModelLoader(QObject* parent = nullptr);
    /// Stops what is being read and waits for it.
    ~ModelLoader() override;

    static QString keyOf(const QString& exampleId, const ModelChoice& choice);

    /// Null where the model has not been read, or was let go.
    const LoadedChoice* find(const QString& key) const;
    /// Starts reading unless the model is there or on its way. With another tokenizer only that is
    /// read anew.
    void load(const QString& exampleId, const ModelChoice& choice);
    /// Stops the loads of all other keys, and lets their models go where they take much memory.
    void keepOnly(const QStringList& keys);
    /// Where a load has come; none where nothing of that key is on its way.
    std::optional<LoadingShown> progress(const QString& key) const;

  signals:
    /// The model is there, or `problem` says why not.
    void ended(const QString& key, const QString& problem);
    /// Some load has come further; at most ten times a second.
    void progressed();

  private:
    struct Load;
    /// The choice's checkpoint as it was read before, with whatever tokenizer.
    std::optional<LoadedChoice> withAnyTokenizer(const ModelChoice& choice) const;
    void receive(const QString& key, const std::shared_ptr<Load>& load,
                 const Result<LoadedChoice>& found);

    std::map<QString, LoadedChoice> models_;
    std::map<QString, std::shared_ptr<Load>> running_;
    QThreadPool threads_;
    QTimer beat_;
};

}  // namespace headloom
