#include "views/viewmodels/display_options.h"
#include "views/viewmodels/selection.h"

#include <QSignalSpy>
#include <QTest>

using namespace headloom;

class SelectionTest : public QObject {
    Q_OBJECT
  private slots:
    void signalsOnlyWhatChanged();
    void keepsAnOpenMapForEachSide();
    void lettingATileBeFollowedDropsTheWeight();
    void displayOptionsSignalOnce();
};

void SelectionTest::signalsOnlyWhatChanged() {
    Selection selection;
    QSignalSpy steps(&selection, &Selection::stepChanged),
        layers(&selection, &Selection::layerChanged), cells(&selection, &Selection::cellChanged);
    selection.setStep(3);
    selection.setStep(3);
    selection.setLayer(0);  // as it was
    const CellRef cell{Side::left, MapRef::tile(1), 2, 1};
    selection.setCell(cell);
    selection.setCell(cell);
    selection.setCell(std::nullopt);
    QCOMPARE(steps.count(), 1);
    QCOMPARE(layers.count(), 0);
    QCOMPARE(cells.count(), 2);
}

void SelectionTest::keepsAnOpenMapForEachSide() {
    Selection selection;
    QSignalSpy opened(&selection, &Selection::openChanged);
    selection.setOpen(Side::right, MapRef::tile(1, 0, 1));
    QVERIFY(selection.open(Side::left) == MapRef::tile(0));
    QVERIFY(selection.open(Side::right) == MapRef::tile(1, 0, 1));
    QCOMPARE(opened.count(), 1);
    QCOMPARE(opened[0][0].value<Side>(), Side::right);
}

void SelectionTest::lettingATileBeFollowedDropsTheWeight() {
    Selection selection;
    selection.setWeight(WeightRef{Side::right, MixingTensor::alphaK, 0, 1, 1});
    QSignalSpy weights(&selection, &Selection::weightChanged);
    selection.setOpen(Side::right, selection.open(Side::right));  // clicked again: same tile
    QVERIFY(!selection.weight());
    QCOMPARE(weights.count(), 1);
}

void SelectionTest::displayOptionsSignalOnce() {
    DisplayOptions options;
    QSignalSpy changed(&options, &DisplayOptions::changed);
    DisplayOptions::Values values = options.values();
    options.setValues(values);
    QCOMPARE(changed.count(), 0);
    values.hideSink = true;
    options.setValues(values);
    QCOMPARE(changed.count(), 1);
}

QTEST_GUILESS_MAIN(SelectionTest)
#include "tst_selection.moc"
