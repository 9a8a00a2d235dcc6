#include "views/heatmap/matrix_view.h"

#include <QSignalSpy>
#include <QTest>

#include <limits>
#include <memory>

using namespace headloom;

namespace {

MatrixSheet sample() {
    MatrixSheet sheet;
    sheet.rows = 2;
    sheet.columns = 3;
    sheet.values = {1, -0.5f, 0, 0.25f, -1, 0.75f};
    sheet.title = "α Q";
    sheet.rowLabels = QStringList{"h0", "h1"};
    sheet.columnLabels = QStringList{"q0", "q1", "q2"};
    return sheet;
}

QList<QVariant> last(const QSignalSpy& spy) {
    return spy.isEmpty() ? QList<QVariant>() : spy.last();
}

}  // namespace

class MatrixViewTest : public QObject {
    Q_OBJECT
  private slots:
    void init();
    void cleanup() { window_.reset(); }
    void findsCellsByPoint();
    void tellsHoverAndClick();
    void arrowKeysWalk();
    void saysTheValueAloud();
    void paintsBySignAndSize();
    void framesHighlightsInTheAccent();
    void survivesOddMatrices();

  private:
    Theme theme_;
    std::unique_ptr<QWidget> window_;
    MatrixView* view_ = nullptr;
};

void MatrixViewTest::init() {
    window_ = std::make_unique<QWidget>();
    view_ = new MatrixView(theme_, window_.get());
    view_->setSheet(sample());
    view_->resize(view_->sizeHint());
    window_->resize(300, 200);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
}

void MatrixViewTest::findsCellsByPoint() {
    for (int row = 0; row < 2; ++row) {
        for (int column = 0; column < 3; ++column) {
            const MatrixCell cell{row, column};
            QCOMPARE(view_->cellAt(view_->cellRect(cell).center()),
                     std::optional<MatrixCell>(cell));
            QVERIFY(view_->rect().contains(view_->cellRect(cell)));
        }
    }
    QVERIFY(!view_->cellAt(QPointF(1, 1)));
}

void MatrixViewTest::tellsHoverAndClick() {
    const QSignalSpy hovered(view_, &MatrixView::cellHovered);
    const QSignalSpy left(view_, &MatrixView::cellLeft);
    const QSignalSpy clicked(view_, &MatrixView::cellClicked);
    QTest::mouseMove(view_, view_->cellRect({1, 0}).center());
    QCOMPARE(last(hovered), (QList<QVariant>{1, 0, 0.25f}));
    QTest::mouseClick(view_, Qt::LeftButton, {}, view_->cellRect({1, 2}).center());
    QCOMPARE(last(clicked), (QList<QVariant>{1, 2}));
    QTest::mouseClick(view_, Qt::LeftButton, {}, QPoint(1, 1));
    QCOMPARE(clicked.count(), 1);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(view_, &leave);
    QCOMPARE(left.count(), 1);
}

void MatrixViewTest::arrowKeysWalk() {
    const QSignalSpy hovered(view_, &MatrixView::cellHovered);
    const QSignalSpy clicked(view_, &MatrixView::cellClicked);
    QTest::keyClick(view_, Qt::Key_Right);  // shows where one stands
    QCOMPARE(last(hovered), (QList<QVariant>{0, 0, 1.0f}));
    QTest::keyClick(view_, Qt::Key_Right);
    QTest::keyClick(view_, Qt::Key_Down);
    QTest::keyClick(view_, Qt::Key_Down);  // the edge holds
    QCOMPARE(last(hovered), (QList<QVariant>{1, 1, -1.0f}));
    QTest::keyClick(view_, Qt::Key_End);
    QTest::keyClick(view_, Qt::Key_Return);
    QCOMPARE(last(clicked), (QList<QVariant>{1, 2}));
    QTest::keyClick(view_, Qt::Key_Home);
    QCOMPARE(view_->sheet().cursor, std::optional<MatrixCell>(MatrixCell{1, 0}));
    QKeyEvent step(QEvent::KeyPress, Qt::Key_Right, Qt::ControlModifier);
    QApplication::sendEvent(view_, &step);
    QVERIFY(!step.isAccepted());  // steps the chain
}

void MatrixViewTest::saysTheValueAloud() {
    QCOMPARE(view_->describe({0, 1}), QString("α Q · h0, q1: −0.5000"));
    view_->setCursorCell(MatrixCell{0, 1});
    QCOMPARE(view_->accessibleDescription(), view_->describe({0, 1}));
    QCOMPARE(view_->accessibleName(), QString("α Q"));
}

void MatrixViewTest::paintsBySignAndSize() {
    const QImage picture = view_->grab().toImage();
    const auto ground = [&](const MatrixCell& cell) {
        return picture.pixel(view_->cellRect(cell).topLeft() + QPoint(5, 3));
    };
    const ColourTable& table = theme_.diverging();
    QCOMPARE(ground({0, 0}), table.entries[255]);
    QCOMPARE(ground({1, 1}), table.entries[1]);
    QCOMPARE(ground({0, 2}), table.entries[128]);
    QCOMPARE(ground({0, 1}), table.entries[64]);  // 128 - 63.5
}

void MatrixViewTest::framesHighlightsInTheAccent() {
    view_->setHighlights({1}, {{1, 2}});
    const QImage picture = view_->grab().toImage();
    const QColor accent = theme_.colours().accent;
    const QRect column = view_->cellRect({0, 1}).united(view_->cellRect({1, 1}));
    QCOMPARE(picture.pixelColor(column.left(), column.center().y() + 6), accent);
    const QRect cell = view_->cellRect({1, 2});
    QCOMPARE(picture.pixelColor(cell.center().x(), cell.bottom()), accent);
}

void MatrixViewTest::survivesOddMatrices() {
    view_->setSheet({});
    QVERIFY(!window_->grab().isNull());
    QTest::keyClick(view_, Qt::Key_Right);
    MatrixSheet sheet = sample();
    sheet.values[0] = std::numeric_limits<float>::quiet_NaN();
    sheet.values[1] = std::numeric_limits<float>::infinity();
    sheet.rowLabels.clear();
    sheet.highlightedColumns = {7};
    sheet.highlightedCells = {{9, 9}};
    view_->setSheet(sheet);
    view_->resize(20, 20);
    QVERIFY(!window_->grab().isNull());
    MatrixSheet zeros = sample();
    zeros.values.assign(6, 0);
    view_->setSheet(zeros);
    QVERIFY(!window_->grab().isNull());
}

QTEST_MAIN(MatrixViewTest)
#include "tst_matrix_view.moc"
