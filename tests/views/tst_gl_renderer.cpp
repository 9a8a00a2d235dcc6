#include "tests/support/sample_maps.h"
#include "views/heatmap/gl_canvas.h"
#include "views/heatmap/gl_renderer.h"
#include "views/heatmap/gl_support.h"
#include "views/heatmap/heatmap_view.h"
#include "views/theme/theme.h"

#include <QScreen>
#include <QTest>

#include <limits>

using namespace headloom;

namespace {

/// Milliseconds a virtual X server on a busy machine may take; a test ends as soon as it can.
constexpr int patience = 30000;

CellColours coloursFor(const Theme& theme, bool isSigned) {
    const ThemeColours& c = theme.colours();
    return {isSigned ? theme.diverging() : theme.shares(),
            c.panel.rgb(),
            c.masked.rgb(),
            c.sink.rgb(),
            c.notANumber.rgb(),
            c.hatchGround.rgb(),
            c.hatchLine.rgb(),
            c.cellLine.rgb()};
}

/// Pixels that differ by more than one step of the colour table could explain.
int differences(const QImage& a, const QImage& b) {
    int count = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            // neighbouring entries of the tables differ by at most 6 in a channel
            count += std::abs(qRed(p) - qRed(q)) > 6 || std::abs(qGreen(p) - qGreen(q)) > 6 ||
                     std::abs(qBlue(p) - qBlue(q)) > 6;
        }
    }
    return count;
}

/// What a person sees of a window. QWidget::grab will not do: it loses what is painted over the
/// cells of an OpenGL widget.
QImage onScreen(const QWidget& window) {
    return window.screen()
        ->grabWindow(window.winId())
        .toImage()
        .convertToFormat(QImage::Format_RGB32);
}

}  // namespace

class GlRendererTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void agreesWithTheRasterRenderer_data();
    void agreesWithTheRasterRenderer();
    void followsStepsAndNewData();
    void survivesANewContext();
    void viewChoosesByTheCard();

  private:
    /// What OpenGL draws of this scene.
    QImage drawn(const MapScene& scene);
};

void GlRendererTest::initTestCase() {
    if (!glSupport().usable) QSKIP(qPrintable(glSupport().reason));
}

QImage GlRendererTest::drawn(const MapScene& scene) {
    GlCanvas canvas(
        nullptr, [&](QPainter& painter, MapRenderer& renderer) { renderer.draw(painter, scene); },
        [&] { return scene.colours.ground; });
    canvas.resize(scene.mapping.area.right() + 1, scene.mapping.area.bottom() + 1);
    canvas.show();
    if (!QTest::qWaitForWindowExposed(&canvas, patience)) return {};
    return canvas.grabFramebuffer().convertToFormat(QImage::Format_RGB32).copy(scene.mapping.area);
}

void GlRendererTest::agreesWithTheRasterRenderer_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<double>("cell");
    QTest::addColumn<int>("curve");
    QTest::addColumn<bool>("isSigned");
    QTest::newRow("fitted") << 30 << 0.0 << 0 << false;
    QTest::newRow("square root") << 30 << 0.0 << 1 << false;
    QTest::newRow("logarithm") << 30 << 0.0 << 2 << false;
    QTest::newRow("signed") << 30 << 0.0 << 0 << true;
    QTest::newRow("lines between cells") << 12 << 23.7 << 0 << false;
    QTest::newRow("two cells to a pixel") << 130 << 0.47 << 0 << false;
    QTest::newRow("many cells to a pixel") << 260 << 0.13 << 1 << true;
}

void GlRendererTest::agreesWithTheRasterRenderer() {
    QFETCH(int, tokens);
    QFETCH(double, cell);
    QFETCH(int, curve);
    QFETCH(bool, isSigned);
    const Theme theme;
    MapSheet sheet = sampleSheet(2, 3, tokens, isSigned);
    auto odd =
        std::make_shared<std::vector<float>>(static_cast<std::size_t>(tokens * tokens), 0.2f);
    (*odd)[static_cast<std::size_t>(tokens * 3 + 1)] = std::numeric_limits<float>::quiet_NaN();
    (*odd)[static_cast<std::size_t>(tokens * 4)] = -std::numeric_limits<float>::infinity();
    sheet.tiles[4].values = {odd, odd->data()};
    sheet.tiles[4].maskedFrom = MapTile::nothingMasked;
    sheet.tiles[5].values = nullptr;
    sheet.tiles[3].maskedFrom = 0;
    sheet.tiles[3].window = tokens / 3;
    PixelMapping mapping;
    mapping.takeShape(sheet);
    mapping.area = QRect(9, 11, 371, 263);
    mapping.gap = 5;
    mapping.fit();
    if (cell > 0) mapping.cell = cell;
    mapping.panBy(cell > 1 ? -40.3 : 0, cell > 1 ? -17.8 : 0);
    const CellColours colours = coloursFor(theme, isSigned);
    const ColourScale scale{static_cast<ScaleCurve>(curve), tokens == 12, tokens != 30, 0};
    const std::vector<ValueMapping> mappings = valueMappingsOf(sheet, scale);
    const MapScene scene{sheet, scale, mapping, colours, mappings, 1, 1};
    RasterRenderer raster;
    const QImage reference = raster.render(scene).copy();
    const QImage picture = drawn(scene);
    QCOMPARE(picture.size(), reference.size());
    // A card divides in 32 bits and the reference in 64, so a pixel whose centre falls on the edge
    // between two cells may go to the other one: allow one in a thousand.
    const int different = differences(picture, reference);
    QVERIFY2(different <= reference.width() * reference.height() / 1000,
             qPrintable(QString::number(different)));
}

void GlRendererTest::followsStepsAndNewData() {
    const Theme theme;
    MapSheet sheet = sampleSheet(2, 2, 16);
    PixelMapping mapping;
    mapping.takeShape(sheet);
    mapping.area = QRect(0, 0, 300, 300);
    mapping.gap = 3;
    mapping.fit();
    const CellColours colours = coloursFor(theme, false);
    const ColourScale scale;
    std::uint64_t generation = 1;
    std::vector<ValueMapping> mappings = valueMappingsOf(sheet, scale);
    GlCanvas canvas(
        nullptr,
        [&](QPainter& painter, MapRenderer& renderer) {
            renderer.draw(painter, {sheet, scale, mapping, colours, mappings, 1, generation});
        },
        [&] { return colours.ground; });
    canvas.resize(300, 300);
    canvas.show();
    QVERIFY(QTest::qWaitForWindowExposed(&canvas, patience));
    RasterRenderer raster;
    for (int row : {2, 9, 5, 15}) {
        sheet.currentRow = row;
        if (row == 15) sheet.tiles[2].values = sampleMap(16, 16, 11, false);
        ++generation;
        mappings = valueMappingsOf(sheet, scale);
        const QImage picture = canvas.grabFramebuffer().convertToFormat(QImage::Format_RGB32);
        const QImage reference =
            raster.render({sheet, scale, mapping, colours, mappings, 1, generation});
        QVERIFY(differences(picture, reference) <= 90);  // one in a thousand, as above
    }
    sheet = sampleSheet(1, 2, 7);  // another shape: other textures
    mapping.takeShape(sheet);
    mapping.fit();
    ++generation;
    mappings = valueMappingsOf(sheet, scale);
    const QImage picture = canvas.grabFramebuffer().convertToFormat(QImage::Format_RGB32);
    QVERIFY(differences(picture, raster.render({sheet, scale, mapping, colours, mappings, 1,
                                                generation})) <= 90);
}

void GlRendererTest::survivesANewContext() {
    const Theme theme;
    QWidget first, second;
    for (QWidget* window : {&first, &second}) {
        window->setWindowFlag(Qt::FramelessWindowHint);
        window->resize(300, 300);
        window->show();
        QVERIFY(QTest::qWaitForWindowExposed(window, patience));
    }
    auto* view = new HeatmapView(theme, &first);
    view->resize(300, 300);
    MapSheet sheet = sampleSheet(2, 2, 16);
    sheet.captions = CaptionPlacement::none;  // the two paint engines smooth text differently
    view->setSheet(sheet);
    view->setRendererChoice(RendererChoice::openGl);
    view->show();
    QVERIFY(view->isOpenGl());
    const QRect area = view->mapping().area;
    const QImage reference = view->picture(1).copy(area);
    QTRY_VERIFY_WITH_TIMEOUT(differences(onScreen(first).copy(area), reference) < area.width(),
                             patience);
    view->setParent(&second);  // as docking does: the context is destroyed and made anew
    view->show();
    second.raise();
    QTRY_VERIFY_WITH_TIMEOUT(differences(onScreen(second).copy(area), reference) < area.width(),
                             patience);
    QTest::keyClick(view, Qt::Key_Plus);
    QTRY_VERIFY_WITH_TIMEOUT(differences(onScreen(second).copy(area), reference) > area.width(),
                             patience);
    const QImage zoomed = view->picture(1).copy(area);
    QTRY_VERIFY_WITH_TIMEOUT(differences(onScreen(second).copy(area), zoomed) < area.width(),
                             patience);
    view->setRendererChoice(RendererChoice::raster);
    QVERIFY(!view->isOpenGl());
    QTRY_COMPARE_WITH_TIMEOUT(onScreen(second).copy(area), zoomed, patience);
}

void GlRendererTest::viewChoosesByTheCard() {
    const Theme theme;
    HeatmapView view(theme);
    QCOMPARE(view.isOpenGl(), !glSupport().software);
    view.setRendererChoice(RendererChoice::raster);
    QVERIFY(!view.isOpenGl());
    view.setRendererChoice(RendererChoice::openGl);
    QVERIFY(view.isOpenGl());
}

QTEST_MAIN(GlRendererTest)
#include "tst_gl_renderer.moc"
