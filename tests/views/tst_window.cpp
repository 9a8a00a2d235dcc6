#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/heatmap/heatmap_view.h"
#include "views/heatmap/matrix_view.h"
#include "views/panels/column_panel.h"
#include "views/panels/comparison_panel.h"
#include "views/panels/head_card.h"
#include "views/panels/head_grid_view.h"
#include "views/panels/loom_map.h"
#include "views/panels/loom_panel.h"
#include "views/panels/prompt_bar.h"
#include "views/panels/side_panel.h"
#include "views/viewmodels/column_run.h"
#include "views/window/action_palette.h"
#include "views/window/main_window.h"
#include "views/window/window_memory.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QScopeGuard>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

using namespace headloom;

namespace {

/// A window at the first example, drawn without a screen.
struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("four-witnesses");
        window.show();
        settle(window);
    }
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

int coloursOf(const QImage& image) {
    QSet<QRgb> seen;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3) seen.insert(image.pixel(x, y));
    return static_cast<int>(seen.size());
}

void collect(const QMenu* menu, QList<QAction*>& into) {
    for (QAction* action : menu->actions()) {
        if (action->menu())
            collect(action->menu(), into);
        else if (!action->isSeparator() && !action->text().isEmpty())
            into << action;
    }
}

QList<QAction*> actionsOf(const MainWindow& window) {
    QList<QAction*> all;
    for (QAction* top : window.menuBar()->actions()) collect(top->menu(), all);
    return all;
}

QAction* actionOf(const MainWindow& window, const QString& title) {
    for (QAction* action : actionsOf(window))
        if (QString(action->text()).remove('&') == title) return action;
    return nullptr;
}

}  // namespace

class WindowTest : public QObject {
    Q_OBJECT
  private slots:
    void opensAndSteps();
    void everyActionHasAShortcut();
    void everyControlHasAName();
    void editsThePrompt();
    void findsTokens();
    void linksTilesAndWeights();
    void sharesOneCursor();
    void lightsATokenEverywhere();
    void switchesEverySetting();
    void hiddenTablesAreNotFilled();
    void remembersItself();
    void fitsASmallScreen();
    void savesAPicture();
    void walksTheHeadsAndOpensOne();
    void dragsAWeightAndUndoesIt();
    void findsAnActionByItsName();
    void exportsTheMapsInView();
    void showsMassesOfHeadsWithoutMaps();

  private:
    UntrainedAssets assets_;
};

void WindowTest::opensAndSteps() {
    Opened opened;
    const QImage first = opened.window.grab().toImage();
    QVERIFY(coloursOf(first) > 100);  // not blank: maps, text and bars
    opened.model.goToFirst();
    settle(opened.window);
    const QImage start = opened.window.grab().toImage();
    QTest::keyClick(&opened.window, Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(opened.model.stepIndex(), 1);
    settle(opened.window);
    QVERIFY(opened.window.grab().toImage() != start);
    QTest::keyClick(&opened.window, Qt::Key_PageDown);  // a clicker
    QCOMPARE(opened.model.stepIndex(), 2);
    QTest::keyClick(&opened.window, Qt::Key_PageUp);
    QCOMPARE(opened.model.stepIndex(), 1);
    QTest::keyClick(&opened.window, Qt::Key_Space);
    QVERIFY(opened.model.playing());
    QTest::keyClick(&opened.window, Qt::Key_Space);
    QVERIFY(!opened.model.playing());
    QTest::keyClick(&opened.window, Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(opened.model.stepIndex(), 15);
    QTest::keyClick(&opened.window, Qt::Key_T, Qt::ControlModifier);
    settle(opened.window);
    QVERIFY(opened.model.session().shownState().onItsOwn);
}

void WindowTest::everyActionHasAShortcut() {
    Opened opened;
    QSet<QString> taken;
    for (const QAction* action : actionsOf(opened.window)) {
        QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->text()));
        for (const QKeySequence& keys : action->shortcuts()) {
            QVERIFY2(!taken.contains(keys.toString()), qPrintable(keys.toString()));
            taken.insert(keys.toString());
        }
    }
    QVERIFY(taken.size() > 30);
}

void WindowTest::everyControlHasAName() {
    Opened opened;
    const auto named = [](const QWidget* widget) {
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        return !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty());
    };
    const auto check = [&](const QWidget* widget) {
        const bool inner = qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) ||
                           qobject_cast<const QTableView*>(widget->parentWidget()) ||
                           widget->objectName().startsWith("qt_");
        if (inner) return true;
        if (!named(widget)) qWarning() << "no accessible name:" << widget;
        return named(widget);
    };
    for (const QWidget* widget : opened.window.findChildren<QAbstractButton*>())
        QVERIFY(check(widget));
    for (const QWidget* widget : opened.window.findChildren<QAbstractSpinBox*>())
        QVERIFY(check(widget));
    for (const QWidget* widget : opened.window.findChildren<QComboBox*>()) QVERIFY(check(widget));
    for (const QWidget* widget : opened.window.findChildren<QLineEdit*>()) QVERIFY(check(widget));
    for (const QWidget* widget : opened.window.findChildren<HeatmapView*>()) QVERIFY(check(widget));
    for (const QWidget* widget : opened.window.findChildren<MatrixView*>()) QVERIFY(check(widget));
}

void WindowTest::editsThePrompt() {
    Opened opened;
    QTest::keyClick(&opened.window, Qt::Key_L, Qt::ControlModifier);
    auto* edit = opened.window.prompt().findChild<QLineEdit*>({}, Qt::FindChildrenRecursively);
    QList<QLineEdit*> edits = opened.window.prompt().findChildren<QLineEdit*>();
    for (QLineEdit* one : edits)
        if (one->accessibleName() == "Prompt as text") edit = one;
    QVERIFY(edit->isVisible());
    QCOMPARE(edit->text(), opened.model.session().promptText());
    const auto before = opened.model.session().runs().leader();
    edit->setText("01x");
    QTest::keyClick(edit, Qt::Key_Return);
    QVERIFY(edit->isVisible());  // still there, with its sentence, the old session behind it
    bool said = false;
    for (const QLabel* label : opened.window.findChildren<QLabel*>())
        said = said || (label->isVisible() && label->text().contains("x"));
    QVERIFY(said);
    QVERIFY(opened.model.session().runs().leader() == before);
    edit->setText("00000");
    QTest::keyClick(edit, Qt::Key_Return);
    QVERIFY(!edit->isVisible());
    settle(opened.window);
    QVERIFY(opened.model.session().runs().leader() != before);
    QCOMPARE(opened.model.axis(Side::left).labels.front(), QString("0"));
    QTest::keyClick(&opened.window, Qt::Key_L, Qt::ControlModifier);
    QTest::keyClick(edit, Qt::Key_Escape);
    QVERIFY(!edit->isVisible());
}

void WindowTest::findsTokens() {
    Opened opened;
    opened.window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&opened.window));
    QVERIFY(opened.model.session().setPrompt("01201"));
    settle(opened.window);
    const TokenSearch& search = opened.window.prompt().search();
    QTest::keyClick(&opened.window, Qt::Key_F, Qt::ControlModifier);
    QLineEdit* field = nullptr;
    for (QLineEdit* one : opened.window.prompt().findChildren<QLineEdit*>())
        if (one->accessibleName() == "Find a token") field = one;
    QVERIFY(field && field->isVisible());

    const std::vector<int>& tokens = opened.model.session().runs().leader()->run->tokens;
    const auto count = [&tokens](int id) { return std::count(tokens.begin(), tokens.end(), id); };
    QTest::keyClicks(field, "0");
    QCOMPARE(static_cast<long>(search.matches().size()), count(0));
    QCOMPARE(opened.model.selection().hoveredToken(), 0);  // lit in every map
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(opened.model.selection().hoveredToken(), 3);
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);  // around to the last
    QCOMPARE(search.current(), static_cast<int>(search.matches().size()) - 1);

    field->clear();
    QTest::keyClicks(field, "20");  // over two tokens
    QVERIFY(!search.matches().empty());
    QCOMPARE(search.matches().front(), (TokenSearch::Match{2, 3}));
    QVERIFY(search.holds(3, 3) && !search.holds(4, 4));
    field->clear();
    QTest::keyClicks(field, "#1");
    QCOMPARE(static_cast<long>(search.matches().size()), count(1));
    field->clear();
    QTest::keyClicks(field, "x");
    QCOMPARE(search.text(), QString("not in it"));
    QCOMPARE(opened.model.selection().hoveredToken(), -1);

    // another prompt is searched again
    field->clear();
    QTest::keyClicks(field, "0");
    QVERIFY(opened.model.session().setPrompt("11111"));
    settle(opened.window);
    for (const TokenSearch::Match& match : search.matches()) QVERIFY(match.first >= 5);
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!field->isVisible());
    QVERIFY(search.matches().empty());
}

void WindowTest::linksTilesAndWeights() {
    Opened opened;
    const auto matrices = opened.window.loom().column(Side::right).findChildren<MatrixView*>();
    QCOMPARE(matrices.size(), 4);
    opened.model.selection().setOpen(Side::right, MapRef::tile(0, 1, 0));
    settle(opened.window);
    QCOMPARE(matrices[0]->sheet().highlightedColumns, std::vector<int>{1});  // alpha Q: q1
    QCOMPARE(matrices[1]->sheet().highlightedColumns, std::vector<int>{0});  // alpha K: k0
    QCOMPARE(matrices[2]->sheet().highlightedColumns, std::vector<int>{0});  // alpha V: v0
    QVERIFY(matrices[3]->sheet().highlightedCells == (std::vector<MatrixCell>{{0, 1}}));
    // The other way: a click on alpha K[1, 0, 1] lights column k1 of the tiles.
    const QPoint weight = matrices[1]->cellRect({1, 1}).center();
    QTest::mouseClick(matrices[1], Qt::LeftButton, {}, weight);
    const LoomMap& map = opened.window.loom().column(Side::right).map();
    QCOMPARE(map.sheet().linkedTiles, (std::vector<int>{1, 3}));
    QVERIFY(matrices[0]->sheet().highlightedColumns.empty());
    QVERIFY(matrices[1]->sheet().highlightedCells == (std::vector<MatrixCell>{{1, 1}}));
    QTest::mouseMove(matrices[1], matrices[1]->cellRect({0, 0}).center());
    QVERIFY(opened.model.pointedText().contains("k0"));
    bool said = false;
    for (const QLabel* label : opened.window.findChildren<QLabel*>())
        said = said || label->text() == opened.model.pointedText();
    QVERIFY(said);
    QTest::mouseClick(matrices[1], Qt::LeftButton, {}, weight);  // lets go
    QVERIFY(map.sheet().linkedTiles.empty());
    QCOMPARE(matrices[0]->sheet().highlightedColumns, std::vector<int>{1});
}

void WindowTest::sharesOneCursor() {
    Opened opened;
    opened.model.goToLast();
    settle(opened.window);
    LoomMap& left = opened.window.loom().column(Side::left).map();
    LoomMap& right = opened.window.loom().column(Side::right).map();
    const double ratio = left.devicePixelRatioF();
    const QPoint at = left.mapping().cellRect({1, 9, 4}).center() / ratio;
    QTest::mouseMove(&left, at);
    QVERIFY(opened.model.selection().cell());
    QVERIFY(*opened.model.selection().cell() == (CellRef{Side::left, MapRef::tile(1), 9, 4}));
    QVERIFY(right.sheet().cursor && right.sheet().cursor->query == 9 &&
            right.sheet().cursor->key == 4);
    QVERIFY(actionOf(opened.window, "Copy value"));
    actionOf(opened.window, "Copy value")->trigger();
    QCOMPARE(QApplication::clipboard()->text(), opened.model.cellValue());
    left.setFocus();
    QTest::keyClick(&left, Qt::Key_Right);
    QVERIFY(opened.model.selection().cell());
    QCOMPARE(opened.model.selection().cell()->key, 5);
}

void WindowTest::lightsATokenEverywhere() {
    Opened opened;
    opened.model.selection().setHoveredToken(3);
    for (const Side side : bothSides)
        QCOMPARE(opened.window.loom().column(side).map().sheet().linkedToken, 3);
}

void WindowTest::switchesEverySetting() {
    Opened opened;
    for (const char* title : {"Effective maps instead of tiles", "Tiles by row", "Shared scale",
                              "Hide the first-token sink", "Log", "Linear", "Light", "Dark",
                              "For a lecture (150 %)", "Normal (100 %)", "Swap the columns"}) {
        QAction* action = actionOf(opened.window, title);
        QVERIFY2(action, title);
        action->trigger();
        settle(opened.window);
        QVERIFY2(coloursOf(opened.window.grab().toImage()) > 60, title);
    }
    QVERIFY(opened.model.head(Side::left).iha);
    QCOMPARE(opened.appearance.percent(), 100);
}

void WindowTest::hiddenTablesAreNotFilled() {
    Opened opened;
    auto& cost = opened.window.side().section(SidePanel::cost);
    cost.setOpen(false);
    const auto before = cost.rows().rows();
    opened.model.session().setChoice(Side::left, opened.model.session().choices().back());
    settle(opened.window);
    QVERIFY(cost.rows().rows() == before);
    cost.setOpen(true);
    QVERIFY(!(cost.rows().rows() == before));
}

void WindowTest::remembersItself() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath("headloom.ini"), QSettings::IniFormat);
    {
        Opened opened;
        opened.appearance.setChoice(ThemeChoice::light);
        opened.appearance.setPercent(130);
        DisplayOptions::Values shown = opened.model.display().values();
        shown.curve = DisplayOptions::Curve::log;
        shown.hideSink = true;
        opened.model.display().setValues(shown);
        opened.model.session().openExample("look-back-bank", 4);
        settle(opened.window);
        remember(opened.window, settings);
    }
    Opened again;
    recall(again.window, settings);
    QCOMPARE(again.appearance.choice(), ThemeChoice::light);
    QCOMPARE(again.appearance.percent(), 130);
    QCOMPARE(again.model.display().values().curve, DisplayOptions::Curve::log);
    QVERIFY(again.model.display().values().hideSink);
    QCOMPARE(lastExample(settings).id, QString("look-back-bank"));
    QCOMPARE(lastExample(settings).index, 4);
    // Damaged settings change nothing.
    settings.setValue("window/percent", "many");
    settings.setValue("window/curve", 99);
    settings.setValue("window/theme", 7);
    settings.setValue("window/geometry", "no geometry");
    recall(again.window, settings);
    QCOMPARE(again.appearance.choice(), ThemeChoice::light);
    QCOMPARE(again.model.display().values().curve, DisplayOptions::Curve::log);
    QVERIFY(again.appearance.percent() >= Appearance::smallestPercent);
}

void WindowTest::fitsASmallScreen() {
    Opened opened;
    const QSize least = opened.window.minimumSizeHint();
    QVERIFY2(least.width() <= 1024 && least.height() <= 768,
             qPrintable(QString("%1 x %2").arg(least.width()).arg(least.height())));
}

void WindowTest::savesAPicture() {
    Opened opened;
    const QByteArray untrained = qgetenv("HEADLOOM_ASSETS");
    qunsetenv("HEADLOOM_ASSETS");  // the palettes are the program's own
    const auto restore = qScopeGuard([&untrained] { qputenv("HEADLOOM_ASSETS", untrained); });
    QTemporaryDir folder;
    const QString file = folder.filePath("picture.png");
    QVERIFY(savePicture(opened.window, file));
    const QImage picture(file);
    QCOMPARE(picture.size(), opened.window.size() * opened.window.devicePixelRatioF());
    QVERIFY(coloursOf(picture) > 100);
    const auto refused = savePicture(opened.window, folder.filePath("no/such/folder.png"));
    QVERIFY(!refused);
    QVERIFY(QString::fromStdString(refused.error().sentence()).contains("no/such/folder.png"));
}

void WindowTest::walksTheHeadsAndOpensOne() {
    Opened opened;
    ColumnPanel& column = opened.window.loom().column(Side::left);
    QVERIFY(column.map().isVisible() && !column.grid().isVisible());
    column.map().setFocus();
    QTest::keyClick(&column.map(), Qt::Key_Backspace);
    settle(opened.window);
    QVERIFY(!column.map().isVisible() && column.grid().isVisible());
    QVERIFY(column.map().sheet().isEmpty());  // what is hidden costs nothing
    const ExploreSession& session = opened.model.session();
    QTRY_COMPARE(session.grid(Side::left).firstMissing(), -1);
    QVERIFY(coloursOf(column.grid().grab().toImage()) > 20);

    opened.model.selection().setOpen(Side::left, MapRef::tile(0));
    QTest::keyClick(&column.grid(), Qt::Key_Right);
    QVERIFY(opened.model.pointedText().contains("head 1"));
    QTest::keyClick(&column.grid(), Qt::Key_Return);
    settle(opened.window);
    QVERIFY(column.map().isVisible() && !column.grid().isVisible());
    QCOMPARE(opened.model.selection().open(Side::left).head, 1);
    QCOMPARE(column.map().content().refs, std::vector<MapRef>{MapRef::tile(1)});
    opened.model.setScope(DisplayOptions::Scope::layer);
    settle(opened.window);
    QVERIFY(column.map().content().refs.size() > 1);
}

void WindowTest::dragsAWeightAndUndoesIt() {
    Opened opened;
    ExploreViewModel& model = opened.model;
    ColumnPanel* column = nullptr;
    MatrixView* matrix = nullptr;
    for (ColumnPanel* one : opened.window.findChildren<ColumnPanel*>())
        for (MatrixView* view : one->findChildren<MatrixView*>())
            if (view->isVisible() && !matrix) {
                column = one;
                matrix = view;
            }
    QVERIFY(matrix);
    QAbstractButton* reset = nullptr;
    for (QAbstractButton* button : column->findChildren<QAbstractButton*>())
        if (button->text() == "Reset to trained") reset = button;
    QVERIFY(reset && !reset->isVisible());
    const float trained = matrix->sheet().at({0, 0});
    const auto answer = [&] {
        const auto row = model.session().runs().right->run->logits(7);
        return std::vector<float>(row.begin(), row.end());
    };
    const std::vector<float> before = answer();

    const QPoint at = matrix->cellRect({0, 0}).center(), up = at - QPoint(0, 80);
    QTest::mousePress(matrix, Qt::LeftButton, {}, at);
    QMouseEvent move(QEvent::MouseMove, up, matrix->mapToGlobal(up), Qt::NoButton, Qt::LeftButton,
                     {});
    QApplication::sendEvent(matrix, &move);
    QTest::mouseRelease(matrix, Qt::LeftButton, {}, up);
    QVERIFY(matrix->sheet().at({0, 0}) > trained);
    settle(opened.window);
    QVERIFY(answer() != before);
    QVERIFY(reset->isVisible());
    QAction* undo = actionOf(opened.window,
                             QString::fromStdString("Undo " + model.edits().history().undoName()));
    QVERIFY(undo);
    undo->trigger();
    settle(opened.window);
    QCOMPARE(matrix->sheet().at({0, 0}), trained);
    QCOMPARE(answer(), before);
    QVERIFY(!reset->isVisible());
    model.edits().redo();
    settle(opened.window);
    reset->click();
    settle(opened.window);
    QCOMPARE(answer(), before);
}

void WindowTest::findsAnActionByItsName() {
    Opened opened;
    actionOf(opened.window, "Find an action…")->trigger();
    auto* palette = opened.window.findChild<ActionPalette*>();
    QVERIFY(palette);
    QListWidget& list = palette->list();
    QVERIFY(list.count() > 60);
    auto* field = palette->findChild<QLineEdit*>();
    QTest::keyClicks(field, "own chain");  // in any order
    QCOMPARE(list.count(), 1);
    QVERIFY(list.item(0)->text().startsWith("Chain › On its own"));
    QVERIFY(list.item(0)->text().endsWith("Ctrl+T"));
    field->clear();
    QTest::keyClicks(field, "undo");
    QCOMPARE(list.count(), 1);
    QVERIFY(!(list.item(0)->flags() & Qt::ItemIsEnabled));  // nothing to undo
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(palette->isVisible());
    field->clear();
    QTest::keyClicks(field, "switch the open");
    QCOMPARE(list.count(), 2);
    QTest::keyClick(field, Qt::Key_Down);
    QTest::keyClick(field, Qt::Key_Return);
    settle(opened.window);
    QCOMPARE(opened.model.head(opened.model.lookedAt()).cuts.left(3), QString("L0H"));
    QCOMPARE(opened.model.head(opened.model.lookedAt()).cuts.size(), 4);  // the head, not its tile
}

void WindowTest::exportsTheMapsInView() {
    Opened opened;
    const QByteArray untrained = qgetenv("HEADLOOM_ASSETS");
    qunsetenv("HEADLOOM_ASSETS");  // the palettes are the program's own
    const auto restore = qScopeGuard([&untrained] { qputenv("HEADLOOM_ASSETS", untrained); });
    QTemporaryDir folder;
    QSignalSpy done(&opened.window.maps(), &MapSaver::done),
        failed(&opened.window.maps(), &MapSaver::failed);
    const auto saved = [&](const QString& name) {
        const QString path = folder.filePath(name);
        opened.window.maps().save(opened.window.inView(), path);
        return done.wait() && QFile::exists(path) ? path : QString();
    };
    opened.model.edits().setMixing(Side::right, {}, {}, {MixingPreset::Kind::uniform}, 1);
    settle(opened.window);
    QFile svg(saved("maps.svg"));
    QVERIFY2(svg.open(QIODevice::ReadOnly), qPrintable(opened.window.message()));
    const QString picture = QString::fromUtf8(svg.readAll());
    for (const char* words : {"from token", "to token", "L0H1.q1k1", "weights crc32",
                              "Tokens:", "Edited weights: alphaQ"})
        QVERIFY2(picture.contains(words), words);
    const QImage pixels(saved("maps.PNG"));
    QVERIFY(coloursOf(pixels) > 20);
    QFile csv(saved("maps.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    // the heading, and a line a cell that a query may see in 8 tiles of 20 rows
    QCOMPARE(csv.readAll().count('\n'), 8 * (20 * 21 / 2) + 1);

    opened.model.setScope(DisplayOptions::Scope::head);
    opened.window.maps().copyPicture(opened.window.inView());
    QVERIFY(done.wait());
    QVERIFY(coloursOf(QApplication::clipboard()->image()) > 20);
    opened.window.maps().copyNumbers(opened.window.inView());
    QVERIFY(done.wait());
    QVERIFY(QApplication::clipboard()->text().startsWith("panel,row,column,from,to,value"));

    opened.window.maps().save(opened.window.inView(), folder.filePath("maps.doc"));
    QVERIFY(opened.window.message().contains(".svg, .png or .csv"));
    opened.window.maps().save(opened.window.inView(), folder.filePath("none/maps.svg"));
    QVERIFY(failed.wait());
    QVERIFY(opened.window.message().contains("cannot be written"));
}

void WindowTest::showsMassesOfHeadsWithoutMaps() {
    Opened opened;
    ExploreViewModel& model = opened.model;
    const ColumnHead shown = model.head(Side::right);
    QVERIFY(shown.iha);
    const std::vector<double> whole = model.masses(Side::right, 0);
    QCOMPARE(whole.size(), std::size_t(shown.pseudos * shown.pseudos));

    // a byte too few for two heads' maps, as over a long prompt
    const std::int64_t one =
        std::int64_t{4} * shown.pseudos * shown.pseudos * shown.rows * shown.rows;
    model.session().setMostMapBytes(2 * one - 1);
    QVERIFY(model.session().setPrompt(model.session().promptText()));
    settle(opened.window);
    model.selection().setOpen(Side::right, MapRef::tile(1));
    settle(opened.window);
    QVERIFY(model.head(Side::right).alone);
    const std::vector<double> masses = model.masses(Side::right, 0);
    QCOMPARE(masses.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i)
        QVERIFY(std::abs(masses[i] - whole[i]) < 1e-5);  // sums of as many floats as rows
    int empty = 0;
    for (const HeadCard* card : opened.window.findChildren<HeadCard*>())
        empty += card->isVisible() && card->sheet().isEmpty() ? 1 : 0;
    QCOMPARE(empty, shown.heads - 1);
    QVERIFY(coloursOf(opened.window.grab().toImage()) > 100);
}

QTEST_MAIN(WindowTest)
#include "tst_window.moc"
