#include "tests/support/sample_maps.h"
#include "views/heatmap/gl_support.h"
#include "views/heatmap/heatmap_view.h"

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <memory>

using namespace headloom;

namespace {

/// Where a cell's middle lies in the widget.
QPoint middleOf(const HeatmapView& view, const MapCell& cell) {
    return (QRectF(view.mapping().cellRect(cell)).center() / view.devicePixelRatioF()).toPoint();
}

QList<QVariant> last(const QSignalSpy& spy) {
    return spy.isEmpty() ? QList<QVariant>() : spy.last();
}

}  // namespace

class HeatmapViewTest : public QObject {
    Q_OBJECT
  private slots:
    void init();
    void cleanup();
    void hoverTellsTheExactCell();
    void clickSelectsTileAndCell();
    void draggingPansAndSelectsNothing();
    void wheelZoomsAtThePointer();
    void zeroAndDoubleClickReset();
    void arrowKeysWalkCells();
    void keysStayOutOfTheMaskAndTheFuture();
    void controlArrowsAreLeftToTheWindow();
    void tabMovesBetweenTilesAndThenOn();
    void returnClicks();
    void saysTheValueAloud();
    void keepsZoomAndCursorThroughASheetOfTheSameShape();
    void settersAreSilent();
    void previewOnlySelects();
    void emptyViewTakesEverything();
    void fillsItsWidth();
    void isCrispOnDenseScreens();
    void standsOnThePage();
    void neverUsesOpenGlOffscreen();

  private:
    Theme theme_;
    std::unique_ptr<QWidget> window_;
    HeatmapView* view_ = nullptr;
};

void HeatmapViewTest::init() {
    window_ = std::make_unique<QWidget>();
    view_ = new HeatmapView(theme_, window_.get());
    view_->setGeometry(0, 0, 400, 400);
    view_->setSheet(sampleSheet(2, 2, 12));  // current row 9
    window_->resize(420, 420);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
}

void HeatmapViewTest::cleanup() {
    window_.reset();
}

void HeatmapViewTest::hoverTellsTheExactCell() {
    const QSignalSpy hovered(view_, &HeatmapView::cellHovered);
    const QSignalSpy left(view_, &HeatmapView::cellLeft);
    QTest::mouseMove(view_, middleOf(*view_, {2, 7, 3}));
    QCOMPARE(hovered.count(), 1);
    QCOMPARE(last(hovered).mid(0, 3), (QList<QVariant>{2, 7, 3}));
    QCOMPARE(last(hovered)[3].toFloat(), readCell(view_->sheet(), {2, 7, 3}).value);
    // a masked cell and a row to come have no value
    for (const MapCell& cell : {MapCell{0, 3, 8}, MapCell{0, 11, 2}}) {
        QTest::mouseMove(view_, middleOf(*view_, cell));
        QVERIFY(std::isnan(last(hovered)[3].toFloat()));
    }
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(view_, &leave);
    QCOMPARE(left.count(), 1);
    QVERIFY(!view_->sheet().cursor);
}

void HeatmapViewTest::clickSelectsTileAndCell() {
    const QSignalSpy tile(view_, &HeatmapView::tileClicked);
    const QSignalSpy cell(view_, &HeatmapView::cellClicked);
    QTest::mouseClick(view_, Qt::LeftButton, {}, middleOf(*view_, {3, 5, 5}));
    QCOMPARE(last(tile), (QList<QVariant>{3}));
    QCOMPARE(last(cell), (QList<QVariant>{3, 5, 5}));
    QTest::mouseClick(view_, Qt::RightButton, {}, middleOf(*view_, {1, 5, 5}));
    QCOMPARE(tile.count(), 1);
}

void HeatmapViewTest::draggingPansAndSelectsNothing() {
    const QSignalSpy tile(view_, &HeatmapView::tileClicked);
    const QPoint start = middleOf(*view_, {0, 6, 6});
    for (int i = 0; i < 4; ++i) QTest::keyClick(view_, Qt::Key_Plus);
    const PixelMapping before = view_->mapping();
    QTest::mousePress(view_, Qt::LeftButton, {}, start);
    QTest::mouseMove(view_, start - QPoint(15, 0));
    QTest::mouseMove(view_, start - QPoint(30, 20));
    QTest::mouseRelease(view_, Qt::LeftButton, {}, start - QPoint(30, 20));
    QCOMPARE(view_->mapping().left, before.left - 30);
    QCOMPARE(view_->mapping().top, before.top - 20);
    QCOMPARE(tile.count(), 0);
}

void HeatmapViewTest::wheelZoomsAtThePointer() {
    const MapCell cell{1, 4, 2};
    const QPoint at = middleOf(*view_, cell);
    const double before = view_->mapping().cell;
    QWheelEvent turn(at, view_->mapToGlobal(at), {}, QPoint(0, 240), Qt::NoButton, {},
                     Qt::NoScrollPhase, false);
    QApplication::sendEvent(view_, &turn);
    QCOMPARE(view_->mapping().cell, before * 1.25 * 1.25);
    QCOMPARE(view_->mapping().cellAt(QPointF(at)), std::optional<MapCell>(cell));
}

void HeatmapViewTest::zeroAndDoubleClickReset() {
    const PixelMapping fitted = view_->mapping();
    QTest::keyClick(view_, Qt::Key_Plus);
    QVERIFY(view_->mapping().cell > fitted.cell);
    QTest::keyClick(view_, Qt::Key_0);
    QCOMPARE(view_->mapping(), fitted);
    QTest::keyClick(view_, Qt::Key_Plus);
    QTest::mouseDClick(view_, Qt::LeftButton, {}, QPoint(200, 200));
    QCOMPARE(view_->mapping(), fitted);
}

void HeatmapViewTest::arrowKeysWalkCells() {
    const QSignalSpy hovered(view_, &HeatmapView::cellHovered);
    view_->setSelectedTile(1);
    // the first press shows where one stands: the selected tile's current row
    QTest::keyClick(view_, Qt::Key_Right);
    QCOMPARE(view_->sheet().cursor, std::optional<MapCell>(MapCell{1, 9, 0}));
    QTest::keyClick(view_, Qt::Key_Right);
    QTest::keyClick(view_, Qt::Key_Up);
    QCOMPARE(view_->sheet().cursor, std::optional<MapCell>(MapCell{1, 8, 1}));
    QTest::keyClick(view_, Qt::Key_Down);
    QTest::keyClick(view_, Qt::Key_Left);
    QTest::keyClick(view_, Qt::Key_Left);  // the edge holds
    QCOMPARE(view_->sheet().cursor, std::optional<MapCell>(MapCell{1, 9, 0}));
    QCOMPARE(hovered.count(), 5);
    QCOMPARE(last(hovered)[3].toFloat(), readCell(view_->sheet(), {1, 9, 0}).value);
    QTest::keyClick(view_, Qt::Key_Escape);
    QVERIFY(!view_->sheet().cursor);
}

void HeatmapViewTest::keysStayOutOfTheMaskAndTheFuture() {
    view_->setCursorCell(MapCell{0, 4, 2});
    QTest::keyClick(view_, Qt::Key_End);
    QCOMPARE(view_->sheet().cursor->key, 4);  // the diagonal is the last a causal row has
    QTest::keyClick(view_, Qt::Key_Right);
    QCOMPARE(view_->sheet().cursor->key, 4);
    QTest::keyClick(view_, Qt::Key_Up);
    QCOMPARE(*view_->sheet().cursor, (MapCell{0, 3, 3}));
    QTest::keyClick(view_, Qt::Key_Home);
    QCOMPARE(view_->sheet().cursor->key, 0);
    QTest::keyClick(view_, Qt::Key_PageDown);
    QCOMPARE(view_->sheet().cursor->query, 9);  // not 13: row 9 is the current one
    QTest::keyClick(view_, Qt::Key_PageUp);
    QCOMPARE(view_->sheet().cursor->query, 0);
    QTest::keyClick(view_, Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(*view_->sheet().cursor, (MapCell{0, 9, 9}));
    QTest::keyClick(view_, Qt::Key_Home, Qt::ControlModifier);
    QCOMPARE(*view_->sheet().cursor, (MapCell{0, 0, 0}));
}

void HeatmapViewTest::controlArrowsAreLeftToTheWindow() {
    view_->setCursorCell(MapCell{0, 4, 2});
    QKeyEvent step(QEvent::KeyPress, Qt::Key_Right, Qt::ControlModifier);
    QApplication::sendEvent(view_, &step);
    QVERIFY(!step.isAccepted());
    QCOMPARE(*view_->sheet().cursor, (MapCell{0, 4, 2}));
}

void HeatmapViewTest::tabMovesBetweenTilesAndThenOn() {
    auto* other = new QWidget(window_.get());
    other->setFocusPolicy(Qt::StrongFocus);
    other->show();
    QWidget::setTabOrder(view_, other);
    window_->activateWindow();
    view_->setFocus(Qt::TabFocusReason);
    QVERIFY(view_->hasFocus());
    QCOMPARE(view_->sheet().cursor->tile, 0);
    for (int tile = 1; tile < 4; ++tile) {
        QTest::keyClick(view_, Qt::Key_Tab);
        QCOMPARE(view_->sheet().cursor->tile, tile);
    }
    QTest::keyClick(view_, Qt::Key_Tab);
    QVERIFY(other->hasFocus());
    QVERIFY(!view_->sheet().cursor);
    QTest::keyClick(other, Qt::Key_Backtab);
    QVERIFY(view_->hasFocus());
    QCOMPARE(view_->sheet().cursor->tile, 3);
    QTest::keyClick(view_, Qt::Key_Backtab);
    QCOMPARE(view_->sheet().cursor->tile, 2);
}

void HeatmapViewTest::returnClicks() {
    const QSignalSpy tile(view_, &HeatmapView::tileClicked);
    const QSignalSpy cell(view_, &HeatmapView::cellClicked);
    view_->setCursorCell(MapCell{2, 4, 1});
    QTest::keyClick(view_, Qt::Key_Return);
    QCOMPARE(last(tile), (QList<QVariant>{2}));
    QCOMPARE(last(cell), (QList<QVariant>{2, 4, 1}));
}

void HeatmapViewTest::saysTheValueAloud() {
    view_->setCursorCell(MapCell{1, 4, 2});
    QCOMPARE(view_->accessibleDescription(), describeCell(view_->sheet(), {1, 4, 2}));
    QVERIFY(view_->accessibleDescription().contains("q0 k1"));
    view_->setCursorCell(std::nullopt);
    QVERIFY(view_->accessibleDescription().isEmpty());
}

void HeatmapViewTest::keepsZoomAndCursorThroughASheetOfTheSameShape() {
    QTest::keyClick(view_, Qt::Key_Plus);
    const PixelMapping zoomed = view_->mapping();
    view_->setCursorCell(MapCell{1, 4, 2});
    MapSheet next = sampleSheet(2, 2, 12);
    next.currentRow = 10;
    view_->setSheet(next);
    QCOMPARE(view_->mapping(), zoomed);
    QCOMPARE(*view_->sheet().cursor, (MapCell{1, 4, 2}));
    view_->setSheet(sampleSheet(1, 1, 12));
    QCOMPARE(view_->mapping().cell, view_->mapping().fittedCell());
    QVERIFY(!view_->sheet().cursor);  // tile 1 is gone
}

void HeatmapViewTest::settersAreSilent() {
    const QSignalSpy hovered(view_, &HeatmapView::cellHovered);
    const QSignalSpy left(view_, &HeatmapView::cellLeft);
    view_->setCursorCell(MapCell{1, 4, 2});
    view_->setCursorCell(MapCell{9, 4, 2});  // no such cell: none
    QVERIFY(!view_->sheet().cursor);
    view_->setSelectedTile(2);
    view_->setLinkedTiles({1, 99});
    view_->setLinkedToken(77);
    view_->setScale({ScaleCurve::logarithmic, true, true, 0});
    window_->grab();
    QCOMPARE(hovered.count() + left.count(), 0);
}

void HeatmapViewTest::previewOnlySelects() {
    view_->setPreview(true);
    const QSignalSpy hovered(view_, &HeatmapView::cellHovered);
    const QSignalSpy tile(view_, &HeatmapView::tileClicked);
    const QSignalSpy cell(view_, &HeatmapView::cellClicked);
    const QPoint at = middleOf(*view_, {3, 5, 5});
    QTest::mouseMove(view_, at);
    QTest::mouseClick(view_, Qt::LeftButton, {}, at);
    QCOMPARE(hovered.count(), 0);
    QCOMPARE(cell.count(), 0);
    QCOMPARE(last(tile), (QList<QVariant>{3}));
    QWheelEvent turn(at, view_->mapToGlobal(at), {}, QPoint(0, 120), Qt::NoButton, {},
                     Qt::NoScrollPhase, false);
    QApplication::sendEvent(view_, &turn);
    QVERIFY(!turn.isAccepted());
}

void HeatmapViewTest::emptyViewTakesEverything() {
    view_->setSheet({});
    view_->setAxesShown(true);
    for (int key :
         {Qt::Key_Left, Qt::Key_End, Qt::Key_Return, Qt::Key_Plus, Qt::Key_0, Qt::Key_Tab}) {
        QTest::keyClick(view_, static_cast<Qt::Key>(key));
    }
    QTest::mouseMove(view_, QPoint(50, 50));
    QTest::mouseClick(view_, Qt::LeftButton, {}, QPoint(50, 50));
    QVERIFY(!window_->grab().isNull());
    view_->resize(1, 1);
    view_->setSheet(sampleSheet(4, 4, 30));
    QVERIFY(!window_->grab().isNull());
}

void HeatmapViewTest::fillsItsWidth() {
    view_->setAxesShown(true);
    const int height = view_->heightForWidth(300);
    QVERIFY(!view_->sizePolicy().hasHeightForWidth());  // maps shrink to the room there is
    view_->resize(300, height);
    const PixelMapping& mapping = view_->mapping();
    // whole pixels make the height a pixel too large, never too small
    QVERIFY(std::fabs(mapping.width() - mapping.area.width()) < 0.01);
    QVERIFY(mapping.height() <= mapping.area.height());
    QVERIFY(mapping.area.height() - mapping.height() < 1.01);
}

void HeatmapViewTest::isCrispOnDenseScreens() {
    MapSheet sheet = sampleSheet(1, 1, 12);
    sheet.currentRow = -1;
    sheet.captions = CaptionPlacement::none;
    view_->setSheet(sheet);
    const QImage picture = view_->picture(2);
    const PixelMapping mapping = view_->mapping().scaledBy(2);
    for (int query = 0; query < 12; ++query) {
        for (int key = 0; key < 12; ++key) {
            const QRect cell = mapping.cellRect({0, query, key});
            // at the left and top is a line two device pixels wide
            const QRgb inside = picture.pixel(cell.center());
            QCOMPARE(picture.pixel(cell.bottomRight()), inside);
            QCOMPARE(picture.pixel(cell.topLeft() + QPoint(2, 2)), inside);
        }
    }
}

void HeatmapViewTest::standsOnThePage() {
    const QRect tile = view_->mapping().tileRect(0);
    const auto beside = [&](int pixels) {
        return QColor(view_->picture(1).pixel(tile.right() + pixels, tile.center().y()));
    };
    QCOMPARE(beside(1), theme_.colours().panel);
    view_->setOnPage(true);
    QCOMPARE(beside(1), theme_.colours().border);
    QCOMPARE(beside(3), theme_.colours().window);
}

void HeatmapViewTest::neverUsesOpenGlOffscreen() {
    QVERIFY(!glSupport().usable);
    QVERIFY(glSupport().reason.contains("offscreen"));
    view_->setRendererChoice(RendererChoice::openGl);
    QVERIFY(!view_->isOpenGl());
    QVERIFY(!window_->grab().isNull());
}

QTEST_MAIN(HeatmapViewTest)
#include "tst_heatmap_view.moc"
