#include "views/heatmap/raster_renderer.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace headloom;

namespace {

/// Colours that cannot be mistaken for each other; entry i of the table is (i, 0, 0).
CellColours colours() {
    CellColours out;
    for (std::size_t i = 0; i < 256; ++i) out.table.entries[i] = qRgb(static_cast<int>(i), 0, 0);
    out.ground = qRgb(0, 0, 1);
    out.masked = qRgb(0, 0, 2);
    out.sink = qRgb(0, 0, 3);
    out.notFinite = qRgb(0, 0, 4);
    out.hatchGround = qRgb(0, 0, 5);
    out.hatchLine = qRgb(0, 0, 6);
    out.cellLine = qRgb(0, 0, 7);
    return out;
}

MapSheet sheetOf(int cells, std::vector<float> values) {
    MapSheet sheet;
    sheet.tileRows = sheet.tileColumns = 1;
    sheet.queries = sheet.keys = cells;
    auto owner = std::make_shared<std::vector<float>>(std::move(values));
    MapTile tile;
    tile.values = {owner, owner->data()};
    tile.rowStride = cells;
    sheet.tiles.push_back(tile);
    return sheet;
}

PixelMapping mappingOf(const MapSheet& sheet, int side) {
    PixelMapping mapping;
    mapping.takeShape(sheet);
    mapping.area = QRect(0, 0, side, side);
    mapping.fit();
    return mapping;
}

/// Renders to a square of `side` pixels.
QImage render(const MapSheet& sheet, int side, const ColourScale& scale = {}) {
    const PixelMapping mapping = mappingOf(sheet, side);
    const CellColours palette = colours();
    RasterRenderer renderer;
    return renderer.render({sheet, scale, mapping, palette, valueMappingsOf(sheet, scale), 1, 1})
        .copy();
}

}  // namespace

class RasterRendererTest : public QObject {
    Q_OBJECT
  private slots:
    void paintsValuesByTheTable();
    void paintsMaskedAndNonFiniteCells();
    void hatchesRowsToCome();
    void paintsSignedValuesAboutTheMiddle();
    void paintsEveryCurveAsTheScaleSays_data();
    void paintsEveryCurveAsTheScaleSays();
    void greysTheHiddenSink();
    void scalesEachMapByItself();
    void takesASharedMaximum();
    void drawsLinesBetweenLargeCells();
    void neverLosesABrightCell();
    void paintsOnlyWhatIsInTheArea();
    void redrawsOnlyWhatIsNew();
    void paintsAnEmptySheet();
};

void RasterRendererTest::paintsValuesByTheTable() {
    const QImage image = render(sheetOf(2, {0, 0.25f, 0.5f, 1}), 20);
    QCOMPARE(image.size(), QSize(20, 20));
    QCOMPARE(image.pixel(0, 0), qRgb(0, 0, 0));
    QCOMPARE(image.pixel(9, 9), qRgb(0, 0, 0));
    QCOMPARE(image.pixel(10, 0), qRgb(64, 0, 0));   // 63.75
    QCOMPARE(image.pixel(0, 10), qRgb(128, 0, 0));  // 127.5
    QCOMPARE(image.pixel(19, 19), qRgb(255, 0, 0));
}

void RasterRendererTest::paintsMaskedAndNonFiniteCells() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    MapSheet sheet = sheetOf(3, {1, nan, 9, infinity, 1, 9, -infinity, nan, 1});
    sheet.tiles[0].maskedFrom = 1;
    const QImage image = render(sheet, 30);
    QCOMPARE(image.pixel(15, 5), qRgb(0, 0, 2));  // masked comes before NaN
    QCOMPARE(image.pixel(5, 15), qRgb(0, 0, 4));
    QCOMPARE(image.pixel(5, 25), qRgb(0, 0, 4));
    QCOMPARE(image.pixel(15, 25), qRgb(0, 0, 4));
    QCOMPARE(image.pixel(25, 25), qRgb(255, 0, 0));  // what is masked does not set the maximum
    sheet.tiles[0].values = nullptr;
    QCOMPARE(render(sheet, 30).pixel(5, 5), qRgb(0, 0, 2));
}

void RasterRendererTest::hatchesRowsToCome() {
    MapSheet sheet = sheetOf(2, {1, 9, 0.5f, 0.5f});
    sheet.tiles[0].maskedFrom = 1;
    sheet.currentRow = 0;
    const QImage image = render(sheet, 20);
    QCOMPARE(image.pixel(0, 0), qRgb(255, 0, 0));
    QCOMPARE(image.pixel(15, 5), qRgb(0, 0, 2));
    // lines run where x + y, from the tile's corner, is a multiple of six
    for (int y = 10; y < 20; ++y) {
        for (int x = 0; x < 20; ++x) {
            QCOMPARE(image.pixel(x, y), (x + y) % 6 == 0 ? qRgb(0, 0, 6) : qRgb(0, 0, 5));
        }
    }
}

void RasterRendererTest::paintsSignedValuesAboutTheMiddle() {
    MapSheet sheet = sheetOf(2, {0, -2, 1, 2});
    sheet.isSigned = true;
    const QImage image = render(sheet, 20);
    QCOMPARE(image.pixel(5, 5), qRgb(128, 0, 0));
    QCOMPARE(image.pixel(15, 5), qRgb(1, 0, 0));
    QCOMPARE(image.pixel(5, 15), qRgb(192, 0, 0));  // 128 + 63.5
    QCOMPARE(image.pixel(15, 15), qRgb(255, 0, 0));
}

void RasterRendererTest::paintsEveryCurveAsTheScaleSays_data() {
    QTest::addColumn<int>("curve");
    QTest::addColumn<bool>("isSigned");
    for (const bool isSigned : {false, true}) {
        const char* sign = isSigned ? "signed" : "shares";
        QTest::addRow("linear, %s", sign) << static_cast<int>(ScaleCurve::linear) << isSigned;
        QTest::addRow("square root, %s", sign)
            << static_cast<int>(ScaleCurve::squareRoot) << isSigned;
        QTest::addRow("logarithmic, %s", sign)
            << static_cast<int>(ScaleCurve::logarithmic) << isSigned;
    }
}

void RasterRendererTest::paintsEveryCurveAsTheScaleSays() {
    QFETCH(int, curve);
    QFETCH(bool, isSigned);
    constexpr int cells = 19;  // longer than any vector of a processor, and no multiple of one
    std::vector<float> values;
    for (int i = 0; i < cells * cells; ++i)
        values.push_back(static_cast<float>(i % 37 - (isSigned ? 18 : 0)) / static_cast<float>(i));
    values[5] = std::numeric_limits<float>::quiet_NaN();
    values[23] = -std::numeric_limits<float>::infinity();
    MapSheet sheet = sheetOf(cells, values);
    sheet.isSigned = isSigned;
    const ColourScale scale{static_cast<ScaleCurve>(curve), false, false, 0};
    const ValueMapping mapping = valueMappingsOf(sheet, scale).front();
    const QImage image = render(sheet, cells, scale);
    for (int i = 0; i < cells * cells; ++i) {
        const float value = values[static_cast<std::size_t>(i)];
        const QRgb expected =
            std::isfinite(value) ? qRgb(mapping.indexOf(value), 0, 0) : qRgb(0, 0, 4);
        QCOMPARE(image.pixel(i % cells, i / cells), expected);
    }
}

void RasterRendererTest::greysTheHiddenSink() {
    const MapSheet sheet = sheetOf(2, {1, 0.1f, 0.9f, 0.2f});
    const QImage image = render(sheet, 20, {ScaleCurve::linear, false, true, 0});
    QCOMPARE(image.pixel(5, 5), qRgb(0, 0, 3));
    QCOMPARE(image.pixel(5, 15), qRgb(0, 0, 3));
    QCOMPARE(image.pixel(15, 5), qRgb(128, 0, 0));  // half of 0.2, the largest that is left
    QCOMPARE(image.pixel(15, 15), qRgb(255, 0, 0));
}

void RasterRendererTest::scalesEachMapByItself() {
    MapSheet sheet = sheetOf(1, {0.5f});
    sheet.tiles.push_back(sheetOf(1, {1}).tiles[0]);
    sheet.tileColumns = 2;
    const QImage shared = render(sheet, 20);
    QCOMPARE(shared.pixel(5, 5), qRgb(128, 0, 0));
    const QImage own = render(sheet, 20, {ScaleCurve::linear, true, false, 0});
    QCOMPARE(own.pixel(5, 5), qRgb(255, 0, 0));
    QCOMPARE(own.pixel(15, 5), qRgb(255, 0, 0));
}

void RasterRendererTest::takesASharedMaximum() {
    const QImage image = render(sheetOf(1, {0.5f}), 10, {ScaleCurve::linear, false, false, 2});
    QCOMPARE(image.pixel(5, 5), qRgb(64, 0, 0));  // a quarter of 255 is 63.75
}

void RasterRendererTest::drawsLinesBetweenLargeCells() {
    const QImage image = render(sheetOf(2, {1, 1, 1, 1}), 40);  // 20 pixels to a cell
    QCOMPARE(image.pixel(19, 5), qRgb(255, 0, 0));
    QCOMPARE(image.pixel(20, 5), qRgb(0, 0, 7));
    QCOMPARE(image.pixel(21, 5), qRgb(255, 0, 0));
    QCOMPARE(image.pixel(5, 20), qRgb(0, 0, 7));
    QCOMPARE(image.pixel(0, 0), qRgb(255, 0, 0));  // none around the tile
}

void RasterRendererTest::neverLosesABrightCell() {
    // 64 x 64 cells in 20 pixels and other awkward sizes: nearest-neighbour would drop most cells
    for (int side : {7, 20, 33, 50, 63}) {
        for (int at : {0, 1, 63, 64 * 31 + 17, 64 * 40 + 63, 64 * 63 + 63}) {
            std::vector<float> values(64 * 64, 0.0f);
            values[static_cast<std::size_t>(at)] = 1;
            const QImage image = render(sheetOf(64, values), side);
            int bright = 0;
            for (int y = 0; y < side; ++y) {
                for (int x = 0; x < side; ++x) bright += image.pixel(x, y) == qRgb(255, 0, 0);
            }
            QVERIFY(bright >= 1);
            QVERIFY(bright <= 9);  // and it does not smear
        }
    }
}

void RasterRendererTest::paintsOnlyWhatIsInTheArea() {
    const MapSheet sheet = sheetOf(2, {0, 0.25f, 0.5f, 1});
    PixelMapping mapping = mappingOf(sheet, 20);
    mapping.area = QRect(5, 7, 20, 12);
    mapping.zoomAt(QPointF(24, 18), 3, 96);
    mapping.panBy(-1000, -1000);
    const CellColours palette = colours();
    RasterRenderer renderer;
    const ColourScale scale;
    const QImage image =
        renderer.render({sheet, scale, mapping, palette, valueMappingsOf(sheet, scale), 1, 1});
    QCOMPARE(image.size(), QSize(20, 12));
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const auto cell = mapping.cellAt(QPointF(x + 5.5, y + 7.5));
            QVERIFY(cell.has_value());
            const QRgb value = qRgb(
                cell->query == 0 ? (cell->key == 0 ? 0 : 64) : (cell->key == 0 ? 128 : 255), 0, 0);
            const bool onLine = image.pixel(x, y) == palette.cellLine;
            QVERIFY(onLine || image.pixel(x, y) == value);
        }
    }
}

void RasterRendererTest::redrawsOnlyWhatIsNew() {
    MapSheet sheet = sheetOf(1, {1});
    const PixelMapping mapping = mappingOf(sheet, 4);
    const CellColours palette = colours();
    const ColourScale scale;
    RasterRenderer renderer;
    QCOMPARE(renderer.render({sheet, scale, mapping, palette, valueMappingsOf(sheet, scale), 1, 1})
                 .pixel(1, 1),
             qRgb(255, 0, 0));
    const MapSheet other = sheetOf(1, {-1});
    // the same generation promises that nothing has changed, so the frame stays
    QCOMPARE(renderer.render({other, scale, mapping, palette, valueMappingsOf(other, scale), 1, 1})
                 .pixel(1, 1),
             qRgb(255, 0, 0));
    QCOMPARE(renderer.render({other, scale, mapping, palette, valueMappingsOf(other, scale), 1, 2})
                 .pixel(1, 1),
             qRgb(0, 0, 0));
}

void RasterRendererTest::paintsAnEmptySheet() {
    MapSheet sheet;
    PixelMapping mapping;
    mapping.area = QRect(0, 0, 3, 3);
    const CellColours palette = colours();
    const ColourScale scale;
    RasterRenderer renderer;
    QCOMPARE(renderer.render({sheet, scale, mapping, palette, valueMappingsOf(sheet, scale), 1, 1})
                 .pixel(2, 2),
             qRgb(0, 0, 1));
}

QTEST_APPLESS_MAIN(RasterRendererTest)
#include "tst_raster_renderer.moc"
