#include "views/viewmodels/checkpoint_view_model.h"

#include "core/io/model_file.h"
#include "core/models/guarded.h"
#include "views/viewmodels/explore_session.h"
#include "views/viewmodels/words.h"

#include <QFileInfo>

#include <algorithm>

namespace headloom {

namespace {

/// Models up to this are loaded without being asked for.
constexpr std::uint64_t loadedAtOnce = std::uint64_t{64} << 20;
/// Running a model for the doctor takes seconds above this.
constexpr std::uint64_t examinedAtOnce = std::uint64_t{1} << 30;

}  // namespace

CheckpointViewModel::CheckpointViewModel(ExploreSession& session, QObject* parent)
    : QObject(parent),
      session_(session),
      filter_(tree_),
      beside_(session, [this](Side side) { return inColumn(side); }) {
    connect(&opener_, &LatestJob::busyChanged, this, &CheckpointViewModel::openingChanged);
    connect(&writer_, &LatestJob::busyChanged, this, &CheckpointViewModel::modelChanged);
    connect(&weights_, &CheckpointWeights::progressed, this, &CheckpointViewModel::modelChanged);
    connect(&weights_, &CheckpointWeights::loaded, this, &CheckpointViewModel::takeModel);
    connect(&weights_, &CheckpointWeights::failed, this, &CheckpointViewModel::failed);
    connect(&doctor_, &CheckpointDoctor::found, this, &CheckpointViewModel::modelChanged);
    connect(&doctor_, &CheckpointDoctor::told, this, &CheckpointViewModel::told);
    connect(&doctor_, &CheckpointDoctor::failed, this, &CheckpointViewModel::failed);
    connect(&beside_, &IhaBeside::made, this, &CheckpointViewModel::pairOpened);
    connect(&beside_, &IhaBeside::failed, this, &CheckpointViewModel::failed);
    connect(&session, &ExploreSession::stateChanged, this, &CheckpointViewModel::choicesChanged);
    connect(&session, &ExploreSession::stateChanged, this, &CheckpointViewModel::takeFromColumn);
}

CheckpointViewModel::~CheckpointViewModel() = default;

void CheckpointViewModel::open(const QString& path, const QString& alphaOrder) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    opener_.start([this, whole, alphaOrder](const auto& cancelled) -> LatestJob::Deliver {
        const auto listed = listCheckpoint(whole, alphaOrder, cancelled);
        if (!listed)
            return [this, sentence = sentenceOf(listed.error())] { emit failed(sentence); };
        return [this, shown = *listed] {
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
    if (choice.model) adopt(listModel(choice.title, *choice.model), choice.model);
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
    weights_.cancel();
    beside_.giveUp();
    shown_ = std::move(shown);
    model_.reset();
    doctor_.setReport(shown_->file->report);
    tensor_.setFile(shown_->file);
    tree_.setForest(shown_->forest);
    head_.setModel(nullptr);
    emit shownChanged();
    if (model && runs())
        takeModel(std::move(model));
    else
        takeFromColumn();
    if (!model_ && shown_->modelBytes <= loadedAtOnce) loadModel();
    emit choicesChanged();
}

void CheckpointViewModel::loadModel() {
    if (runs() && !model_ && !weights_.loading()) weights_.load(*shown_);
}

void CheckpointViewModel::takeModel(std::shared_ptr<const Model> model) {
    model_ = std::move(model);
    head_.setModel(model_);
    using Attention = CheckpointDoctor::Attention;
    doctor_.examine(model_,
                    shown_->modelBytes <= examinedAtOnce ? Attention::lookAt : Attention::leaveOut);
    emit modelChanged();
}

void CheckpointViewModel::takeFromColumn() {
    if (!runs() || model_) return;
    for (const Side side : bothSides)
        if (auto model = inColumn(side)) {
            weights_.cancel();
            takeModel(std::move(model));
            return;
        }
}

void CheckpointViewModel::examine() {
    if (model_) doctor_.examine(model_, CheckpointDoctor::Attention::lookAt);
}

void CheckpointViewModel::compareWithLogits(const QString& path) {
    if (model_) doctor_.compareWithLogits(model_, path);
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
    return shown_ ? shown_->ihaRefusal() : tr("Open a checkpoint first");
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
    beside_.make(nPseudo);
    // The column's model knows the tokens that both will read.
    if (!inColumn(Side::left) && !inColumn(Side::right)) openInColumn(Side::left);
}

}  // namespace headloom
