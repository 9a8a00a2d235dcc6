#include "views/viewmodels/theory_bank_model.h"

#include "core/theory/edge_list.h"

#include <QThread>

#include <algorithm>

namespace headloom {

namespace {

std::shared_ptr<Backend> fastBackend() {
    return makeCpuBackend(std::clamp(QThread::idealThreadCount(), 1, 4));
}

}  // namespace

TheoryBankModel::TheoryBankModel(QObject* parent) : QObject(parent) {}

void TheoryBankModel::begin() {
    if (bankBackend_) return;
    bankBackend_ = fastBackend();
    fitBackend_ = makeCpuBackend(1);
    start();
}

QStringList TheoryBankModel::graphNames() {
    QStringList names;
    for (const std::string& name : filterGraphNames()) names << QString::fromStdString(name);
    return names;
}

void TheoryBankModel::setSize(const BankSize& size) {
    if (size.nFilters == size_.nFilters && size.nNodes == size_.nNodes && size.dNode == size_.dNode)
        return;
    size_ = size;
    start();
}

void TheoryBankModel::setFewHeads(int heads) {
    const int within = std::clamp(heads, 1, std::max(1, size_.nFilters));
    if (within == fewHeads_) return;
    fewHeads_ = within;
    emit askedChanged();
    // while a bank is on its way the fit starts after it
    if (bank_ && !banks_.busy()) startFit();
}

void TheoryBankModel::setGraph(const QString& name) {
    if (name == graph_) return;
    graph_ = name;
    file_.clear();
    start();
}

void TheoryBankModel::setGraphFile(const QString& path) {
    auto text = readEdgeList(path.toStdString());
    const auto graph = text ? graphFromEdges(*text, path.toStdString())
                            : Result<Tensor>(tl::unexpected(text.error()));
    if (!graph) {
        emit failed(QString::fromStdString(graph.error().sentence()));
        return emit askedChanged();  // the choice of a graph goes back to what it was
    }
    graph_.clear();
    file_ = path;
    edges_ = std::move(*text);
    size_.nNodes = static_cast<int>(graph->size(0));
    start();
}

void TheoryBankModel::setHop(int hop) {
    const int within = std::clamp(hop, 0, std::max(0, size_.nFilters - 1));
    if (within == hop_) return;
    hop_ = within;
    emit placeChanged();
}

void TheoryBankModel::setNode(int node) {
    if (node == node_ || node < 0 || node >= size_.nNodes) return;
    node_ = node;
    emit placeChanged();
}

void TheoryBankModel::clampPlace() {
    hop_ = std::clamp(hop_, 0, std::max(0, size_.nFilters - 1));
    node_ = std::clamp(node_, 0, std::max(0, size_.nNodes - 1));
    fewHeads_ = std::clamp(fewHeads_, 1, std::max(1, size_.nFilters));
}

void TheoryBankModel::fail(const Error& error) {
    problem_ = QString::fromStdString(error.sentence());
    banks_.cancel();
    fits_.cancel();
    bank_.reset();
    few_.reset();
    followed_ = false;
    emit askedChanged();
    emit bankChanged();
    emit fewChanged();
}

void TheoryBankModel::start() {
    clampPlace();
    if (const auto fine = validate(size_); !fine) return fail(fine.error());
    const auto matrix = graph_.isEmpty()
                            ? graphFromEdges(edges_, file_.toStdString(), size_.nNodes)
                            : filterGraphFrom(graph_.toStdString()).map([this](FilterGraph graph) {
                                  return graphMatrix(graph, size_.nNodes);
                              });
    if (!matrix) return fail(matrix.error());
    matrix_ = *matrix;
    problem_.clear();
    emit askedChanged();
    if (!bankBackend_) return;
    fits_.cancel();
    follow();
    banks_.start([this, size = size_, graph = matrix_, backend = bankBackend_](
                     const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        auto made = runBank(size, graph, bankSignal(size), DType::f32, *backend, cancelled);
        return [this, made = std::move(made)] {
            if (!made) return fail(made.error());
            bank_ = std::make_shared<const PolynomialBank>(*made);
            emit bankChanged();
            startFit();
        };
    });
}

void TheoryBankModel::follow() {
    if (followed_) return;
    followed_ = true;
    emit fewChanged();
}

void TheoryBankModel::startFit() {
    follow();
    fits_.start([this, bank = bank_, heads = fewHeads_, backend = fitBackend_](
                    const LatestJob::Cancelled& cancelled) -> LatestJob::Deliver {
        auto made = fitFewHeads(bank->size, *bank->powers, heads, DType::f32, *backend, cancelled);
        return [this, made = std::move(made)] {
            if (!made) return fail(made.error());
            few_ = std::make_shared<const FewHeads>(*made);
            followed_ = false;
            emit fewChanged();
        };
    });
}

std::vector<ConstructedTile> TheoryBankModel::tiles(bool interleaved) const {
    if (!bank_) return {};
    const BankArm& arm = interleaved ? bank_->iha : bank_->mha;
    return constructedTiles(arm.tiles, arm.nPseudo, bank_->size.nFilters);
}

std::vector<float> TheoryBankModel::spread() const {
    std::vector<float> values;
    if (!bank_ || hop_ >= bank_->size.nFilters || node_ >= bank_->size.nNodes) return values;
    const Tensor power = bank_->iha.tiles.at(hop_);
    const std::int64_t nodes = power.size(0);
    for (std::int64_t n = 0; n < nodes; ++n)
        values.push_back(power.data<float>()[n * nodes + node_]);
    return values;
}

}  // namespace headloom
