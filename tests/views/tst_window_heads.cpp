#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/heatmap/heatmap_view.h"
#include "views/panels/heads_panel.h"
#include "views/panels/instruments.h"
#include "views/panels/similarity_pane.h"
#include "views/window/main_window.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QTableView>

using namespace headloom;

namespace {

struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("pointer-chain");
        window.show();
        settle(window);
    }
    HeadsPanel& panel() { return *window.findChild<HeadsPanel*>(); }
    bool look() {
        Instruments& instruments = window.instruments();
        for (int index = 0; index < instruments.count(); ++index)
            if (instruments.title(index) == QStringLiteral("Heads"))
                QTest::keyClick(&window, Qt::Key(Qt::Key_1 + index), Qt::AltModifier);
        return QTest::qWaitFor([this] { return panel().table().model()->rowCount() > 0; }, 20'000);
    }

    UntrainedAssets assets;
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

}  // namespace

class WindowHeadsTest : public QObject {
    Q_OBJECT
  private slots:
    void worksOnlyWhenLookedAt();
    void everyControlHasAName();
    void aClickAndEnterOpenMaps();
    void theLineFollowsTheOpenMap();
    void aHeadingSorts();
    void theMatrixOpensItsRow();
};

void WindowHeadsTest::worksOnlyWhenLookedAt() {
    Opened opened;
    QVERIFY(!opened.panel().isVisible());
    QVERIFY(!opened.panel().heads().busy());
    QCOMPARE(opened.panel().table().model()->rowCount(), 0);
    QVERIFY(opened.look());
    QVERIFY(opened.panel().isVisible());
    QCOMPARE(opened.panel().table().model()->rowCount(), 2 * 4 * (1 + 16));
    QVERIFY(opened.panel().similarity().sentence().startsWith(QStringLiteral("64 tiles, ")));
}

void WindowHeadsTest::everyControlHasAName() {
    Opened opened;
    QVERIFY(opened.look());
    QWidgetList controls;
    for (QWidget* each : opened.panel().findChildren<QAbstractButton*>()) controls << each;
    for (QWidget* each : opened.panel().findChildren<QComboBox*>()) controls << each;
    for (QWidget* each : opened.panel().findChildren<QAbstractSpinBox*>()) controls << each;
    controls << opened.panel().findChild<HeatmapView*>() << &opened.panel().table();
    for (QWidget* control : controls)
        if (control->isVisible() && control->focusPolicy() != Qt::NoFocus)
            QVERIFY2(!control->accessibleName().isEmpty(), control->metaObject()->className());
}

void WindowHeadsTest::aClickAndEnterOpenMaps() {
    Opened opened;
    QVERIFY(opened.look());
    QTableView& table = opened.panel().table();
    const QModelIndex tile = table.model()->index(1 + 2, 0);  // L0H0.q0k2
    table.scrollTo(tile);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(tile).center());
    QCOMPARE(opened.model.selection().layer(), 0);
    QCOMPARE(opened.model.selection().open(Side::right), MapRef::tile(0, 0, 2));
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_Down);
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(opened.model.selection().open(Side::right), MapRef::tile(0, 0, 3));
}

void WindowHeadsTest::theLineFollowsTheOpenMap() {
    Opened opened;
    QVERIFY(opened.look());
    const auto marked = [&opened] {
        const auto rows = opened.panel().table().selectionModel()->selectedRows();
        return rows.size() == 1 ? opened.panel().heads().list().line(rows.front().row())
                                : HeadLine{-1, {}};
    };
    opened.model.setLayer(1);
    opened.model.selection().setOpen(opened.panel().heads().side(), MapRef::tile(2, 1, 3));
    const HeadLine line = marked();
    QCOMPARE(line.layer, 1);
    QCOMPARE(line.scores.head, 2);
    QCOMPARE(line.scores.p, 1);
    QCOMPARE(line.scores.r, 3);
    opened.panel().heads().list().setHeadsOnly(true);
    opened.model.selection().setOpen(opened.panel().heads().side(), MapRef::tile(3, 0, 0));
    QCOMPARE(marked().scores.head, 3);
    QVERIFY(marked().scores.p < 0);
}

void WindowHeadsTest::aHeadingSorts() {
    Opened opened;
    QVERIFY(opened.look());
    QTableView& table = opened.panel().table();
    QHeaderView* heading = table.horizontalHeader();
    const QPoint first(heading->sectionViewportPosition(1) + heading->sectionSize(1) / 2,
                       heading->height() / 2);
    const auto value = [&table](int row) {
        return table.model()->index(row, 1).data(HeadsTable::valueRole).toDouble();
    };
    QTest::mouseClick(heading->viewport(), Qt::LeftButton, {}, first);
    for (int row = 1; row < table.model()->rowCount(); ++row)
        QVERIFY(value(row - 1) >= value(row));  // the most first
    QTest::mouseClick(heading->viewport(), Qt::LeftButton, {}, first);
    QVERIFY(value(0) <= value(table.model()->rowCount() - 1));
}

void WindowHeadsTest::theMatrixOpensItsRow() {
    Opened opened;
    QVERIFY(opened.look());
    const SimilarityShown shown = opened.panel().heads().similarity();
    emit opened.panel().findChild<HeatmapView*>()->cellClicked(0, 5, 7);
    const Pattern& row = shown.patterns[5];
    QCOMPARE(opened.model.selection().open(Side::right), MapRef::tile(row.head, row.p, row.r));
}

QTEST_MAIN(WindowHeadsTest)
#include "tst_window_heads.moc"
