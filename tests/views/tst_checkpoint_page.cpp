#include "core/io/safetensors.h"
#include "tests/views/session_fixture.h"
#include "views/viewmodels/checkpoint_view_model.h"
#include "views/viewmodels/column_run.h"

#include <QAbstractItemModelTester>
#include <QSemaphore>

#include <cmath>
#include <utility>

using namespace headloom;

namespace {

/// A small model under TransformerLens's names, with one tensor that nothing knows.
QString modelFile(const QTemporaryDir& folder, AttentionKind kind = AttentionKind::mha) {
    ModelConfig config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dVocab = 12;
    config.nCtx = 10;
    config.learnedPositions = true;
    config.layers.resize(2);
    Model model;
    model.config = config;
    for (LayerConfig& layer : model.config.layers) {
        layer.kind = kind;
        layer.nPseudo = kind == AttentionKind::iha ? 2 : 1;
    }
    const Weights weights = initialWeights(model.config, 3);
    std::vector<std::pair<std::string, Tensor>> tensors = weights.entries();
    if (kind == AttentionKind::mha)
        tensors.emplace_back("some.strange.thing", Tensor::of<float>({3}, {1, 2, NAN}));
    const QString path = folder.filePath("model.safetensors");
    std::map<std::string, std::string> metadata;
    if (kind == AttentionKind::iha)
        metadata = {{"headloom.format", "1"},
                    {"headloom.config", toJson(model.config)},
                    {"iha.alpha_order", "source_target_pseudo"}};
    return writeSafetensors(path.toStdString(), tensors, metadata) ? path : QString();
}

QString looseFile(const QTemporaryDir& folder) {
    const QString path = folder.filePath("loose.safetensors");
    return writeSafetensors(path.toStdString(),
                            {{"a.b", Tensor::of<float>({2, 2}, {3, 0, 0, -4})},
                             {"a.b.c", Tensor::of<float>({3}, {1, 2, 3})},
                             {"h.10.w", Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
                             {"h.9.w", Tensor::of<float>({1}, {7})}})
               ? path
               : QString();
}

struct Page {
    Page() : checkpoint(explore.session()) {
        QObject::connect(&checkpoint, &CheckpointViewModel::failed, &checkpoint,
                         [this](const QString& sentence) { problem = sentence; });
    }
    bool open(const QString& path) {
        checkpoint.open(path);
        return QTest::qWaitFor([this] { return !checkpoint.opening(); }, 20'000);
    }
    bool loaded() {
        return QTest::qWaitFor([this] { return checkpoint.model() != nullptr; }, 20'000);
    }
    int entry(const char* name) {
        const auto& entries = checkpoint.shown()->file->source->entries();
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (entries[i].name == name) return static_cast<int>(i);
        return -1;
    }
    bool inspect(const char* name, const TensorPart& part = {}) {
        TensorViewModel& tensor = checkpoint.tensor();
        tensor.choose(entry(name));
        tensor.setPart(part);
        return QTest::qWaitFor([&] { return !tensor.working() && !tensor.decomposing(); }, 20'000);
    }
    QString memory() const { return checkpoint.shown()->memoryText(checkpoint.model() != nullptr); }
    const ReportGroup* group(const QString& title) {
        for (const ReportGroup& one : checkpoint.doctor().tree().groups())
            if (one.title == title) return &one;
        return nullptr;
    }

    ExploreViewModel explore;
    CheckpointViewModel checkpoint;
    QString problem;
};

QStringList rowsOf(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
    QStringList rows;
    for (int row = 0; row < model.rowCount(parent); ++row)
        rows << model.index(row, 0, parent).data().toString();
    return rows;
}

QString valueOf(const std::vector<FactLine>& lines, const QString& name) {
    for (const FactLine& line : lines)
        if (line.name == name) return line.value;
    return {};
}

}  // namespace

class CheckpointPageTest : public QObject {
    Q_OBJECT
  private slots:
    void newestJobIsTheOneThatCounts();
    void treeSplitsNamesAtTheirDots();
    void searchLeavesWhatHoldsEveryWord();
    void sortsNumbersBySize();
    void tensorIsReadOnAWorker();
    void partsOfATensor();
    void reportIsSortedAndKnowsItsTensors();
    void listsWhatDoesNotRun();
    void saysWhatIsNoCheckpoint();
    void smallModelsAreLoadedAndExamined();
    void doctorStopsAndStartsAgain();
    void tensorStopsAndStartsAgain();
    void headStopsAndStartsAgain();
    void headsOfAnOrdinaryAndAnInterleavedModel();
    void exportedModelsOpenAgain();
    void makesAnIhaBesideTheModel();
    void asksHowAlphasLieAndShowsBoth();
    void showsWhatStandsInAColumn();
    void takesTheModelOfAColumnInPlaceOfItsOwn();

  private:
    UntrainedAssets assets_;
};

void CheckpointPageTest::newestJobIsTheOneThatCounts() {
    LatestJob job;
    QSemaphore running, goOn;
    bool cancelled = false;
    QStringList delivered;
    job.start([&](const auto& stop) {
        running.release();
        goOn.acquire();
        cancelled = stop();
        return [&delivered] { delivered << "first"; };
    });
    running.acquire();
    job.start([&](const auto&) { return [&delivered] { delivered << "replaced"; }; });
    job.start([&](const auto&) { return [&delivered] { delivered << "newest"; }; });
    QVERIFY(job.busy());
    goOn.release();
    QVERIFY(QTest::qWaitFor([&job] { return !job.busy(); }, 20'000));
    QVERIFY(cancelled);
    QCOMPARE(delivered, QStringList("newest"));
}

void CheckpointPageTest::treeSplitsNamesAtTheirDots() {
    const QTemporaryDir folder;
    Page page;
    QAbstractItemModelTester tester(&page.checkpoint.tree());
    QAbstractItemModelTester filterTester(&page.checkpoint.filter());
    QVERIFY(page.open(looseFile(folder)));
    TensorTree& tree = page.checkpoint.tree();
    // the tensor a.b beside the branch a.b
    QCOMPARE(rowsOf(tree), QStringList({"a  (2)", "h  (2)"}));
    const QModelIndex a = tree.index(0, 0);
    QCOMPARE(rowsOf(tree, a), QStringList({"b", "b  (1)"}));
    QCOMPARE(tree.index(0, TensorTree::numbers).data().toString(), QString("7"));
    QCOMPARE(tree.index(0, TensorTree::bytes).data().toString(), QString("28 B"));
    QCOMPARE(tree.index(0, TensorTree::shape, a).data().toString(), QString("[2, 2]"));
    QCOMPARE(tree.data(tree.index(0, 0), Qt::ToolTipRole).toString(), QString("a: 2 tensors"));
    const QModelIndex deep = tree.indexOfEntry(page.entry("a.b.c"));
    QCOMPARE(deep.data().toString(), QString("c"));
    QCOMPARE(tree.data(deep, Qt::ToolTipRole).toString(), QString("a.b.c"));
}

void CheckpointPageTest::searchLeavesWhatHoldsEveryWord() {
    const QTemporaryDir folder;
    Page page;
    QVERIFY(page.open(modelFile(folder)));
    TensorFilter& filter = page.checkpoint.filter();
    const int all = page.checkpoint.tree().forest()->tensorCount();
    QCOMPARE(filter.searching(), false);
    filter.setSearch("ATTN w_q");
    QCOMPARE(filter.matches(), 2);
    QCOMPARE(rowsOf(filter), QStringList({"blocks  (10)"}));
    filter.setSearch("unexpected");
    QCOMPARE(filter.matches(), 1);
    QCOMPARE(rowsOf(filter), QStringList({"some  (1)"}));
    filter.setSearch("[2, 8, 4] blocks.1");
    QCOMPARE(filter.matches(), 3);
    filter.setSearch("nothing of this kind");
    QCOMPARE(filter.matches(), 0);
    QCOMPARE(filter.rowCount(), 0);
    filter.setSearch("");
    QCOMPARE(filter.matches(), all);
}

void CheckpointPageTest::sortsNumbersBySize() {
    QVERIFY(comesBefore("h.9.w", "h.10.w"));
    QVERIFY(!comesBefore("h.10.w", "h.9.w"));
    QVERIFY(comesBefore("h.09", "h.10"));
    QVERIFY(comesBefore("a", "ab"));
    QVERIFY(!comesBefore("a1", "a1"));
    const QTemporaryDir folder;
    Page page;
    QVERIFY(page.open(looseFile(folder)));
    TensorFilter& filter = page.checkpoint.filter();
    filter.sort(TensorTree::name);
    QCOMPARE(rowsOf(filter, filter.index(1, 0)), QStringList({"9  (1)", "10  (1)"}));
    filter.sort(TensorTree::bytes, Qt::DescendingOrder);
    QCOMPARE(rowsOf(filter), QStringList({"a  (2)", "h  (2)"}));
    filter.sort(-1);  // the order of the file
    QCOMPARE(rowsOf(filter, filter.index(1, 0)), QStringList({"10  (1)", "9  (1)"}));
}

void CheckpointPageTest::tensorIsReadOnAWorker() {
    const QTemporaryDir folder;
    Page page;
    QVERIFY(page.open(modelFile(folder)));
    TensorViewModel& tensor = page.checkpoint.tensor();
    QVERIFY(tensor.facts().empty());
    tensor.choose(page.entry("some.strange.thing"));
    QVERIFY(!tensor.inspection());  // known at once are only the facts
    QCOMPARE(valueOf(tensor.facts(), "Shape"), QString("[3], 3 numbers"));
    QCOMPARE(valueOf(tensor.facts(), "Stored as"), QString("F32, 12 B"));
    QVERIFY(valueOf(tensor.facts(), "In the model").startsWith("unexpected"));
    QVERIFY(page.inspect("some.strange.thing"));
    QCOMPARE(valueOf(tensor.statistics(), "Mean"), QString("1.5"));
    QCOMPARE(valueOf(tensor.statistics(), "NaN"), QString("1 (33.3 %)"));
    QVERIFY(!tensor.picture().values);
    QVERIFY(tensor.spectrum().empty());
    QVERIFY(tensor.spectrumText().contains("matrix"));
    QVERIFY(page.inspect("embed.W_E"));
    QCOMPARE(tensor.picture().rows, 12);
    QCOMPARE(tensor.picture().block, 1);
    QCOMPARE(tensor.spectrum().size(), size_t(8));
    QVERIFY(tensor.spectrum()[0] >= tensor.spectrum()[7]);
}

void CheckpointPageTest::partsOfATensor() {
    const QTemporaryDir folder;
    Page page;
    QVERIFY(page.open(looseFile(folder)));
    TensorViewModel& tensor = page.checkpoint.tensor();
    QVERIFY(page.inspect("a.b", {TensorPart::Along::rows, 2, 1}));
    QCOMPARE(tensor.picture().rows, 1);
    QCOMPARE(valueOf(tensor.statistics(), "Least"), QString("-4"));
    QCOMPARE(tensor.spectrum(), (std::vector<double>{4}));
    QVERIFY(page.inspect("a.b", {TensorPart::Along::rows, 3, 0}));
    QVERIFY(tensor.problem().contains("do not make 3 equal parts"));
    // another tensor is looked at as a whole
    QVERIFY(page.inspect("h.10.w"));
    QVERIFY(tensor.problem().isEmpty());
    QCOMPARE(tensor.picture().columns, 3);
}

void CheckpointPageTest::reportIsSortedAndKnowsItsTensors() {
    LoadReport report;
    report.architecture = "llama";
    report.container = "safetensors";
    report.tensors = {{"wq", TensorUse::used, {"blocks.0.attn.W_Q"}},
                      {"odd", TensorUse::unexpected, {}}};
    report.missing = {"wk"};
    report.warnings = {"blocks.0.attn.W_Q is all zero", "a sentence about nothing"};
    report.notRunnable = "odd is odd.";
    const auto groups = reportGroups(report);
    QCOMPARE(groups.front().title, QString("Does not run here"));
    QCOMPARE(groups.front().lines.front().entry, 1);
    QCOMPARE(groups[1].title, QString("Missing"));
    QCOMPARE(groups[2].lines[0].entry, 0);  // our name for the file's tensor
    QCOMPARE(groups[2].lines[1].entry, -1);
    QCOMPARE(groups.back().title, QString("Used"));
    ReportTree tree;
    QAbstractItemModelTester tester(&tree);
    tree.setGroups(groups);
    const QModelIndex used = tree.index(static_cast<int>(groups.size()) - 1, 0);
    QCOMPARE(used.data().toString(), QString("Used (1)"));
    QCOMPARE(tree.index(0, 0, used).data(ReportTree::entryRole).toInt(), 0);
}

void CheckpointPageTest::listsWhatDoesNotRun() {
    const QTemporaryDir folder;
    Page page;
    QVERIFY(page.open(looseFile(folder)));
    QVERIFY(page.problem.isEmpty());
    QVERIFY(!page.checkpoint.runs());
    QVERIFY(!page.checkpoint.weights().loading());
    QCOMPARE(page.checkpoint.shown()->numbers, std::int64_t(14));
    QVERIFY(page.memory().contains("does not run here"));
    QVERIFY(page.group("Does not run here"));
    QVERIFY(!page.checkpoint.ihaRefusal().isEmpty());
}

void CheckpointPageTest::saysWhatIsNoCheckpoint() {
    const QTemporaryDir folder;
    Page page;
    QVERIFY(page.open(looseFile(folder)));
    QVERIFY(page.open(folder.filePath("missing.gguf")));
    QVERIFY(page.problem.contains("missing.gguf"));
    QCOMPARE(page.checkpoint.shown()->title, QString("loose.safetensors"));  // what was there stays
}

void CheckpointPageTest::smallModelsAreLoadedAndExamined() {
    const QTemporaryDir folder;
    Page page;
    QVERIFY(page.open(modelFile(folder)));
    QVERIFY(page.checkpoint.runs());
    QVERIFY(page.loaded());
    QVERIFY(page.memory().contains("the loaded model takes"));
    QVERIFY(QTest::qWaitFor([&] { return page.group("Notes") || page.group("Warnings"); }, 20'000));
    QVERIFY(page.group("Unexpected"));
    QVERIFY(page.checkpoint.doctor().text().contains("1 unexpected"));
}

void CheckpointPageTest::doctorStopsAndStartsAgain() {
    const QTemporaryDir folder;
    Page page;
    CheckpointDoctor& doctor = page.checkpoint.doctor();
    // The worker answers by way of the event loop: whatever is stopped in this slot had no answer.
    bool stopped = false;
    connect(&page.checkpoint, &CheckpointViewModel::modelChanged, &doctor, [&] {
        if (!std::exchange(stopped, page.checkpoint.model() != nullptr)) doctor.stop();
    });
    QVERIFY(page.open(modelFile(folder)));
    QVERIFY(page.loaded());
    QVERIFY(!doctor.working());
    QTest::qWait(50);
    QVERIFY(doctor.text().contains("the examination was stopped"));
    QVERIFY(!doctor.text().contains("tells tokens apart"));
    page.checkpoint.examine();
    QVERIFY(doctor.working());
    QVERIFY(QTest::qWaitFor([&] { return !doctor.working(); }, 20'000));
    QVERIFY(!doctor.text().contains("the examination was stopped"));
    QVERIFY(doctor.text().contains("ttention") || doctor.text().contains("looks at all tokens"));

    QSignalSpy told(&page.checkpoint, &CheckpointViewModel::told);
    page.checkpoint.compareWithLogits(page.checkpoint.shown()->path);
    doctor.stop();
    QCOMPARE(told.count(), 1);
    QVERIFY(told[0][0].toString().contains("comparison"));
    QTest::qWait(50);
    QVERIFY(page.problem.isEmpty());  // that the file holds no logits
}

void CheckpointPageTest::tensorStopsAndStartsAgain() {
    const QTemporaryDir folder;
    Page page;
    QVERIFY(page.open(modelFile(folder)));
    TensorViewModel& tensor = page.checkpoint.tensor();
    tensor.choose(page.entry("embed.W_E"));
    tensor.stop();
    QVERIFY(!tensor.working() && tensor.stopped());
    QVERIFY(tensor.problem().contains("stopped"));
    QTest::qWait(50);
    QVERIFY(!tensor.inspection());
    // what is known when only the decomposition is stopped stays
    const auto stop = connect(&tensor, &TensorViewModel::inspected, &tensor, [&] {
        if (tensor.decomposing()) tensor.stop();
    });
    tensor.readAgain();
    QVERIFY(!tensor.stopped());
    QVERIFY(QTest::qWaitFor([&] { return tensor.stopped(); }, 20'000));
    QVERIFY(tensor.inspection() && tensor.problem().isEmpty());
    QVERIFY(tensor.spectrumText().contains("stopped"));
    QTest::qWait(50);
    QVERIFY(tensor.spectrum().empty());
    disconnect(stop);
    tensor.readAgain();
    QVERIFY(QTest::qWaitFor([&] { return tensor.spectrum().size() == 8; }, 20'000));
}

void CheckpointPageTest::headStopsAndStartsAgain() {
    const QTemporaryDir folder;
    Page page;
    QVERIFY(page.open(modelFile(folder)));
    QVERIFY(page.loaded());
    HeadViewModel& head = page.checkpoint.head();
    head.choose(1, 1, {});
    head.stop();
    QVERIFY(head.stopped() && !head.working());
    QVERIFY(head.text().contains("stopped"));
    QTest::qWait(50);
    QVERIFY(!head.circuit(Circuit::qk));
    head.computeAgain();
    QVERIFY(!head.stopped());
    QVERIFY(QTest::qWaitFor([&] { return head.circuit(Circuit::ov).has_value(); }, 20'000));
}

void CheckpointPageTest::headsOfAnOrdinaryAndAnInterleavedModel() {
    const QTemporaryDir folder;
    for (const AttentionKind kind : {AttentionKind::mha, AttentionKind::iha}) {
        Page page;
        QVERIFY(page.open(modelFile(folder, kind)));
        QVERIFY2(page.loaded(), qPrintable(page.problem));
        HeadViewModel& head = page.checkpoint.head();
        QCOMPARE(head.layers(), 2);
        QCOMPARE(head.pseudos(), kind == AttentionKind::iha ? 2 : 0);
        head.choose(7, 1, PseudoPair{1, 9});
        QCOMPARE(head.layer(), 1);
        QCOMPARE(head.tile().has_value(), kind == AttentionKind::iha);
        if (head.tile()) QCOMPARE(head.tile()->r, 1);
        QVERIFY(QTest::qWaitFor([&head] { return !head.working(); }, 20'000));
        for (const Circuit which : {Circuit::qk, Circuit::ov}) {
            QVERIFY(head.circuit(which));
            QCOMPARE(head.circuit(which)->picture.rows, 8);
            QCOMPARE(head.circuit(which)->singularValues.size(), size_t(4));
        }
        const Model& model = *page.checkpoint.model();
        const Tensor want =
            headCircuit(model.config, model.weights, 1, 1, Circuit::ov, head.tile());
        QCOMPARE(head.circuit(Circuit::ov)->picture.values.get()[5], want.data<float>()[5]);
    }
}

void CheckpointPageTest::exportedModelsOpenAgain() {
    const QTemporaryDir folder;
    Page page;
    QSignalSpy told(&page.checkpoint, &CheckpointViewModel::told);
    QVERIFY(page.open(modelFile(folder)));
    QVERIFY(page.loaded());
    const auto before = page.checkpoint.model();
    const QString path = folder.filePath("exported.safetensors");
    page.checkpoint.exportModel(path);
    QVERIFY(QTest::qWaitFor([&told] { return told.count() > 0; }, 20'000));
    QVERIFY(told[0][0].toString().contains("exported.safetensors"));
    QVERIFY(page.open(path));
    QVERIFY(page.loaded());
    QCOMPARE(page.checkpoint.shown()->file->report.architecture, std::string("headloom"));
    QCOMPARE(page.checkpoint.model()->weights.find("blocks.1.attn.W_Q").data<float>()[3],
             before->weights.find("blocks.1.attn.W_Q").data<float>()[3]);
    page.checkpoint.exportModel(folder.filePath("no/such/folder.safetensors"));
    QVERIFY(QTest::qWaitFor([&page] { return !page.problem.isEmpty(); }, 20'000));
}

void CheckpointPageTest::makesAnIhaBesideTheModel() {
    const QTemporaryDir folder;
    Page page;
    QSignalSpy made(&page.checkpoint, &CheckpointViewModel::pairOpened);
    page.explore.session().openExample("four-witnesses");
    QVERIFY(answered(page.explore));
    QVERIFY(page.open(modelFile(folder)));
    QVERIFY(page.loaded());
    QVERIFY(page.checkpoint.ihaRefusal().isEmpty());
    page.checkpoint.makeIha(2);  // the model stands in no column yet
    QVERIFY(QTest::qWaitFor([&made] { return made.count() == 1; }, 20'000));
    QVERIFY2(page.problem.isEmpty(), qPrintable(page.problem));
    QVERIFY(answered(page.explore));
    QVERIFY(page.explore.head(Side::left).present);
    QVERIFY(page.explore.head(Side::right).iha);
    QCOMPARE(page.explore.head(Side::right).pseudos, 2);
    // both say the same
    for (const ComparisonRow& row : page.explore.answers(3)) QCOMPARE(row.left, row.right);
    // and the IHA can be looked at in its turn, where it cannot be interleaved again
    const auto choices = page.checkpoint.choices();
    QVERIFY(choices[1].title.startsWith("Right column"));
    page.checkpoint.show(choices[1]);
    QVERIFY(page.checkpoint.isShown(choices[1]));
    QVERIFY(page.checkpoint.ihaRefusal().contains("already IHA"));
    QVERIFY(page.memory().contains("no file"));
    page.checkpoint.makeIha(2);
    QVERIFY(page.problem.contains("already IHA"));
}

void CheckpointPageTest::asksHowAlphasLieAndShowsBoth() {
    const QString path =
        QStringLiteral(HEADLOOM_SOURCE "/tests/data/architectures/iha-a.safetensors");
    Page page;
    ExploreSession& session = page.explore.session();
    QSignalSpy refused(&session, &ExploreSession::failed);
    session.openExample("four-witnesses");
    QVERIFY(answered(page.explore));
    session.openFile(Side::left, path);
    QVERIFY(QTest::qWaitFor([&refused] { return refused.count() == 1; }, 20'000));
    QVERIFY(refused[0][0].toString().contains("open it on the Checkpoint page"));

    QVERIFY(page.open(path));
    QVERIFY(!page.checkpoint.runs());
    QCOMPARE(page.checkpoint.alphaOrders(), (QStringList{"source-target", "target-source"}));
    const auto read = [&page](const QString& order) {
        page.checkpoint.setAlphaOrder(order);
        const bool fine =
            QTest::qWaitFor([&] { return page.checkpoint.shown()->alphaOrder == order; }, 20'000);
        return fine && page.loaded();
    };
    const auto second = [&page] {
        return page.checkpoint.model()->weights.find("blocks.0.attn.alpha_Q").data<float>()[2];
    };
    QVERIFY(read("source-target"));
    const float onceAt = second();
    QVERIFY(read("target-source"));
    QVERIFY(second() != onceAt);
    QCOMPARE(page.checkpoint.alphaOrders().size(), 2);  // it may be taken back

    QSignalSpy pair(&page.checkpoint, &CheckpointViewModel::pairOpened);
    page.checkpoint.openBothOrders();
    QCOMPARE(pair.count(), 1);
    QVERIFY(answered(page.explore));
    const auto alpha = [&session](Side side) {
        const ColumnRunPtr& column = session.runs().at(indexOf(side));
        return column ? column->run->model->weights.find("blocks.0.attn.alpha_Q").data<float>()[2]
                      : NAN;
    };
    QCOMPARE(alpha(Side::left), onceAt);
    QCOMPARE(alpha(Side::right), second());
    QVERIFY(page.explore.head(Side::left).title.endsWith("source-target"));
    QVERIFY(page.explore.head(Side::right).title.endsWith("target-source"));
}

void CheckpointPageTest::showsWhatStandsInAColumn() {
    const QTemporaryDir folder;
    Page page;
    page.checkpoint.showColumn();
    QVERIFY(!page.checkpoint.shown());  // nothing stands anywhere
    page.explore.session().openExample("four-witnesses");
    QVERIFY(answered(page.explore));
    page.explore.session().openFile(Side::left, modelFile(folder));
    QVERIFY(answered(page.explore));
    page.checkpoint.showColumn();
    QVERIFY(QTest::qWaitFor([&page] { return page.checkpoint.shown() != nullptr; }, 20'000));
    QCOMPARE(page.checkpoint.shown()->title, QString("model.safetensors"));
    // the column's model is at hand already
    QCOMPARE(page.checkpoint.model(), page.explore.session().state().columns[0].model);
}

void CheckpointPageTest::takesTheModelOfAColumnInPlaceOfItsOwn() {
    const QTemporaryDir folder;
    Page page;
    page.explore.session().openExample("four-witnesses");
    QVERIFY(answered(page.explore));
    QVERIFY(page.open(modelFile(folder)));
    page.checkpoint.weights().cancel();  // as if it were too large to be loaded unasked
    QVERIFY(!page.checkpoint.model());
    page.checkpoint.openInColumn(Side::right);
    QVERIFY(answered(page.explore));
    QVERIFY(page.checkpoint.model());
    QCOMPARE(page.checkpoint.model(), page.explore.session().state().columns[1].model);
}

QTEST_GUILESS_MAIN(CheckpointPageTest)
#include "tst_checkpoint_page.moc"
