#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/heatmap/heatmap_view.h"
#include "views/panels/flow_panel.h"
#include "views/panels/instruments.h"
#include "views/panels/many_panel.h"
#include "views/panels/similarity_map.h"
#include "views/window/main_window.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>

using namespace headloom;

namespace {

struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("pointer-chain");
        window.show();
        settle(window);
        QTest::keyClick(&window, Qt::Key_6, Qt::AltModifier);
    }
    ManyPanel& panel() { return *window.findChild<ManyPanel*>(); }
    QToolButton* button(const QString& text) {
        for (QToolButton* each : panel().findChildren<QToolButton*>())
            if (each->isVisible() && each->text() == text) return each;
        return nullptr;
    }
    template <class Widget>
    Widget* named(const QString& name) {
        for (Widget* each : panel().findChildren<Widget*>())
            if (each->accessibleName() == name) return each;
        return nullptr;
    }
    bool done() {
        return QTest::qWaitFor([this] { return !panel().many().running(); }, 20'000);
    }
    /// What is averaged.
    void choose(const QString& words) {
        QComboBox* what = named<QComboBox>(QStringLiteral("What is averaged"));
        what->setCurrentIndex(what->findText(words));
        emit what->activated(what->currentIndex());
    }
    /// Averages over so many examples, as a user would.
    bool average(int examples) {
        panel().findChild<QSpinBox*>()->setValue(examples);
        QTest::mouseClick(button(QStringLiteral("Start")), Qt::LeftButton);
        return done() && panel().table().isVisible();
    }

    UntrainedAssets assets;
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

}  // namespace

class WindowManyTest : public QObject {
    Q_OBJECT
  private slots:
    void isTheSixthInstrument();
    void averagesAndSorts();
    void numbersAreNotCutOff();
    void everyControlHasAName();
    void aClickOpensTheMap();
    void similarityIsAPicture();
    void aLineOfTheFlowShowsIt();
    void stops();
    void aFileAndItsBadLine();
    void exportsNumbers();
};

void WindowManyTest::isTheSixthInstrument() {
    Opened opened;
    QVERIFY(opened.panel().isVisible());
    QCOMPARE(opened.window.instruments().title(5), QStringLiteral("Many"));
    QVERIFY(opened.button(QStringLiteral("Start")));
    QCOMPARE(opened.panel().findChild<QSpinBox*>()->value(), 200);
    QVERIFY(!opened.panel().table().isVisible());
    QVERIFY(!opened.button(QStringLiteral("Export…")));
}

void WindowManyTest::averagesAndSorts() {
    Opened opened;
    QVERIFY(opened.average(3));
    QTableView& table = opened.panel().table();
    QCOMPARE(table.model()->rowCount(), 2 * 4 * (1 + 16));
    QHeaderView* heading = table.horizontalHeader();
    const QPoint first(heading->sectionViewportPosition(0) + heading->sectionSize(0) / 2,
                       heading->height() / 2);
    QTest::mouseClick(heading->viewport(), Qt::LeftButton, {}, first);
    const auto value = [&table](int row) {
        return table.model()->index(row, 0).data(ManyTable::valueRole).toDouble();
    };
    for (int row = 1; row < table.model()->rowCount(); ++row) QVERIFY(value(row - 1) >= value(row));
    QTest::mouseClick(opened.button(QStringLiteral("Heads only")), Qt::LeftButton);
    QCOMPARE(table.model()->rowCount(), 2 * 4);
}

void WindowManyTest::numbersAreNotCutOff() {
    Opened opened;
    QTableView& table = opened.panel().table();
    table.horizontalHeader()->setResizeContentsPrecision(-1);  // by all rows
    const auto widest = [&table](int column) {
        return static_cast<QAbstractItemView&>(table).sizeHintForColumn(column);
    };
    for (const char* words : {"heads and tiles", "similarity of tiles", "attention rollout"}) {
        opened.choose(words);
        QVERIFY(opened.average(3));
        for (int column = 0; column < table.model()->columnCount(); ++column)
            QVERIFY2(widest(column) <= table.columnWidth(column), words);
    }
}

void WindowManyTest::everyControlHasAName() {
    Opened opened;
    QVERIFY(opened.average(2));
    QWidgetList controls = {&opened.panel().table()};
    for (QWidget* each : opened.panel().findChildren<QAbstractButton*>()) controls << each;
    for (QWidget* each : opened.panel().findChildren<QComboBox*>()) controls << each;
    for (QWidget* each : opened.panel().findChildren<QAbstractSpinBox*>()) controls << each;
    for (QWidget* control : controls)
        if (control->isVisible() && control->focusPolicy() != Qt::NoFocus)
            QVERIFY2(!control->accessibleName().isEmpty(), control->metaObject()->className());
}

void WindowManyTest::aClickOpensTheMap() {
    Opened opened;
    QVERIFY(opened.average(2));
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

void WindowManyTest::similarityIsAPicture() {
    Opened opened;
    opened.choose(QStringLiteral("similarity of tiles"));
    QVERIFY(opened.average(2));
    const SimilarityMap& matrix = opened.panel().similarity();
    QVERIFY(matrix.isVisible());
    HeatmapView& map = *matrix.findChild<HeatmapView*>();
    QCOMPARE(map.sheet().queries, 64);
    QVERIFY(matrix.note().startsWith(QStringLiteral("64 tiles, ")));
    map.setFocus();
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Right);  // of two, not of one with itself
    QVERIFY2(matrix.note().contains(QStringLiteral(" ± ")), matrix.note().toUtf8());
    for (int row = 0; row < 9; ++row) QTest::keyClick(&map, Qt::Key_Down);
    QTest::keyClick(&map, Qt::Key_Return);
    const MapRef open = opened.model.selection().open(Side::right);
    QVERIFY(open != MapRef::tile(0, 0, 0));
    const QString name = QStringLiteral("L%1H%2.q%3k%4 and ")
                             .arg(opened.model.selection().layer())
                             .arg(open.head)
                             .arg(open.p)
                             .arg(open.r);
    QVERIFY2(matrix.note().startsWith(name), matrix.note().toUtf8());
    // what the keys are on is what is exported
    map.setFocus();
    QCOMPARE(opened.window.inView()->title, QStringLiteral("The similarity"));
    opened.panel().table().setFocus();
    QCOMPARE(opened.window.inView()->title, QStringLiteral("The maps"));
    qunsetenv("HEADLOOM_ASSETS");  // the palettes are the program's own
    const QTemporaryDir folder;
    const QString picture = folder.filePath(QStringLiteral("alike.svg"));
    opened.panel().exportTo(picture);
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(picture); }, 20'000));
    opened.model.setLayer(1 - opened.model.selection().layer());
    QVERIFY(!matrix.note().startsWith(name.left(2)));
    QVERIFY2(matrix.note().startsWith(QStringLiteral("64 tiles, ")), matrix.note().toUtf8());
}

void WindowManyTest::aLineOfTheFlowShowsIt() {
    Opened opened;
    opened.choose(QStringLiteral("attention flow"));
    QVERIFY(opened.average(1));
    QTableView& table = opened.panel().table();
    table.setFocus();
    table.selectRow(0);
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(opened.window.instruments().title(opened.window.instruments().current()),
             QStringLiteral("Flow"));
    FlowPanel& flow = *opened.window.findChild<FlowPanel*>();
    QCOMPARE(flow.flow().maps(), FlowModel::Maps::flow);
    QCOMPARE(flow.findChild<QComboBox*>()->currentText(), QStringLiteral("Flow"));
    QCOMPARE(flow.flow().side(), Side::right);
}

void WindowManyTest::stops() {
    Opened opened;
    opened.panel().findChild<QSpinBox*>()->setValue(1'000'000);
    QTest::mouseClick(opened.button(QStringLiteral("Start")), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return opened.panel().many().progress() > 0; }, 20'000));
    QTest::mouseClick(opened.button(QStringLiteral("Stop")), Qt::LeftButton);
    QVERIFY(opened.done());
    QVERIFY(opened.panel().many().about().contains(QStringLiteral("stopped after")));
    QVERIFY(opened.button(QStringLiteral("Start")));
}

void WindowManyTest::aFileAndItsBadLine() {
    Opened opened;
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("probes.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("a=c;\n€\n");
    file.close();
    opened.panel().setFile(file.fileName());
    QVERIFY(opened.button(QStringLiteral("probes.txt")));
    QTest::mouseClick(opened.button(QStringLiteral("Start")), Qt::LeftButton);
    QVERIFY(opened.done());
    QVERIFY(!opened.panel().table().isVisible());
    QVERIFY(opened.panel().many().hint().startsWith(QStringLiteral("probes.txt, line 2: ")));
}

void WindowManyTest::exportsNumbers() {
    Opened opened;
    QVERIFY(opened.average(2));
    QVERIFY(opened.button(QStringLiteral("Export…")));
    const QTemporaryDir folder;
    opened.panel().exportTo(folder.filePath(QStringLiteral("averages.csv")));
    QVERIFY(QFile::exists(folder.filePath(QStringLiteral("averages.csv"))));
    QVERIFY(opened.window.message().contains(QStringLiteral("averages.csv")));
    opened.panel().exportTo(folder.filePath(QStringLiteral("no/where.csv")));
    QVERIFY(opened.window.message().contains(QStringLiteral("cannot be written")));
}

QTEST_MAIN(WindowManyTest)
#include "tst_window_many.moc"
