#include "views/viewmodels/theory_cpm3_model.h"

#include "core/theory/bank_size.h"

#include <QStringList>
#include <QThread>

#include <algorithm>
#include <string_view>

namespace headloom {

namespace {

/// As many digits of pi as a sequence may have symbols.
constexpr std::string_view piDigits =
    "3141592653589793238462643383279502884197169399375105820974944592";
static_assert(piDigits.size() == Cpm3Task::mostTokens);

int piDigit(std::size_t i) {
    return piDigits[i] - '0';
}

QString textOf(const std::vector<int>& sequence) {
    QStringList symbols;
    for (const int symbol : sequence) symbols << QString::number(symbol);
    return symbols.join(QStringLiteral(", "));
}

constexpr int startingTokens = 9;

}  // namespace

TheoryCpm3Model::TheoryCpm3Model(QObject* parent) : QObject(parent) {
    for (std::size_t i = 0; i < startingTokens; ++i) task_.sequence.push_back(piDigit(i));
    text_ = textOf(task_.sequence);
}

void TheoryCpm3Model::begin() {
    if (backend_) return;
    backend_ = makeCpuBackend(std::clamp(QThread::idealThreadCount(), 1, 4));
    start();
}

int TheoryCpm3Model::headsFor(int nTokens, bool interleaved) {
    return interleaved ? interleavedHeads(nTokens) : nTokens;
}

void TheoryCpm3Model::setSequence(const QString& text) {
    if (text == text_) return;
    text_ = text;
    auto sequence = sequenceFrom(text.toStdString());
    if (!sequence) return fail(sequence.error());
    task_.sequence = std::move(*sequence);
    start();
}

void TheoryCpm3Model::setTokens(int count) {
    Cpm3Task task = task_;
    const auto size = static_cast<std::size_t>(std::clamp(count, 1, Cpm3Task::mostTokens));
    for (std::size_t i = task.sequence.size(); i < size; ++i) task.sequence.push_back(piDigit(i));
    task.sequence.resize(size);
    setTask(std::move(task));
}

void TheoryCpm3Model::setG(int g) {
    Cpm3Task task = task_;
    task.g = g;
    setTask(std::move(task));
}

void TheoryCpm3Model::setM(int m) {
    Cpm3Task task = task_;
    task.m = m;
    setTask(std::move(task));
}

void TheoryCpm3Model::setTask(Cpm3Task task) {
    task_ = std::move(task);
    text_ = textOf(task_.sequence);
    start();
}

void TheoryCpm3Model::setStage(Cpm3Stage stage) {
    if (stage == stage_) return;
    stage_ = stage;
    emit placeChanged();
}

void TheoryCpm3Model::setToken(int token) {
    const int within = std::clamp(token, 0, std::max(0, task_.nTokens() - 1));
    if (within == token_) return;
    token_ = within;
    emit placeChanged();
}

void TheoryCpm3Model::step(int by) {
    const bool counting = stage_ == Cpm3Stage::count;
    if (counting && (by > 0 || token_ > 0)) return setToken(token_ + by);
    setStage(static_cast<Cpm3Stage>(
        std::clamp(static_cast<int>(stage_) + by, 0, static_cast<int>(Cpm3Stage::count))));
}

void TheoryCpm3Model::fail(const Error& error) {
    problem_ = QString::fromStdString(error.sentence());
    job_.cancel();
    run_.reset();
    emit askedChanged();
    emit runChanged();
}

void TheoryCpm3Model::start() {
    if (const auto fine = validate(task_); !fine) return fail(fine.error());
    problem_.clear();
    token_ = std::clamp(token_, 0, task_.nTokens() - 1);
    emit askedChanged();
    if (!backend_) return;
    job_.start([this, task = task_,
                backend = backend_](const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        auto made = runCpm3(task, DType::f32, *backend, cancelled);
        return [this, made = std::move(made)] {
            if (!made) return fail(made.error());
            run_ = std::make_shared<const Cpm3Run>(*made);
            emit runChanged();
        };
    });
}

std::vector<ConstructedTile> TheoryCpm3Model::tiles(bool interleaved) const {
    if (!run_) return {};
    const Cpm3Arm& arm = interleaved ? run_->iha : run_->mha;
    return constructedTiles(arm.tiles, arm.nPseudo, run_->task.nTokens());
}

std::vector<float> TheoryCpm3Model::matrix(bool interleaved) const {
    if (!run_) return {};
    const Cpm3Arm& arm = interleaved ? run_->iha : run_->mha;
    // an answer may still be that of a longer sequence, or of a shorter one
    const int row = std::min(token_, run_->task.nTokens() - 1);
    const Tensor shown = stage_ == Cpm3Stage::count ? arm.hidden.at(row) : arm.workspace;
    const auto values = shown.values<double>();
    return {values.begin(), values.end()};
}

}  // namespace headloom
