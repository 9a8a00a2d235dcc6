#include "views/heatmap/map_sheet.h"
#include "views/heatmap/tile_codes.h"

#include <QTest>

#include <limits>

using namespace headloom;

namespace {

/// One tile of 3 x 3 inside rows of four floats, the fourth being somebody else's.
MapSheet sample(std::vector<float> values = {0.9f, 8, 8, 9,  //
                                             0.2f, 0.8f, 8, 9, 0.5f, 0.1f, 0.4f, 9}) {
    MapSheet sheet;
    sheet.tileRows = sheet.tileColumns = 1;
    sheet.queries = sheet.keys = 3;
    auto owner = std::make_shared<std::vector<float>>(std::move(values));
    sheet.tiles.push_back({{owner, owner->data()}, 4, 1, 0, "q0 k1", {}, {}});
    sheet.queryLabels = sheet.keyLabels = QStringList{"a", "=", "c"};
    return sheet;
}

CellKind kindOf(const MapSheet& sheet, int query, int key) {
    return readCell(sheet, {0, query, key}).kind;
}

}  // namespace

class MapSheetTest : public QObject {
    Q_OBJECT
  private slots:
    void readsValues();
    void knowsMasks();
    void neverReadsRowsToCome();
    void tellsNonFiniteFromAbsent();
    void describesACell();
    void findsTheLargestOfWhatIsShown();
    void poolsTheStrongest();
    void keepsCodesInOrderOfStrength();
    void followsTheCurrentRow();
};

void MapSheetTest::readsValues() {
    const MapSheet sheet = sample();
    QCOMPARE(readCell(sheet, {0, 2, 1}).value, 0.1f);
    QVERIFY(kindOf(sheet, 2, 1) == CellKind::value);
    QVERIFY(kindOf(sheet, 3, 0) == CellKind::absent);
    QVERIFY(kindOf(sheet, 0, -1) == CellKind::absent);
    QVERIFY(readCell(sheet, {1, 0, 0}).kind == CellKind::absent);
}

void MapSheetTest::knowsMasks() {
    MapSheet sheet = sample();
    QVERIFY(kindOf(sheet, 0, 1) == CellKind::masked);
    QVERIFY(kindOf(sheet, 1, 1) == CellKind::value);
    sheet.tiles[0].maskedFrom = 0;  // the diagonal too
    QVERIFY(kindOf(sheet, 1, 1) == CellKind::masked);
    sheet.tiles[0].maskedFrom = MapTile::nothingMasked;
    QVERIFY(kindOf(sheet, 0, 2) == CellKind::value);
    sheet.tiles[0].window = 2;
    QVERIFY(kindOf(sheet, 2, 0) == CellKind::masked);
    QVERIFY(kindOf(sheet, 2, 1) == CellKind::value);
}

void MapSheetTest::neverReadsRowsToCome() {
    // two rows only: reading a third would leave the block (seen by the address sanitizer)
    MapSheet sheet = sample({0.9f, 8, 8, 9, 0.2f, 0.8f, 8, 9});
    sheet.currentRow = 1;
    QVERIFY(kindOf(sheet, 2, 0) == CellKind::pending);
    QVERIFY(kindOf(sheet, 1, 0) == CellKind::value);
    QCOMPARE(largestOf(sheet, false), 0.9f);
    TileCodes codes;
    codes.update(sheet, 0, {1, ScaleCurve::linear, false}, false);
    QCOMPARE(codes.pooled(1)[2 * 3 + 0], pendingCode);
}

void MapSheetTest::tellsNonFiniteFromAbsent() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    MapSheet sheet = sample({nan, 0, 0, 0, infinity, 0.25f, 0, 0, -nan, -infinity, 0, 0});
    QVERIFY(kindOf(sheet, 0, 0) == CellKind::notFinite);
    QVERIFY(kindOf(sheet, 1, 0) == CellKind::notFinite);
    for (bool isSigned : {false, true}) {
        sheet.isSigned = isSigned;
        QCOMPARE(largestOf(sheet, 0, false), 0.25f);
    }
    sheet.tiles[0].values = nullptr;
    QVERIFY(kindOf(sheet, 0, 0) == CellKind::absent);
}

void MapSheetTest::describesACell() {
    MapSheet sheet = sample();
    QCOMPARE(describeCell(sheet, {0, 2, 0}), QString("q0 k1 · from “c” (2) to “a” (0): 0.5000"));
    sheet.keyLabels.clear();
    sheet.tiles[0].caption.clear();
    QCOMPARE(describeCell(sheet, {0, 0, 2}),
             QString("from “a” (0) to 2: masked, this token may not look there"));
}

void MapSheetTest::findsTheLargestOfWhatIsShown() {
    MapSheet sheet = sample();
    // 8 and 9 are masked or not of this tile
    QCOMPARE(largestOf(sheet, 0, false), 0.9f);
    QCOMPARE(largestOf(sheet, 0, true), 0.8f);
    sheet.currentRow = 0;
    QCOMPARE(largestOf(sheet, 0, true), 0.0f);
    MapSheet negative = sample({-3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0});
    negative.isSigned = true;
    QCOMPARE(largestOf(negative, false), 3.0f);
    negative.isSigned = false;
    QCOMPARE(largestOf(negative, false), 2.0f);
}

void MapSheetTest::poolsTheStrongest() {
    TileCodes codes;
    codes.update(sample(), 0, {1, ScaleCurve::linear, false}, false);
    // blocks of two: rows 0-1 and 2, keys 0-1 and 2
    const CellCode* pooled = codes.pooled(2);
    QCOMPARE(codes.pooledColumns(2), 2);
    QCOMPARE(pooled[0], codeOf(230, false));  // 0.9 * 255 = 229.5
    QCOMPARE(pooled[1], maskedCode);
    QCOMPARE(pooled[2], codeOf(128, false));  // 0.5 * 255 = 127.5
    QCOMPARE(pooled[3], codeOf(102, false));  // 0.4 * 255
    QCOMPARE(codes.pooled(4)[0], codeOf(230, false));
}

void MapSheetTest::keepsCodesInOrderOfStrength() {
    for (int index = 1; index <= 255; ++index) {
        QCOMPARE(tableIndexOf(codeOf(index, true), true), index);
        QCOMPARE(tableIndexOf(codeOf(index, false), false), index);
        QVERIFY(codeOf(index, true) < notFiniteCode && codeOf(index, true) > sinkCode);
    }
    QVERIFY(codeOf(1, true) > codeOf(200, true));   // -127 is stronger than +72
    QVERIFY(codeOf(60, true) < codeOf(255, true));  // -68 is weaker than +127
}

void MapSheetTest::followsTheCurrentRow() {
    MapSheet sheet = sample();
    TileCodes codes;
    const ValueMapping mapping{1, ScaleCurve::linear, false};
    sheet.currentRow = 0;
    codes.update(sheet, 0, mapping, false);
    QCOMPARE(codes.pooled(1)[3], pendingCode);
    QCOMPARE(codes.pooled(2)[2], pendingCode);
    sheet.currentRow = 2;
    codes.update(sheet, 0, mapping, false);
    QCOMPARE(codes.pooled(1)[3], codeOf(51, false));  // 0.2 * 255
    QCOMPARE(codes.pooled(2)[2], codeOf(128, false));
    sheet.currentRow = 1;
    codes.update(sheet, 0, mapping, false);
    QCOMPARE(codes.pooled(1)[3], codeOf(51, false));
    QCOMPARE(codes.pooled(1)[6], pendingCode);
    QCOMPARE(codes.pooled(1)[8], pendingCode);
    QCOMPARE(codes.pooled(2)[2], pendingCode);
}

QTEST_APPLESS_MAIN(MapSheetTest)
#include "tst_map_sheet.moc"
