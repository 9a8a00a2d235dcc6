#pragma once

#include "core/models/graph.h"
#include "core/theory/few_heads.h"
#include "core/theory/polynomial_bank.h"
#include "views/viewmodels/constructed_tile.h"
#include "views/viewmodels/latest_job.h"

#include <QStringList>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headloom {

/// The polynomial filter bank as it is turned on the Theory page: what is asked for, and what a
/// worker has made of it. A newer size replaces one that waits. The fit of too few heads follows
/// the bank, so that the maps need not wait for it.
class TheoryBankModel : public QObject {
    Q_OBJECT
  public:
    explicit TheoryBankModel(QObject* parent = nullptr);

    /// Nothing is worked out before the first call: of a page that nobody looks at.
    void begin();
    const BankSize& size() const { return size_; }
    void setSize(const BankSize& size);
    /// Heads of the MHA that has too few; kept within 1..k.
    int fewHeads() const { return fewHeads_; }
    void setFewHeads(int heads);

    static QStringList graphNames();
    /// A name of graphNames, or empty: the edges of a file.
    QString graph() const { return graph_; }
    void setGraph(const QString& name);
    /// The number of nodes becomes the file's. A file that cannot be used changes nothing.
    void setGraphFile(const QString& path);
    QString graphFile() const { return file_; }

    /// Hops that the signal has spread, 0..k-1, and the node that it starts from.
    int hop() const { return hop_; }
    void setHop(int hop);
    int node() const { return node_; }
    void setNode(int node);

    /// Why what is asked for cannot be had; empty: it can.
    QString problem() const { return problem_; }
    /// Null while there is none: before the first answer, and where there is a problem.
    const PolynomialBank* bank() const { return bank_.get(); }
    const FewHeads* few() const { return few_.get(); }
    /// The fit is of what was asked for before: that of now is on its way.
    bool fitFollows() const { return followed_; }
    std::vector<ConstructedTile> tiles(bool interleaved) const;
    /// What has come from the chosen node after the chosen number of hops, node by node: a column
    /// of the tile that says A^hop. Empty without a bank.
    std::vector<float> spread() const;
    bool busy() const { return banks_.busy() || fits_.busy(); }

  signals:
    void askedChanged();  ///< size, graph, heads or the problem
    void bankChanged();   ///< a new bank, or none
    void fewChanged();    ///< a new fit, or none, or one is on its way
    void placeChanged();  ///< hop or node
    void failed(const QString& sentence);

  private:
    void start();
    void startFit();
    void follow();
    void fail(const Error& error);
    void clampPlace();

    BankSize size_{9, 24, 1};
    int fewHeads_ = 3, hop_ = 0, node_ = 0;
    bool followed_ = false;
    QString graph_ = QStringLiteral("shift"), file_, problem_;
    std::string edges_;  ///< what the file held when it was opened
    Tensor matrix_;      ///< as asked for
    std::shared_ptr<const PolynomialBank> bank_;
    std::shared_ptr<const FewHeads> few_;
    std::shared_ptr<Backend> bankBackend_, fitBackend_;  ///< one a thread; null before begin
    LatestJob banks_, fits_;
};

}  // namespace headloom
