#include "views/heatmap/pixel_mapping.h"

#include <QTest>

#include <cmath>

using namespace headloom;

namespace {

/// 2 x 3 tiles of 4 x 5 cells, gaps of 2, in an area of 10, 20, 200 x 100.
PixelMapping sample() {
    PixelMapping mapping;
    mapping.tileRows = 2;
    mapping.tileColumns = 3;
    mapping.queries = 4;
    mapping.keys = 5;
    mapping.area = QRect(10, 20, 200, 100);
    mapping.gap = 2;
    mapping.fit();
    return mapping;
}

}  // namespace

class PixelMappingTest : public QObject {
    Q_OBJECT
  private slots:
    void fitsTheWholeSheet();
    void findsEveryCellFromItsOwnRectangle_data();
    void findsEveryCellFromItsOwnRectangle();
    void leavesNoPixelOfATileWithoutACell();
    void findsNothingInGapsOrOutside();
    void keepsThePointUnderThePointerWhileZooming_data();
    void keepsThePointUnderThePointerWhileZooming();
    void neverZoomsBelowTheFittedSize();
    void neverLosesTheSheetWhilePanning();
    void revealsACell();
    void countsABandAsItsTileButNotAsACell();
    void scalesForAnotherPixelRatio();
    void survivesAnAreaSmallerThanItsGaps();
};

void PixelMappingTest::fitsTheWholeSheet() {
    const PixelMapping mapping = sample();
    // across: (200 - 2 gaps * 2) / 15 = 13.07; down: (100 - 2) / 8 = 12.25 is less
    QCOMPARE(mapping.cell, 12.25);
    QCOMPARE(mapping.height(), 100.0);
    // 3 * 5 * 12.25 + 4 = 187.75, in the middle of 200
    QCOMPARE(mapping.left, 10 + (200 - 187.75) / 2);
    QCOMPARE(mapping.top, 20.0);
}

void PixelMappingTest::findsEveryCellFromItsOwnRectangle_data() {
    QTest::addColumn<double>("cell");
    QTest::addColumn<int>("band");
    QTest::newRow("whole pixels") << 12.0 << 0;
    QTest::newRow("fractions") << 12.25 << 0;
    QTest::newRow("small") << 1.3 << 0;
    QTest::newRow("one pixel") << 1.0 << 0;
    QTest::newRow("with a band") << 7.7 << 9;
}

void PixelMappingTest::findsEveryCellFromItsOwnRectangle() {
    QFETCH(double, cell);
    QFETCH(int, band);
    PixelMapping mapping = sample();
    mapping.area = QRect(0, 0, 400, 400);
    mapping.cell = cell;
    mapping.band = band;
    mapping.left = 3.4;
    mapping.top = 5.6;
    for (int tile = 0; tile < 6; ++tile) {
        for (int query = 0; query < 4; ++query) {
            for (int key = 0; key < 5; ++key) {
                const MapCell target{tile, query, key};
                const QRect rect = mapping.cellRect(target);
                QVERIFY(!rect.isEmpty());
                QVERIFY(mapping.tileRect(tile).contains(rect));
                const QPoint ends[] = {rect.topLeft(), rect.bottomRight(), rect.center()};
                for (const QPoint& pixel : ends) {
                    QCOMPARE(mapping.cellAt(QPointF(pixel) + QPointF(0.5, 0.5)),
                             std::optional<MapCell>(target));
                }
            }
        }
    }
}

void PixelMappingTest::leavesNoPixelOfATileWithoutACell() {
    PixelMapping mapping = sample();
    mapping.cell = 0.37;  // several cells to a pixel
    mapping.left = mapping.area.left();
    mapping.top = mapping.area.top();
    const QRect tile = mapping.tileRect(4);
    QVERIFY(!tile.isEmpty());
    for (int y = tile.top(); y <= tile.bottom(); ++y) {
        for (int x = tile.left(); x <= tile.right(); ++x) {
            const auto cell = mapping.cellAt(QPointF(x + 0.5, y + 0.5));
            QVERIFY(cell && cell->tile == 4 && cell->query < 4 && cell->key < 5);
        }
    }
}

void PixelMappingTest::findsNothingInGapsOrOutside() {
    const PixelMapping mapping = sample();
    const QRect first = mapping.tileRect(0);
    QVERIFY(!mapping.cellAt(QPointF(first.right() + 1.5, first.top() + 3)));
    QVERIFY(!mapping.cellAt(QPointF(first.left() - 1.5, first.top() + 3)));
    QVERIFY(!mapping.tileAt(QPointF(5, 5)));
    QVERIFY(!mapping.cellAt(QPointF(-1e9, 1e9)));
    QVERIFY(!PixelMapping().cellAt(QPointF(0, 0)));
}

void PixelMappingTest::keepsThePointUnderThePointerWhileZooming_data() {
    QTest::addColumn<int>("band");
    QTest::newRow("tiles alone") << 0;
    QTest::newRow("captions above") << 9;
}

void PixelMappingTest::keepsThePointUnderThePointerWhileZooming() {
    QFETCH(int, band);
    PixelMapping mapping = sample();
    mapping.band = band;
    mapping.fit();
    const PixelMapping fitted = mapping;
    const MapCell target{4, 2, 3};
    const QPointF pointer = QRectF(mapping.cellRect(target)).center();
    for (int step = 0; step < 12; ++step) {
        mapping.zoomAt(pointer, 1.25, 96);
        QCOMPARE(mapping.cellAt(pointer), std::optional<MapCell>(target));
    }
    QCOMPARE(mapping.cell, 96.0);
    for (int step = 0; step < 12; ++step) mapping.zoomAt(pointer, 0.8, 96);
    QCOMPARE(mapping, fitted);
}

void PixelMappingTest::neverZoomsBelowTheFittedSize() {
    PixelMapping mapping = sample();
    mapping.zoomAt(QPointF(50, 50), 0.01, 96);
    QCOMPARE(mapping, sample());
    // a sheet whose fitted cells are larger than the largest just stays
    mapping.zoomAt(QPointF(50, 50), 4, 5);
    QCOMPARE(mapping, sample());
}

void PixelMappingTest::neverLosesTheSheetWhilePanning() {
    PixelMapping mapping = sample();
    mapping.zoomAt(QPointF(100, 70), 4, 96);
    mapping.panBy(1e6, 1e6);
    QCOMPARE(mapping.left, 10.0);
    QCOMPARE(mapping.top, 20.0);
    mapping.panBy(-1e6, -1e6);
    QCOMPARE(mapping.left + mapping.width(), 210.0);
    QCOMPARE(mapping.top + mapping.height(), 120.0);
}

void PixelMappingTest::revealsACell() {
    PixelMapping mapping = sample();
    mapping.zoomAt(QPointF(10, 20), 4, 96);
    const MapCell target{5, 3, 4};
    QVERIFY(!mapping.area.contains(mapping.cellRect(target)));
    mapping.reveal(target);
    QVERIFY(mapping.area.contains(mapping.cellRect(target)));
    const PixelMapping before = mapping;
    mapping.reveal(target);
    QCOMPARE(mapping, before);
}

void PixelMappingTest::countsABandAsItsTileButNotAsACell() {
    PixelMapping mapping = sample();
    mapping.band = 10;
    mapping.fit();
    const QPointF onBand = QRectF(mapping.bandRect(3)).center();
    QCOMPARE(mapping.tileAt(onBand), std::optional<int>(3));
    QVERIFY(!mapping.cellAt(onBand));
}

void PixelMappingTest::scalesForAnotherPixelRatio() {
    const PixelMapping twice = sample().scaledBy(2);
    QCOMPARE(twice.area, QRect(20, 40, 400, 200));
    QCOMPARE(twice.cell, 24.5);
    QCOMPARE(twice.gap, 4);
}

void PixelMappingTest::survivesAnAreaSmallerThanItsGaps() {
    PixelMapping mapping = sample();
    mapping.area = QRect(0, 0, 1, 1);
    mapping.fit();
    QVERIFY(mapping.cell > 0);
    mapping.zoomAt(QPointF(0, 0), 1.25, 96);
    QVERIFY(std::isfinite(mapping.left) && std::isfinite(mapping.top));
}

QTEST_APPLESS_MAIN(PixelMappingTest)
#include "tst_pixel_mapping.moc"
