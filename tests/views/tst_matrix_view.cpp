#include "views/heatmap/matrix_editor.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

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
    void dragsANumber();
    void stepsByKeysAndWheel();
    void takesATypedNumber();

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
    MatrixSheet whole = sample();
    whole.wholeNumbers = true;
    whole.values[1] = 12;
    view_->setSheet(whole);
    QCOMPARE(view_->describe({0, 1}), QString("α Q · h0, q1: 12"));
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
    MatrixSheet framed = sample();
    framed.highlightedColumns = {1};
    framed.highlightedCells = {{1, 2}};
    view_->setSheet(framed);
    const QImage picture = view_->grab().toImage();
    const QColor accent = theme_.colours().accent;
    const QRect column = view_->cellRect({0, 1}).united(view_->cellRect({1, 1}));
    QCOMPARE(picture.pixelColor(column.left(), column.center().y() + 6), accent);
    const QRect cell = view_->cellRect({1, 2});
    QCOMPARE(picture.pixelColor(cell.center().x(), cell.bottom()), accent);
    MatrixSheet rows = sample();
    rows.highlightedRows = {1, 7};
    view_->setSheet(rows);
    const QRect row = view_->cellRect({1, 0}).united(view_->cellRect({1, 2}));
    QCOMPARE(view_->grab().toImage().pixelColor(row.center().x() + 9, row.bottom()), accent);
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

void MatrixViewTest::dragsANumber() {
    MatrixEditor editor(*view_, theme_);
    QSignalSpy wanted(&editor, &MatrixEditor::valueWanted),
        clicked(view_, &MatrixView::cellClicked);
    const QPoint at = view_->cellRect({0, 1}).center();
    const auto drag = [&](const QPoint& to, Qt::KeyboardModifiers keys = {}) {
        QMouseEvent move(QEvent::MouseMove, to, view_->mapToGlobal(to), Qt::NoButton,
                         Qt::LeftButton, keys);
        QApplication::sendEvent(view_, &move);
    };
    QTest::mousePress(view_, Qt::LeftButton, {}, at);
    drag(at - QPoint(0, 2));  // as far as a hand trembles
    QVERIFY(wanted.isEmpty());
    drag(at - QPoint(0, 30));
    QCOMPARE(last(wanted), (QList<QVariant>{0, 1, -0.2F, false}));
    drag(at + QPoint(0, 25));
    QCOMPARE(last(wanted), (QList<QVariant>{0, 1, -0.75F, true}));
    drag(at + QPoint(0, 20), Qt::ShiftModifier);
    QCOMPARE(last(wanted), (QList<QVariant>{0, 1, -0.52F, true}));
    QTest::mouseRelease(view_, Qt::LeftButton, {}, at);
    QVERIFY(clicked.isEmpty());
    QTest::mouseClick(view_, Qt::LeftButton, {}, at);
    QCOMPARE(last(clicked), (QList<QVariant>{0, 1}));
    QCOMPARE(wanted.size(), 3);
}

void MatrixViewTest::stepsByKeysAndWheel() {
    MatrixEditor editor(*view_, theme_);
    QSignalSpy wanted(&editor, &MatrixEditor::valueWanted);
    const auto wheel = [&] {
        const QPointF at = view_->cellRect({1, 2}).center();
        QWheelEvent turn(at, view_->mapToGlobal(at), {}, {0, 120}, {}, {}, Qt::NoScrollPhase,
                         false);
        QApplication::sendEvent(view_, &turn);
    };
    view_->clearFocus();
    wheel();  // it scrolls what is around until the matrix has the focus
    QVERIFY(wanted.isEmpty());
    view_->setFocus();
    wheel();
    QCOMPARE(last(wanted), (QList<QVariant>{1, 2, 0.8F, false}));
    wheel();
    QCOMPARE(last(wanted), (QList<QVariant>{1, 2, 0.8F, true}));  // of what the view shows
    view_->setCursorCell(MatrixCell{0, 0});
    QTest::keyClick(view_, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(last(wanted), (QList<QVariant>{0, 0, 0.95F, false}));
    QTest::keyClick(view_, Qt::Key_Down);
    QCOMPARE(view_->sheet().cursor, std::optional<MatrixCell>(MatrixCell{1, 0}));
    QTest::keyClick(view_, Qt::Key_Delete);
    QCOMPARE(last(wanted), (QList<QVariant>{1, 0, 0.F, false}));
}

void MatrixViewTest::takesATypedNumber() {
    MatrixEditor editor(*view_, theme_);
    QSignalSpy wanted(&editor, &MatrixEditor::valueWanted);
    view_->setFocus();
    view_->setCursorCell(MatrixCell{0, 2});
    const auto field = [&] {
        return view_->findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
    };
    QTest::keyClick(view_, '-');
    QVERIFY(editor.typing());
    QTest::keyClicks(field(), "1,5");
    QTest::keyClick(field(), Qt::Key_Return);
    QCOMPARE(last(wanted), (QList<QVariant>{0, 2, -1.5F, false}));
    QVERIFY(!editor.typing());
    QVERIFY(view_->hasFocus());
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    for (const char* bad : {"", "no", "1e999", "nan"}) {
        editor.type({0, 2}, QString::fromLatin1(bad));
        field()->setText(QString::fromLatin1(bad));
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(editor.typing());  // to be mended
        QVERIFY(field()->accessibleDescription().contains("is not a number"));
        QTest::keyClick(field(), Qt::Key_Escape);
        QVERIFY(!editor.typing());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    QCOMPARE(wanted.size(), 1);
    editor.type({0, 2}, QStringLiteral("no"));
    view_->setFocus();  // who leaves the field leaves the number as it was
    QVERIFY(!editor.typing());
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    editor.type({1, 0}, {});
    QCOMPARE(field()->text(), QString("0.25"));
    QTest::keyClick(field(), Qt::Key_Escape);
    QCOMPARE(wanted.size(), 1);
}

QTEST_MAIN(MatrixViewTest)
#include "tst_matrix_view.moc"
