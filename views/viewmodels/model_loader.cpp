#include "views/viewmodels/model_loader.h"

#include "core/io/architectures/read_weights.h"
#include "core/models/model.h"

#include <QMetaObject>

#include <algorithm>
#include <atomic>

namespace headloom {

namespace {

/// Models up to this size stay when no column shows them: to come back to them costs nothing.
constexpr std::int64_t smallWeights = 32 << 20;
constexpr int loadBeatMilliseconds = 100;

/// Of a file as it is read, whatever tokenizer stands before it.
QString weightsKey(const ModelChoice& choice) {
    return choice.alphaOrder.isEmpty() ? choice.path
                                       : choice.path + QLatin1Char('\t') + choice.alphaOrder;
}

std::int64_t bytesOf(const Model& model) {
    return model.weights.parameterCount() * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace

/// Shared by the thread that reads and the one that watches.
struct ModelLoader::Load {
    QString title;
    std::atomic<std::uint64_t> done{0}, total{0};
    std::atomic<bool> stopped{false};
};

ModelLoader::ModelLoader(QObject* parent) : QObject(parent) {
    threads_.setMaxThreadCount(1);
    beat_.setInterval(loadBeatMilliseconds);
    connect(&beat_, &QTimer::timeout, this, &ModelLoader::progressed);
}

ModelLoader::~ModelLoader() {
    for (const auto& [key, load] : running_) load->stopped = true;
    threads_.clear();
    threads_.waitForDone();
}

QString ModelLoader::keyOf(const QString& exampleId, const ModelChoice& choice) {
    if (choice.path.isEmpty()) return exampleId + QLatin1Char('/') + choice.id;
    const QString weights = weightsKey(choice);
    return choice.tokenizer.isEmpty() ? weights : weights + QLatin1Char('\n') + choice.tokenizer;
}

const LoadedChoice* ModelLoader::find(const QString& key) const {
    const auto found = models_.find(key);
    return found == models_.end() ? nullptr : &found->second;
}

void ModelLoader::load(const QString& exampleId, const ModelChoice& choice) {
    const QString key = keyOf(exampleId, choice);
    if (find(key) || running_.contains(key)) return;
    auto load = std::make_shared<Load>();
    load->title = choice.title;
    running_[key] = load;
    const std::optional<LoadedChoice> base = withAnyTokenizer(choice);
    threads_.start([this, key, load, exampleId, choice, base] {
        const auto progress = [&load](const LoadProgress& reached) {
            load->total = reached.total;
            load->done = reached.done;
            return !load->stopped.load();
        };
        auto found = load->stopped ? Result<LoadedChoice>(fail(Error::Kind::interrupted, {}, {}))
                     : base        ? withOtherTokenizer(*base, choice)
                                   : loadChoice(exampleId, choice, progress);
        QMetaObject::invokeMethod(
            this, [this, key, load, found = std::move(found)] { receive(key, load, found); },
            Qt::QueuedConnection);
    });
    beat_.start();
}

std::optional<LoadedChoice> ModelLoader::withAnyTokenizer(const ModelChoice& choice) const {
    if (choice.path.isEmpty()) return std::nullopt;
    const QString weights = weightsKey(choice);
    for (const auto& [key, known] : models_)
        if (known.text && (key == weights || key.startsWith(weights + QLatin1Char('\n'))))
            return known;
    return std::nullopt;
}

void ModelLoader::receive(const QString& key, const std::shared_ptr<Load>& load,
                          const Result<LoadedChoice>& found) {
    const auto running = running_.find(key);
    if (running == running_.end() || running->second != load) return;  // stopped meanwhile
    running_.erase(running);
    if (running_.empty()) beat_.stop();
    if (found) models_[key] = *found;
    emit ended(key, found ? QString() : QString::fromStdString(found.error().sentence()));
}

void ModelLoader::keepOnly(const QStringList& keys) {
    for (auto load = running_.begin(); load != running_.end();) {
        if (keys.contains(load->first)) {
            ++load;
            continue;
        }
        load->second->stopped = true;
        load = running_.erase(load);
    }
    if (running_.empty()) beat_.stop();
    std::erase_if(models_, [&](const auto& entry) {
        return !keys.contains(entry.first) && bytesOf(*entry.second.model) > smallWeights;
    });
}

std::optional<LoadingShown> ModelLoader::progress(const QString& key) const {
    const auto found = running_.find(key);
    if (found == running_.end()) return std::nullopt;
    return LoadingShown{found->second->title, found->second->done, found->second->total};
}

}  // namespace headloom
