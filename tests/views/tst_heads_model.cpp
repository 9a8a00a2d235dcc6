#include "tests/views/session_fixture.h"
#include "views/viewmodels/heads_model.h"

#include <cmath>
#include <limits>

using namespace headloom;

namespace {

const QString witnesses = QStringLiteral("four-witnesses");

/// Waits until a column's heads have been looked at.
bool surveyed(HeadsModel& heads) {
    return QTest::qWaitFor([&heads] { return !heads.busy() && heads.hint().isEmpty(); }, 20'000);
}

HeadLine lineOf(int head, int p, double induction) {
    HeadLine line;
    line.scores = {head, p, p, {}};
    line.scores.values.fill(0.5);
    line.scores.values[0] = induction;
    return line;
}

QStringList namesOf(HeadsOrder& list) {
    QStringList names;
    for (int row = 0; row < list.rowCount(); ++row)
        names << list.headerData(row, Qt::Vertical, Qt::DisplayRole).toString();
    return names;
}

}  // namespace

class HeadsModelTest : public QObject {
    Q_OBJECT
  private slots:
    void sortsWithWhatHasNoNumberLast();
    void looksOnlyWhileItIsWanted();
    void saysWhatToDoWithoutAModel();
    void countsTheDistinctOfTheLayerInView();
    void opensWhatIsChosen();
    void followsTheWeights();

  private:
    UntrainedAssets assets_;
};

void HeadsModelTest::sortsWithWhatHasNoNumberLast() {
    HeadsTable table;
    HeadsOrder list(table);
    const double none = std::numeric_limits<double>::quiet_NaN();
    table.show({lineOf(0, -1, 0.2), lineOf(0, 0, none), lineOf(1, -1, 0.3), lineOf(2, -1, 0.1)});
    list.sort(0, Qt::DescendingOrder);
    QCOMPARE(namesOf(list), (QStringList{"L0H1", "L0H0", "L0H2", "L0H0.q0k0"}));
    QCOMPARE(list.index(0, 0).data().toString(), QStringLiteral("0.30"));
    QCOMPARE(list.index(3, 0).data().toString(), QStringLiteral("–"));
    list.sort(0, Qt::AscendingOrder);
    QCOMPARE(namesOf(list), (QStringList{"L0H2", "L0H0", "L0H1", "L0H0.q0k0"}));
    list.setHeadsOnly(true);
    QCOMPARE(list.rowCount(), 3);
    QCOMPARE(list.line(1).scores.head, 0);
    list.sort(-1);  // the order of the model
    QCOMPARE(namesOf(list), (QStringList{"L0H0", "L0H1", "L0H2"}));
    QCOMPARE(list.headerData(0, Qt::Horizontal, Qt::InitialSortOrderRole).toInt(),
             int(Qt::DescendingOrder));
}

void HeadsModelTest::looksOnlyWhileItIsWanted() {
    ExploreViewModel model;
    HeadsModel heads(model);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    QVERIFY(!heads.busy());
    QCOMPARE(heads.list().rowCount(), 0);
    heads.setWanted(true);
    QVERIFY(surveyed(heads));
    QCOMPARE(heads.list().rowCount(), 2 * (1 + 4));  // IHA on the right: heads and their tiles
    heads.setSide(Side::left);
    QVERIFY(surveyed(heads));
    QCOMPARE(heads.list().rowCount(), 2);
}

void HeadsModelTest::saysWhatToDoWithoutAModel() {
    ExploreViewModel model;
    HeadsModel heads(model);
    heads.setWanted(true);
    QVERIFY(heads.hint().contains(QStringLiteral("open an example")));
    QVERIFY(!heads.similarity().values);
}

void HeadsModelTest::countsTheDistinctOfTheLayerInView() {
    ExploreViewModel model;
    HeadsModel heads(model);
    heads.setWanted(true);
    model.session().openExample(QStringLiteral("pointer-chain"));
    QVERIFY(answered(model));
    QVERIFY(surveyed(heads));
    const SimilarityShown last = heads.similarity();
    QCOMPARE(last.layer, 1);
    QCOMPARE(last.names.size(), 64);
    QVERIFY(last.sentence.startsWith(QStringLiteral("64 tiles, ")));
    for (int i = 0; i < 64; ++i) QCOMPARE(last.values.get()[i * 64 + i], 1.F);
    model.setLayer(0);
    QCOMPARE(heads.similarity().layer, 0);
    QVERIFY(heads.similarity().names[0].startsWith(QStringLiteral("L0H")));
    heads.setSimilar(0);  // cells of attention are not negative: all are above
    QVERIFY(heads.similarity().sentence.startsWith(QStringLiteral("64 tiles, 1 distinct")));
    heads.setKind(PatternKind::effective);
    QVERIFY(surveyed(heads));
    QVERIFY(heads.similarity().sentence.startsWith(QStringLiteral("16 effective maps, ")));
    QVERIFY(heads.similarity().isSigned);
}

void HeadsModelTest::opensWhatIsChosen() {
    ExploreViewModel model;
    HeadsModel heads(model);
    heads.setWanted(true);
    model.session().openExample(QStringLiteral("pointer-chain"));
    QVERIFY(answered(model));
    QVERIFY(surveyed(heads));
    heads.open(0, {3, 1, 2});
    QCOMPARE(model.selection().layer(), 0);
    QCOMPARE(model.selection().open(Side::right), MapRef::tile(3, 1, 2));
    heads.open(1, {2, -1, -1, 1});
    QCOMPARE(model.selection().layer(), 1);
    QVERIFY(model.display().values().effective);
    QCOMPARE(model.selection().open(Side::right), MapRef::effectiveMap(2, 1));
    heads.open(1, {2});
    QVERIFY(!model.display().values().effective);
    QCOMPARE(model.selection().open(Side::right), MapRef::tile(2));
}

void HeadsModelTest::followsTheWeights() {
    ExploreViewModel model;
    HeadsModel heads(model);
    heads.setWanted(true);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    QVERIFY(surveyed(heads));
    const auto firstRow = [&heads] {
        QList<double> values;
        for (int column = 0; column < headMeasureCount; ++column)
            values << heads.list().index(0, column).data(HeadsTable::valueRole).toDouble();
        return values;
    };
    const auto before = firstRow();
    heads.setSimilar(0.5);
    QCOMPARE(firstRow(), before);
    model.edits().toggle(Side::right, ModelPart::ofTile(0, 0, 0, 0));
    QVERIFY(answered(model));
    QVERIFY(surveyed(heads));
    QVERIFY(firstRow() != before);
    // without its tile (0, 0) a head has less mass
    const int mass = static_cast<int>(indexOf(HeadMeasure::mass));
    QVERIFY(firstRow()[mass] < before[mass]);
}

QTEST_GUILESS_MAIN(HeadsModelTest)
#include "tst_heads_model.moc"
