#include "views/viewmodels/comparison_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace headloom;

namespace {

ComparisonRow row(const QString& label, const QString& left = {}, double bar = -1) {
    ComparisonRow made;
    made.label = label;
    made.left = left;
    made.leftBar = bar;
    return made;
}

}  // namespace

class ComparisonModelTest : public QObject {
    Q_OBJECT
  private slots:
    void growsAndShrinks();
    void keepsRowsThatStay();
    void givesWhatAViewDraws();
    void coloursByKind();
};

void ComparisonModelTest::growsAndShrinks() {
    ComparisonModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const int count : {3, 5, 1, 0, 2}) {
        std::vector<ComparisonRow> rows;
        for (int i = 0; i < count; ++i) rows.push_back(row(QString::number(i * count)));
        model.setRows(rows);
        QCOMPARE(model.rowCount(), count);
        for (int i = 0; i < count; ++i)
            QCOMPARE(model.index(i, 0).data().toString(), QString::number(i * count));
    }
    QCOMPARE(model.columnCount(), 3);
    QCOMPARE(model.rowCount(model.index(0, 0)), 0);
}

void ComparisonModelTest::keepsRowsThatStay() {
    ComparisonModel model;
    model.setRows({row("a"), row("b")});
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged),
        inserted(&model, &QAbstractItemModel::rowsInserted),
        reset(&model, &QAbstractItemModel::modelReset);
    model.setRows({row("a"), row("b", "0.5"), row("c")});
    QCOMPARE(changed.count(), 1);
    QCOMPARE(changed[0][0].toModelIndex().row(), 1);
    QCOMPARE(inserted.count(), 1);
    QCOMPARE(reset.count(), 0);
}

void ComparisonModelTest::givesWhatAViewDraws() {
    ComparisonModel model;
    QSignalSpy titled(&model, &QAbstractItemModel::headerDataChanged);
    model.setTitles("MHA", "IHA");
    model.setTitles("MHA", "IHA");
    QCOMPARE(titled.count(), 1);
    QCOMPARE(model.headerData(1, Qt::Horizontal).toString(), QString("MHA"));
    ComparisonRow made = row("3", "0.97", 0.97);
    made.marked = made.rightWrong = true;
    made.tip = "tip";
    model.setRows({made});
    QCOMPARE(model.index(0, 1).data(ComparisonModel::barRole).toDouble(), 0.97);
    QCOMPARE(model.index(0, 2).data(ComparisonModel::barRole).toDouble(), -1.0);
    QVERIFY(model.index(0, 0).data(ComparisonModel::markedRole).toBool());
    QVERIFY(!model.index(0, 1).data(ComparisonModel::wrongRole).toBool());
    QVERIFY(model.index(0, 2).data(ComparisonModel::wrongRole).toBool());
    QCOMPARE(model.index(0, 2).data(Qt::ToolTipRole).toString(), QString("tip"));
}

void ComparisonModelTest::coloursByKind() {
    ComparisonModel model;
    model.setRows({row("a", "0.5", 0.5)});
    const auto interleaved = [&model](int column) {
        return model.index(0, column).data(ComparisonModel::interleavedRole).toBool();
    };
    QVERIFY(!interleaved(ComparisonModel::leftColumn));
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setInterleaved(true, false);
    QVERIFY(interleaved(ComparisonModel::leftColumn));
    QVERIFY(!interleaved(ComparisonModel::rightColumn));
    QVERIFY(!interleaved(ComparisonModel::labelColumn));
    QCOMPARE(changed.count(), 1);
    model.setInterleaved(true, false);
    QCOMPARE(changed.count(), 1);
}

QTEST_GUILESS_MAIN(ComparisonModelTest)
#include "tst_comparison_model.moc"
