#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/heatmap/heatmap_view.h"
#include "views/panels/theory_look_back_column.h"
#include "views/panels/theory_look_back_pane.h"
#include "views/panels/theory_offset_bars.h"
#include "views/panels/theory_panel.h"
#include "views/window/main_window.h"

#include <QAbstractButton>
#include <QLabel>
#include <QSpinBox>
#include <QSvgRenderer>

using namespace headloom;

namespace {

struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("four-witnesses");
        window.show();
        settle(window);
    }
    /// The part, seen and with all that it was asked for.
    TheoryLookBackPane& pane() {
        window.setPage(Page::theory);
        auto* found = window.theoryPanel().findChild<TheoryLookBackPane*>();
        for (int part = 0; part < window.theoryPanel().count(); ++part)
            if (&window.theoryPanel().part(part) == found) window.theoryPanel().setCurrent(part);
        worked(*found);
        return *found;
    }
    static bool worked(TheoryLookBackPane& pane) {
        return QTest::qWaitFor([&] { return !pane.model().busy(); }, 20'000);
    }
    QString words() {
        QString all;
        for (const QLabel* label : window.theoryPanel().findChildren<QLabel*>())
            if (label->isVisible()) all += label->text() + QLatin1Char('\n');
        return all;
    }
    QAbstractButton* button(const char* text) {
        for (auto* one : window.theoryPanel().findChildren<QAbstractButton*>())
            if (one->isVisible() && one->text().startsWith(QLatin1String(text))) return one;
        return nullptr;
    }

    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

/// Mean of the cells `offset` back of a map on screen, over the rows 4 to 15 that have targets.
double meanBack(const MapSheet& sheet, int offset) {
    double sum = 0;
    for (int row = 4; row < 16; ++row)
        sum += static_cast<double>(sheet.tiles[0].values.get()[row * 16 + row - offset]);
    return sum / 12;
}

}  // namespace

class WindowLookBackTest : public QObject {
    Q_OBJECT
  private slots:
    void theArmsStandSideBySide();
    void theMapsFillAPage();
    void barsAreTheMapsOnScreen();
    void keysAndNumbersTakeOtherExamples();
    void tilesAndMixesAreOtherMaps();
    void aBarIsReadByKeysAndPointer();
    void withoutModelsItSaysWhatToDo();
    void theArmsCanBeTrained();
};

void WindowLookBackTest::theArmsStandSideBySide() {
    Opened opened;
    auto& pane = opened.pane();
    QVERIFY(pane.model().arms());
    const auto columns = pane.model().columns();
    QCOMPARE(columns.size(), std::size_t{4});
    for (int arm = 0; arm < 4; ++arm) {
        const LookBackColumn& column = columns[static_cast<std::size_t>(arm)];
        QVERIFY(opened.words().contains(column.title));
        QVERIFY(
            opened.words().contains(QStringLiteral("exact %1").arg(column.score.exact, 0, 'f', 3)));
        QCOMPARE(static_cast<int>(column.maps.size()), column.nMaps);
        QTRY_VERIFY(pane.column(arm).map(0).isVisible());
    }
    for (const char* part : {"2 maps mix to 1.41 of 4 jobs", "4 maps mix to 3.99 of 4 jobs",
                             "one seed says little", "MHA with as many heads as jobs"})
        QVERIFY2(opened.words().contains(QLatin1String(part)), part);
}

// Twelve maps below each other would be thirteen times as high as wide.
void WindowLookBackTest::theMapsFillAPage() {
    Opened opened;
    auto& pane = opened.pane();
    QTRY_VERIFY(pane.column(3).map(3).isVisible());
    settle(opened.window);
    const auto svg = opened.window.inView()->take(ExportFormat::svg)();
    QVERIFY(svg);
    const QSize page = QSvgRenderer(*svg).defaultSize();
    QVERIFY(page.height() < 3 * page.width());
    QVERIFY(svg->contains("M[1,1] of IHA, 2 heads x 2"));
    QVERIFY(!svg->contains("parameters accuracy"));  // two lines on screen
}

void WindowLookBackTest::barsAreTheMapsOnScreen() {
    Opened opened;
    auto& pane = opened.pane();
    const auto columns = pane.model().columns();
    for (int arm = 0; arm < 4; ++arm)
        for (int map = 0; map < columns[static_cast<std::size_t>(arm)].nMaps; ++map) {
            const OffsetBarsContent& bars = pane.column(arm).bars(map).content();
            QCOMPARE(bars.weights.size(), std::size_t{6});  // own, 1 to 4 back, further
            for (int offset = 0; offset <= 4; ++offset)
                QVERIFY(std::abs(bars.weights[static_cast<std::size_t>(offset)] -
                                 meanBack(pane.column(arm).map(map).sheet(), offset)) < 1e-12);
            QVERIFY(bars.isSigned);
            QVERIFY(pane.column(arm).map(map).sheet().isSigned);
            QCOMPARE(pane.column(arm).map(map).scale().sharedMaximum,
                     pane.column(0).map(0).scale().sharedMaximum);
        }
}

void WindowLookBackTest::keysAndNumbersTakeOtherExamples() {
    Opened opened;
    auto& pane = opened.pane();
    const auto first = pane.column(3).bars(0).content().weights;
    const QStringList tokens = pane.model().tokens();
    QCOMPARE(tokens.size(), 16);
    auto* number = pane.findChild<QSpinBox*>();
    number->setFocus();
    QTest::keyClick(number, Qt::Key_PageDown);
    QTest::keyClick(number, Qt::Key_PageDown);
    QVERIFY(Opened::worked(pane));
    QCOMPARE(pane.model().example(), 2);
    QCOMPARE(number->value(), 2);
    QVERIFY(pane.model().tokens() != tokens);
    QVERIFY(pane.column(3).bars(0).content().weights != first);
    QVERIFY(opened.words().contains("Example 2: "));
    QTest::keyClick(number, Qt::Key_PageUp);
    number->selectAll();
    QTest::keyClicks(number, "0");
    QTest::keyClick(number, Qt::Key_Return);
    QVERIFY(Opened::worked(pane));
    QCOMPARE(pane.model().tokens(), tokens);
    QCOMPARE(pane.column(3).bars(0).content().weights, first);
    QTest::keyClick(number, Qt::Key_PageUp);
    QCOMPARE(pane.model().example(), 0);
}

void WindowLookBackTest::tilesAndMixesAreOtherMaps() {
    Opened opened;
    auto& pane = opened.pane();
    int iha = 0;
    while (!pane.model().columns()[static_cast<std::size_t>(iha)].interleaved) ++iha;
    opened.button("Tiles")->click();
    QVERIFY(pane.column(iha).map(7).isVisible());
    QVERIFY(!pane.column(iha).map(7).sheet().isSigned);
    QCOMPARE(pane.column(iha).map(7).sheet().tiles[0].caption, QStringLiteral("h1 q1 k1"));
    QCOMPARE(pane.column(iha).mapsAcross(), 4);
    opened.button("Pseudo-queries")->click();
    QVERIFY(!pane.column(iha).map(4).isVisible());
    double mass = 0;
    for (int key = 0; key < 16; ++key)
        mass += static_cast<double>(
            pane.column(iha).map(3).sheet().tiles[0].values.get()[9 * 16 + key]);
    QVERIFY(std::abs(mass - 1) < 1e-5);  // all of the attention; 32 roundings of float32
    opened.button("Best mixes")->click();
    for (int mix = 0; mix < 4; ++mix) {
        const OffsetBarsContent& bars = pane.column(iha).bars(mix).content();
        QCOMPARE(bars.strong, mix + 1);
        QVERIFY(bars.verdict.startsWith(QStringLiteral("carries %1 back").arg(mix + 1)));
        QVERIFY(pane.column(0).map(mix).isVisible());
    }
}

void WindowLookBackTest::aBarIsReadByKeysAndPointer() {
    Opened opened;
    auto& pane = opened.pane();
    OffsetBars& bars = pane.column(0).bars(0);
    bars.setFocus();
    QCOMPARE(bars.readout(), QString());
    for (int i = 0; i < 4; ++i) QTest::keyClick(&bars, Qt::Key_Right);
    const QString third =
        QStringLiteral("M[0,0], 3 back: %1").arg(bars.content().weights[3], 0, 'f', 3);
    QCOMPARE(bars.readout(), third);
    QVERIFY(opened.words().contains(third));
    for (int i = 0; i < 9; ++i) QTest::keyClick(&bars, Qt::Key_Right);
    QVERIFY(bars.readout().startsWith("M[0,0], further than 4 back: "));
    for (int i = 0; i < 9; ++i) QTest::keyClick(&bars, Qt::Key_Left);
    QVERIFY(bars.readout().startsWith("M[0,0], its own token: "));
    QTest::mouseMove(&bars, {bars.width() / 4, bars.height() / 2});
    QTRY_VERIFY(bars.readout().startsWith("M[0,0], 1 back: "));
}

void WindowLookBackTest::withoutModelsItSaysWhatToDo() {
    QTemporaryDir folder;
    Opened opened;
    qputenv("HEADLOOM_ASSETS", folder.path().toUtf8());
    auto& pane = opened.pane();
    qunsetenv("HEADLOOM_ASSETS");
    QVERIFY(!pane.model().arms());
    QVERIFY(
        opened.words().contains("there are no trained models of the look-back bank; train some"));
    QVERIFY(opened.button("Train these arms")->isEnabled());
    pane.model().setView(TheoryLookBackModel::View::tiles);
    pane.step(1);
    // they are there now, which turning to the part finds
    opened.window.theoryPanel().setCurrent(0);
    opened.pane();
    QVERIFY(pane.model().arms());
    QVERIFY(pane.model().problem().isEmpty());
    QVERIFY(!opened.words().contains("there are no trained models"));
    QVERIFY(opened.words().contains("Example 1: "));
}

void WindowLookBackTest::theArmsCanBeTrained() {
    Opened opened;
    opened.pane();
    opened.button("Train these arms")->click();
    QCOMPARE(opened.window.page(), Page::train);
    const ComparisonSetup& setup = opened.window.training().setup();
    QCOMPARE(setup.task(), QStringLiteral("look-back-bank"));
    QCOMPARE(setup.arms().size(), std::size_t{4});
}

QTEST_MAIN(WindowLookBackTest)
#include "tst_window_look_back.moc"
