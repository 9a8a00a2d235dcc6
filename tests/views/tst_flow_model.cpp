#include "tests/views/session_fixture.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/flow_model.h"

#include <cmath>
#include <set>

using namespace headloom;

namespace {

bool drawn(FlowModel& flow) {
    return QTest::qWaitFor([&flow] { return !flow.shown().lines.empty(); }, 20'000);
}

struct Opened {
    explicit Opened(const char* example) : flow(model) {
        flow.setThreshold(0);
        model.session().openExample(QLatin1String(example));
    }
    UntrainedAssets assets;
    ExploreViewModel model;
    FlowModel flow;
};

}  // namespace

class FlowModelTest : public QObject {
    Q_OBJECT
  private slots:
    void saysWhatToDoWithoutAModel();
    void linesOfHeadsAreTheirMaps();
    void drawsAnySetOfTiles();
    void effectiveMapsAreSigned();
    void rolloutSumsToOne();
    void flowIsOfTheCurrentRow();
};

void FlowModelTest::saysWhatToDoWithoutAModel() {
    ExploreViewModel model;
    FlowModel flow(model);
    QVERIFY(flow.shown().hint.contains(QStringLiteral("open an example")));
}

void FlowModelTest::linesOfHeadsAreTheirMaps() {
    Opened opened("four-witnesses");
    QVERIFY(answered(opened.model));
    opened.flow.setWanted(true);
    const FlowShown shown = opened.flow.shown();
    QCOMPARE(shown.sources.size(), size_t(2));
    QCOMPARE(shown.row, opened.model.selection().step());
    // over all tokens a head's lines are one whole: the mean over p of rows that sum to 1
    double sum = 0, last = 0;
    for (const FlowLine& line : shown.lines) {
        QCOMPARE(line.from, shown.row);
        QVERIFY(line.to <= shown.row);
        QVERIFY(line.weight >= last);  // the strongest is painted over the others
        last = line.weight;
        if (line.source == 1) sum += line.weight;
    }
    QVERIFY(std::abs(sum - 1) < 1e-5);  // float32 rows
    opened.flow.setThreshold(last / 2);
    QVERIFY(opened.flow.shown().lines.size() < shown.lines.size());
    opened.flow.setThreshold(0);
    opened.flow.setAllRows(true);
    QVERIFY(opened.flow.shown().lines.size() > shown.lines.size());
}

void FlowModelTest::drawsAnySetOfTiles() {
    Opened opened("four-witnesses");
    QVERIFY(answered(opened.model));
    opened.flow.setWanted(true);
    opened.flow.setMaps(FlowModel::Maps::tiles);
    QCOMPARE(opened.flow.shown().sources.size(), size_t(4));
    QCOMPARE(opened.flow.shown().sources[1].name, QStringLiteral("q0 k1"));
    opened.flow.setShown(1, false);
    const FlowShown shown = opened.flow.shown();
    QVERIFY(!shown.sources[1].shown && shown.sources[0].shown);
    for (const FlowLine& line : shown.lines) QVERIFY(line.source != 1);
    opened.flow.setMaps(FlowModel::Maps::layerTiles);
    QCOMPARE(opened.flow.shown().sources.size(), size_t(8));
    QCOMPARE(opened.flow.shown().sources[5].name, QStringLiteral("h1 q0 k1"));
    QCOMPARE(opened.flow.shown().sources[5].colour, 1);
    opened.flow.setAllShown(false);
    QVERIFY(opened.flow.shown().lines.empty());
    opened.flow.setShown(0, true);
    opened.flow.setShown(5, true);  // of two heads
    std::set<int> sources;
    for (const FlowLine& line : opened.flow.shown().lines) sources.insert(line.source);
    QCOMPARE(sources, (std::set<int>{0, 5}));
    opened.flow.setAllShown(true);
    QVERIFY(opened.flow.shown().sources[1].shown);
    opened.flow.setMaps(FlowModel::Maps::tiles);
    opened.flow.setSide(Side::left);  // MHA: the head is its one tile
    QCOMPARE(opened.flow.shown().sources.size(), size_t(1));
}

void FlowModelTest::effectiveMapsAreSigned() {
    Opened opened("four-witnesses");
    QVERIFY(answered(opened.model));
    opened.flow.setWanted(true);
    opened.flow.setMaps(FlowModel::Maps::effective);
    QVERIFY(answered(opened.model));
    QCOMPARE(opened.flow.shown().sources.size(), size_t(2));
    QVERIFY(opened.flow.shown().sources[1].name.contains(QStringLiteral("M[")));
    opened.flow.setMaps(FlowModel::Maps::layerEffective);
    QCOMPARE(opened.flow.shown().sources.size(), size_t(4));
    QCOMPARE(opened.flow.shown().sources[2].colour, 1);
}

void FlowModelTest::rolloutSumsToOne() {
    Opened opened("pointer-chain");
    QVERIFY(answered(opened.model));
    opened.flow.setMaps(FlowModel::Maps::rollout);
    QTest::qWait(50);
    QVERIFY(opened.flow.shown().lines.empty());  // nobody looks
    opened.flow.setWanted(true);
    QVERIFY(drawn(opened.flow));
    const FlowShown shown = opened.flow.shown();
    QVERIFY(shown.formula.contains(QStringLiteral("B = (A + I) / 2")));
    double sum = 0;
    for (const FlowLine& line : shown.lines) sum += line.weight;
    QVERIFY(std::abs(sum - 1) < 1e-9);  // sums of doubles
}

void FlowModelTest::flowIsOfTheCurrentRow() {
    Opened opened("pointer-chain");
    QVERIFY(answered(opened.model));
    opened.flow.setWanted(true);
    opened.flow.setMaps(FlowModel::Maps::flow);
    QVERIFY(drawn(opened.flow));
    const int row = opened.model.selection().step() - 1;
    opened.model.selection().setStep(row);
    QVERIFY(drawn(opened.flow));
    for (const FlowLine& line : opened.flow.shown().lines) {
        QCOMPARE(line.from, row);
        QVERIFY(line.to <= row);
        QVERIFY(line.weight <= 1 + 1e-9);
    }
}

QTEST_GUILESS_MAIN(FlowModelTest)
#include "tst_flow_model.moc"
