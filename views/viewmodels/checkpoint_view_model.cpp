#include "views/viewmodels/checkpoint_view_model.h"

#include "core/io/architectures/weight_checks.h"
#include "core/io/model_file.h"
#include "core/models/guarded.h"
#include "core/session/doctor.h"
#include "core/session/iha_from_mha.h"
#include "views/viewmodels/explore_session.h"
#include "views/viewmodels/words.h"

#include <QFileInfo>

#include <algorithm>
#include <atomic>

namespace headloom {

namespace {

/// Models up to this are loaded without being asked for.
constexpr std::uint64_t loadedAtOnce = std::uint64_t{64} << 20;
/// Running a model for the doctor takes seconds above this, and cannot be stopped.
constexpr std::uint64_t examinedAtMost = std::uint64_t{1} << 30;
constexpr int progressBeatMs = 100;

std::uint64_t bytesOf(const ModelConfig& config) {
    std::uint64_t bytes = 0;
    for (const WeightSpec& spec : weightSpecs(config))
        bytes += static_cast<std::uint64_t>(spec.shape.count()) * sizeof(float);
    return bytes;
}

/// Worked out on the worker: a file may list a million tensors.
std::shared_ptr<const CheckpointShown> shownOf(const QString& title, const QString& path,
                                               LoadedCheckpoint loaded,
                                               const QString& alphaOrder = {}) {
    auto shown = std::make_shared<CheckpointShown>();
    shown->title = title;
    shown->alphaOrder = alphaOrder;
    shown->path = path;
    if (!path.isEmpty())
        for (const SourceFile& file : loaded.source->files()) shown->fileBytes += file.bytes.size();
    for (const TensorEntry& entry : loaded.source->entries()) shown->numbers += entry.count();
    if (loaded.config) shown->modelBytes = bytesOf(*loaded.config);
    shown->forest = forestOf(*loaded.source, loaded.report);
    shown->file = std::make_shared<const LoadedCheckpoint>(std::move(loaded));
    return shown;
}

LoadOptions optionsFor(const QString& alphaOrder) {
    LoadOptions options;
    if (!alphaOrder.isEmpty()) options.settings["alphaOrder"] = alphaOrder.toStdString();
    return options;
}

/// A model in memory as if it had been listed.
LoadedCheckpoint listed(const Model& model) {
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
    return loaded;
}

}  // namespace

/// How far a load has come, written by the worker.
struct CheckpointViewModel::Reached {
    std::atomic<std::uint64_t> done{0}, total{0};
};

CheckpointViewModel::CheckpointViewModel(ExploreSession& session, QObject* parent)
    : QObject(parent), session_(session), filter_(tree_) {
    beat_.setInterval(progressBeatMs);
    connect(&beat_, &QTimer::timeout, this, &CheckpointViewModel::modelChanged);
    connect(&opener_, &LatestJob::busyChanged, this, &CheckpointViewModel::openingChanged);
    connect(&loader_, &LatestJob::busyChanged, this, [this] {
        loading() ? beat_.start() : beat_.stop();
        emit modelChanged();
    });
    connect(&writer_, &LatestJob::busyChanged, this, &CheckpointViewModel::modelChanged);
    connect(&session, &ExploreSession::stateChanged, this, [this] {
        emit choicesChanged();
        goOnWithIha();
    });
    connect(&session, &ExploreSession::answered, this, &CheckpointViewModel::goOnWithIha);
    connect(&session, &ExploreSession::failed, this, [this] { wantedIha_ = 0; });
}

CheckpointViewModel::~CheckpointViewModel() = default;

void CheckpointViewModel::open(const QString& path, const QString& alphaOrder) {
    const QFileInfo info(path);
    const QString whole = info.absoluteFilePath(), title = info.fileName();
    opener_.start([this, whole, title, alphaOrder](const auto& cancelled) -> LatestJob::Deliver {
        LoadOptions options = optionsFor(alphaOrder);
        options.weights = false;
        options.progress = [cancelled](const LoadProgress&) { return !cancelled(); };
        auto loaded = guarded([&] { return loadCheckpoint(whole.toStdString(), options); });
        if (!loaded)
            return [this, sentence = sentenceOf(loaded.error())] { emit failed(sentence); };
        auto shown = shownOf(title, whole, std::move(*loaded), alphaOrder);
        return [this, shown] {
            const bool known =
                std::any_of(opened_.begin(), opened_.end(),
                            [&](const CheckpointChoice& one) { return one.path == shown->path; });
            if (!known) opened_.push_back({shown->title, shown->path, nullptr});
            adopt(shown, nullptr);
        };
    });
}

void CheckpointViewModel::show(const CheckpointChoice& choice) {
    if (!choice.path.isEmpty()) return open(choice.path, choice.alphaOrder);
    opener_.cancel();
    if (choice.model) adopt(shownOf(choice.title, {}, listed(*choice.model)), choice.model);
}

void CheckpointViewModel::showColumn() {
    if (shown_ || opening()) return;
    const std::vector<CheckpointChoice> known = choices();
    if (!known.empty()) show(known.front());
}

std::vector<CheckpointChoice> CheckpointViewModel::choices() const {
    std::vector<CheckpointChoice> all;
    for (const Side side : bothSides) {
        const SessionState::Column& column =
            session_.state().columns[static_cast<std::size_t>(indexOf(side))];
        if (column.choice.path.isEmpty() && !column.model) continue;
        const QString title = side == Side::left ? tr("Left column: %1").arg(column.choice.title)
                                                 : tr("Right column: %1").arg(column.choice.title);
        all.push_back({title, column.choice.path,
                       column.choice.path.isEmpty() ? column.model : nullptr,
                       column.choice.alphaOrder});
    }
    all.insert(all.end(), opened_.begin(), opened_.end());
    return all;
}

bool CheckpointViewModel::isShown(const CheckpointChoice& choice) const {
    if (!shown_) return false;
    return choice.path.isEmpty() ? choice.model && choice.model == model_
                                 : choice.path == shown_->path;
}

void CheckpointViewModel::adopt(std::shared_ptr<const CheckpointShown> shown,
                                std::shared_ptr<const Model> model) {
    loader_.cancel();
    doctor_.cancel();
    wantedIha_ = 0;
    shown_ = std::move(shown);
    model_.reset();
    found_ = shown_->file->report;
    tensor_.setFile(shown_->file);
    tree_.setForest(shown_->forest);
    reportTree_.setGroups(reportGroups(found_));
    head_.setModel(nullptr);
    if (!model)
        for (const Side side : bothSides)
            if (!model) model = inColumn(side);
    emit shownChanged();
    if (model && runs())
        takeModel(std::move(model));
    else if (runs() && shown_->modelBytes <= loadedAtOnce)
        loadModel();
    emit choicesChanged();
}

QString CheckpointViewModel::reportText() const {
    return QString::fromStdString(found_.text());
}

QString CheckpointViewModel::summary() const {
    if (!shown_) return {};
    const LoadReport& report = shown_->file->report;
    const QString kind = shown_->file->config
                             ? QString::fromStdString(shown_->file->config->summary())
                         : report.architecture.empty() ? tr("no known architecture")
                                                       : QString::fromStdString(report.title);
    return tr("%1 · %2 · %3 tensors · %4 numbers")
        .arg(kind, QString::fromStdString(report.container),
             countText(shown_->forest->tensorCount()), countText(shown_->numbers));
}

QString CheckpointViewModel::memoryText() const {
    if (!shown_) return {};
    const auto bytes = [](std::uint64_t count) {
        return bytesText(static_cast<std::int64_t>(count));
    };
    const QString model =
        !runs()  ? tr("does not run here")
        : model_ ? tr("the loaded model takes %1 (float32)").arg(bytes(shown_->modelBytes))
                 : tr("the running model would take %1 (float32)").arg(bytes(shown_->modelBytes));
    if (shown_->path.isEmpty()) return tr("in memory, no file · %1").arg(model);
    return tr("file %1, all of it mapped and read where it is looked at · %2")
        .arg(bytes(shown_->fileBytes), model);
}

double CheckpointViewModel::loadShare() const {
    const std::uint64_t total = reached_ ? reached_->total.load() : 0;
    return total > 0 ? static_cast<double>(reached_->done.load()) / static_cast<double>(total) : 0;
}

void CheckpointViewModel::loadModel() {
    if (!runs() || model_ || loading()) return;
    reached_ = std::make_shared<Reached>();
    loader_.start([this, path = shown_->path.toStdString(), order = shown_->alphaOrder,
                   reached = reached_](const auto& cancelled) -> LatestJob::Deliver {
        LoadOptions options = optionsFor(order);
        options.progress = [&](const LoadProgress& progress) {
            reached->done = progress.done;
            reached->total = progress.total;
            return !cancelled();
        };
        auto loaded = guarded([&] { return loadCheckpoint(path, options); });
        if (!loaded)
            return [this, sentence = sentenceOf(loaded.error())] { emit failed(sentence); };
        if (!loaded->model)
            return [this, sentence = QString::fromStdString(loaded->report.notRunnable)] {
                emit failed(sentence);
            };
        auto model = std::make_shared<const Model>(std::move(*loaded->model));
        return [this, model] { takeModel(model); };
    });
}

void CheckpointViewModel::cancelLoad() {
    loader_.cancel();
}

void CheckpointViewModel::takeModel(std::shared_ptr<const Model> model) {
    model_ = std::move(model);
    head_.setModel(model_);
    examine();
    emit modelChanged();
}

void CheckpointViewModel::examine() {
    const bool small = shown_->modelBytes <= examinedAtMost;
    doctor_.start([this, model = model_, small](const auto& cancelled) -> LatestJob::Deliver {
        std::vector<std::string> warnings = checkNumbers(model->weights);
        std::vector<std::string> notes;
        if (!small) {
            notes.push_back(
                tr("attention was not looked at: the model is too large for a quick run")
                    .toStdString());
        } else if (!cancelled()) {
            const auto distance = guarded([&]() -> Result<double> {
                auto backend = makeBackend("cpu", 1);
                if (!backend) return tl::unexpected(backend.error());
                return distanceFromUniform(*model, **backend);
            });
            const std::string hint = distance ? uniformAttentionHint(*distance) : std::string();
            if (!hint.empty()) warnings.push_back(hint);
            if (distance && hint.empty())
                notes.push_back(tr("attention tells tokens apart (distance from uniform %1 of 1)")
                                    .arg(*distance, 0, 'f', 2)
                                    .toStdString());
        }
        return [this, notes, warnings] { note(notes, warnings); };
    });
}

void CheckpointViewModel::note(const std::vector<std::string>& notes,
                               const std::vector<std::string>& warnings) {
    const auto append = [](std::vector<std::string>& to, const std::vector<std::string>& what) {
        for (const std::string& line : what)
            if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
    };
    append(found_.notes, notes);
    append(found_.warnings, warnings);
    reportTree_.setGroups(reportGroups(found_));
    emit modelChanged();
}

void CheckpointViewModel::compareWithLogits(const QString& path) {
    if (!model_) return;
    doctor_.start(
        [this, model = model_, file = path.toStdString()](const auto&) -> LatestJob::Deliver {
            const auto parity = guarded([&]() -> Result<Parity> {
                auto backend = makeBackend("cpu", 1);
                if (!backend) return tl::unexpected(backend.error());
                return compareLogits(*model, file, {}, **backend);
            });
            if (!parity)
                return [this, sentence = sentenceOf(parity.error())] { emit failed(sentence); };
            return [this, found = *parity] {
                const std::vector<std::string> line = {found.sentence()};
                found.firstDifferent < 0 ? note(line, {}) : note({}, line);
                emit told(QString::fromStdString(line.front()));
            };
        });
}

void CheckpointViewModel::exportModel(const QString& path) {
    if (!model_) return;
    writer_.start([this, model = model_, path](const auto&) -> LatestJob::Deliver {
        const auto saved = guarded([&] { return saveModel(path.toStdString(), *model); });
        if (!saved) return [this, sentence = sentenceOf(saved.error())] { emit failed(sentence); };
        QString sentence = tr("%1 is written (%2).").arg(path, bytesText(QFileInfo(path).size()));
        if (model->vocabulary.empty() || model->vocabulary.tokenizer())
            sentence +=
                tr(" Its tokenizer is not part of it: keep the tokenizer's file beside it.");
        return [this, sentence] { emit told(sentence); };
    });
}

QString CheckpointViewModel::ihaRefusal() const {
    if (!shown_) return tr("Open a checkpoint first");
    if (!runs()) return tr("Only a model that runs here can be interleaved");
    for (const LayerConfig& layer : shown_->file->config->layers) {
        if (layer.kind == AttentionKind::iha)
            return tr("This model is already IHA: edit its mixing as it is");
        if (layer.kind != AttentionKind::mha)
            return tr("Only ordinary heads (MHA, GQA) can be interleaved; this model has others");
    }
    return {};
}

std::shared_ptr<const Model> CheckpointViewModel::inColumn(Side side) const {
    const SessionState::Column& column =
        session_.state().columns[static_cast<std::size_t>(indexOf(side))];
    if (!shown_ || !column.model) return nullptr;
    const bool same = shown_->path.isEmpty() ? column.model == model_
                                             : column.choice.path == shown_->path &&
                                                   column.choice.alphaOrder == shown_->alphaOrder;
    return same ? column.model : nullptr;
}

void CheckpointViewModel::openInColumn(Side side) {
    if (!shown_) return;
    if (!shown_->path.isEmpty())
        session_.openFile(side, shown_->path, {}, shown_->alphaOrder);
    else if (model_)
        session_.openModel(side, QString::fromStdString(model_->name), model_);
}

QStringList CheckpointViewModel::alphaOrders() const {
    QStringList orders;
    if (!shown_) return orders;
    if (const auto& question = shown_->file->report.question)
        for (const std::string& answer : question->answers)
            orders << QString::fromStdString(answer);
    // an answer may be taken back
    if (orders.isEmpty() && !shown_->alphaOrder.isEmpty()) orders = alphaOrders_;
    return orders;
}

void CheckpointViewModel::setAlphaOrder(const QString& order) {
    alphaOrders_ = alphaOrders();
    if (shown_ && order != shown_->alphaOrder) open(shown_->path, order);
}

void CheckpointViewModel::openBothOrders() {
    const QStringList orders = alphaOrders();
    if (orders.size() < 2) return;
    alphaOrders_ = orders;
    session_.openFile(Side::left, shown_->path, {}, orders[0]);
    session_.openFile(Side::right, shown_->path, {}, orders[1]);
    emit pairOpened();
}

void CheckpointViewModel::makeIha(int nPseudo) {
    if (const QString refusal = ihaRefusal(); !refusal.isEmpty()) {
        emit failed(refusal);
        return;
    }
    wantedIha_ = nPseudo;
    if (inColumn(Side::left) || inColumn(Side::right)) return goOnWithIha();
    // The column's model knows the tokens that both will read.
    openInColumn(Side::left);
}

void CheckpointViewModel::goOnWithIha() {
    if (wantedIha_ == 0 || session_.busy()) return;
    const Side side = inColumn(Side::left) ? Side::left : Side::right;
    const std::shared_ptr<const Model> mha = inColumn(side);
    if (!mha) return;
    maker_.start([this, mha, side,
                  nPseudo = std::exchange(wantedIha_, 0)](const auto&) -> LatestJob::Deliver {
        const auto made = guarded([&] { return ihaFromMha(*mha, nPseudo); });
        if (!made) return [this, sentence = sentenceOf(made.error())] { emit failed(sentence); };
        return [this, iha = *made, other = side == Side::left ? Side::right : Side::left] {
            session_.openModel(other, QString::fromStdString(iha->name), iha);
            emit pairOpened();
        };
    });
}

}  // namespace headloom
