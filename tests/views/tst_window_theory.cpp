#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/heatmap/heatmap_view.h"
#include "views/heatmap/matrix_view.h"
#include "views/panels/theory_bank_pane.h"
#include "views/panels/theory_choice.h"
#include "views/panels/theory_containment_pane.h"
#include "views/panels/theory_cost_pane.h"
#include "views/panels/theory_cpm3_pane.h"
#include "views/panels/theory_errata_pane.h"
#include "views/panels/theory_look_back_pane.h"
#include "views/panels/theory_number.h"
#include "views/panels/theory_panel.h"
#include "views/panels/theory_results_pane.h"
#include "views/panels/theory_slider.h"
#include "views/plots/curve_plot.h"
#include "views/plots/grouped_bar_plot.h"
#include "views/viewmodels/theory_cost_model.h"
#include "views/window/main_window.h"
#include "views/window/map_saver.h"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>

using namespace headloom;

namespace {

struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("four-witnesses");
        window.show();
        settle(window);
    }
    TheoryBankModel& bank() { return window.theoryBank(); }
    void turnThePage() { QTest::keyClick(&window, Qt::Key_F12); }
    bool worked() {
        return QTest::qWaitFor([this] { return !bank().busy(); }, 20'000);
    }
    template <class Pane>
    Pane& turnTo() {
        turnThePage();
        auto* pane = window.theoryPanel().findChild<Pane*>();
        for (int part = 0; part < window.theoryPanel().count(); ++part)
            if (&window.theoryPanel().part(part) == pane) window.theoryPanel().setCurrent(part);
        return *pane;
    }
    QStringList words() {
        QStringList all;
        for (const QLabel* label : window.theoryPanel().findChildren<QLabel*>())
            if (label->isVisible()) all << label->text();
        return all;
    }

    UntrainedAssets assets;
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

bool anyContains(const QStringList& all, const QString& part) {
    return !all.filter(part).isEmpty();
}

}  // namespace

class WindowTheoryTest : public QObject {
    Q_OBJECT
  private slots:
    void worksOnlyWhenLookedAt();
    void everyControlHasAName();
    void theBankFollowsItsSizes();
    void theImpossibleIsSaid();
    void theSignalSpreads();
    void aGraphComesFromAFile();
    void tooFewHeadsAreTrained();
    void trainingStopsAndIsDropped();
    void whatCannotBeTrainedIsSaid();
    void keysGoThroughTheParts();
    void pairsAreCountedStageByStage();
    void aSequenceIsTyped();
    void anOrderThatDoesNotMatterIsSaid();
    void switchesMakeIhaMhaOrNot();
    void theWitnessIsDrawn();
    void theWitnessIsTurned();
    void errataAreComputed();
    void costsFollowTheSizes();
    void theUnpublishedIsAskedFor();
    void costCurvesAreRead();
    void columnsStandEvenly();
    void thePapersResultsAreQuoted();
    void everyPartIsExported();
    void exportsWhatIsInView();
};

void WindowTheoryTest::worksOnlyWhenLookedAt() {
    Opened opened;
    QVERIFY(!opened.bank().busy());
    QVERIFY(!opened.bank().bank());
    opened.turnThePage();
    QCOMPARE(opened.window.page(), Page::theory);
    QVERIFY(opened.worked());
    QVERIFY(opened.bank().bank());
    QVERIFY(anyContains(opened.words(), "the rank allows 0.6667 on every signal"));
    QVERIFY(anyContains(opened.words(), "MHA: 9 heads"));
    QVERIFY(anyContains(opened.words(), QStringLiteral("IHA: 3 heads × 3 pseudo-heads")));
}

void WindowTheoryTest::everyControlHasAName() {
    Opened opened;
    opened.turnThePage();
    TheoryPanel& panel = opened.window.theoryPanel();
    for (int part = 0; part < panel.count(); ++part) {
        panel.setCurrent(part);
        QVERIFY(!panel.part(part).title().isEmpty());
        QVERIFY(anyContains(opened.words(), panel.part(part).sentence()));
        for (const QWidget* control : panel.findChildren<QWidget*>()) {
            if (qobject_cast<const QAbstractSpinBox*>(control->parentWidget())) continue;
            const bool controls = qobject_cast<const QAbstractButton*>(control) ||
                                  qobject_cast<const QAbstractSlider*>(control) ||
                                  qobject_cast<const QAbstractSpinBox*>(control) ||
                                  qobject_cast<const QComboBox*>(control) ||
                                  qobject_cast<const QLineEdit*>(control) ||
                                  qobject_cast<const HeatmapView*>(control) ||
                                  qobject_cast<const MatrixView*>(control);
            if (controls && control->isVisible() && control->focusPolicy() != Qt::NoFocus)
                QVERIFY2(!control->accessibleName().isEmpty(), control->metaObject()->className());
        }
    }
}

void WindowTheoryTest::theBankFollowsItsSizes() {
    Opened opened;
    opened.turnThePage();
    opened.bank().setSize({16, 32, 1});
    QVERIFY(opened.worked());
    const PolynomialBank* bank = opened.bank().bank();
    QVERIFY(bank);
    QCOMPARE(bank->mha.nHeads, 16);
    QCOMPARE(bank->iha.nHeads, 4);
    QVERIFY(bank->iha.maxError < 1e-5);  // float32, sums of 32 products
    // iha.md 6, by hand: 2 n (N + d) k + d (N + d) k with n = N
    QCOMPARE(bank->mha.parameters, std::int64_t{2 * 32 * 33 * 16 + 33 * 16});
    QCOMPARE(opened.bank().tiles(true).size(), std::size_t{16});
    auto* pane = opened.window.theoryPanel().findChild<TheoryBankPane*>();
    QCOMPARE(pane->formulas().text(),
             QString("MHA, k = 16: 2 N (N + d) k + d (N + d) k = 2 × 32 × 33 × 16 + 1 × 33 × 16 = "
                     "<b>34,320</b><br>IHA, H = ⌈√16⌉ = 4: 2 N (N + d) H + d (N + d) "
                     "H<sup>2</sup> + 4 H<sup>3</sup> = 2 × 32 × 33 × 4 + 1 × 33 × 4<sup>2</sup> + "
                     "4 × 4<sup>3</sup> = <b>9,232</b>"));
    const std::vector<PlotPlace>& crossings = pane->parameters().content().places;
    QCOMPARE(crossings.size(), std::size_t{1});
    QCOMPARE(crossings.front().x, 3.0);
    QCOMPARE(crossings.front().name, QString("IHA has fewer from k = 3 on"));
}

void WindowTheoryTest::theImpossibleIsSaid() {
    Opened opened;
    opened.turnThePage();
    opened.bank().setSize({8, 8, 1});
    QVERIFY(opened.worked());
    QVERIFY(!opened.bank().bank());
    QVERIFY(!opened.bank().problem().isEmpty());
    QVERIFY(anyContains(opened.words(), opened.bank().problem()));
    QVERIFY(!anyContains(opened.words(), "MHA:"));  // nothing is said of a bank that is not there
    opened.bank().setSize({4, 8, 1});
    QVERIFY(opened.worked());
    QVERIFY(opened.bank().bank());
    QVERIFY(opened.bank().problem().isEmpty());
}

void WindowTheoryTest::theSignalSpreads() {
    Opened opened;
    opened.turnThePage();
    QVERIFY(opened.worked());
    auto* graphs = opened.window.theoryPanel().findChild<QComboBox*>();
    graphs->setFocus();  // would step through the graphs
    QTest::keyClick(graphs, Qt::Key_PageDown);
    QTest::keyClick(graphs, Qt::Key_PageDown);
    QCOMPARE(opened.bank().hop(), 2);
    QCOMPARE(opened.bank().graph(), QStringLiteral("shift"));
    QVERIFY(anyContains(opened.words(), "2 hops from node 0"));
    const std::vector<float> spread = opened.bank().spread();
    for (std::size_t node = 0; node < spread.size(); ++node)
        QCOMPARE(spread[node] != 0, node == 2);  // a shift by one, twice
}

void WindowTheoryTest::aGraphComesFromAFile() {
    Opened opened;
    opened.turnThePage();
    QVERIFY(opened.worked());
    QTemporaryDir folder;
    const auto write = [&](const char* name, const QByteArray& text) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) return QString();
        file.write(text);
        return file.fileName();
    };
    opened.bank().setGraphFile(write("bad.csv", "0,1\nthis is no edge\n"));
    QVERIFY(!opened.window.message().isEmpty());
    QCOMPARE(opened.bank().size().nNodes, 24);
    QByteArray ring;
    for (int node = 0; node < 12; ++node)
        ring += QByteArray::number(node) + "," + QByteArray::number((node + 1) % 12) + "\n";
    opened.bank().setGraphFile(write("ring.csv", ring));
    QVERIFY(opened.worked());
    QCOMPARE(opened.bank().size().nNodes, 12);
    QVERIFY(opened.bank().bank());
    QVERIFY(QFile::remove(folder.filePath("ring.csv")));
    opened.bank().setSize({4, 12, 1});  // nobody reads it again
    QVERIFY(opened.worked());
    QVERIFY(opened.bank().bank());
}

// k = 4 shifts: two ordinary heads stop at a half, two interleaved ones go on.
void WindowTheoryTest::tooFewHeadsAreTrained() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryBankPane>();
    opened.bank().setSize({4, 9, 2});
    opened.bank().setFewHeads(2);
    QVERIFY(opened.worked());
    QVERIFY(anyContains(opened.words(), "Not trained yet"));
    TheoryFilterModel& filter = pane.filter();
    const auto button = [&](const char* text) {
        for (auto* one : pane.findChildren<QAbstractButton*>())
            if (one->text() == QLatin1String(text)) return one;
        return static_cast<QAbstractButton*>(nullptr);
    };
    button("Train")->click();
    QVERIFY(filter.busy());
    QVERIFY(button("Stop"));
    QVERIFY(QTest::qWaitFor([&] { return !filter.busy(); }, 60'000));
    QVERIFY(button("Train"));
    QCOMPARE(filter.runs().size(), size_t(2 * TheoryFilterModel::seeds));
    for (const double error : filter.errors(false))  // as the command line counts what is below
        QVERIFY(std::abs(error - 0.5) < 5 * filter.floor().deviation);
    for (const double error : filter.errors(true)) QVERIFY(error < 1e-4);
    QVERIFY(anyContains(opened.words(), "every seed of IHA"));
    QVERIFY(anyContains(opened.words(), QStringLiteral("The rank allows MHA 0.5000 ± ")));
    QVERIFY(anyContains(opened.words(), "Restarts: MHA 6, "));
    // the same bits as any other run of the recipe
    FilterRecipe recipe = *filter.recipe(true);
    recipe.seed = 1;
    const auto alone = (*FilterRun::start(recipe, "cpu"))->run({});
    QVERIFY(alone.has_value());
    QCOMPARE(filter.errors(true)[1], alone->relativeError);
    const PlotContent& content = pane.fewHeads().content();
    QCOMPARE(content.series.size(), size_t(4));
    QCOMPARE(content.series[2].points[0].x, 2.0);
    QCOMPARE(content.series[3].name, QStringLiteral("trained IHA"));
    QCOMPARE(content.levels[0].high - content.levels[0].y, 2 * filter.floor().deviation);
    opened.bank().setFewHeads(4);  // another question
    QVERIFY(filter.runs().empty());
    QCOMPARE(pane.fewHeads().content().series.size(), size_t(2));
}

void WindowTheoryTest::trainingStopsAndIsDropped() {
    Opened opened;
    TheoryFilterModel& filter = opened.turnTo<TheoryBankPane>().filter();
    QVERIFY(opened.worked());
    filter.train();
    QVERIFY(QTest::qWaitFor([&] { return !filter.runs().empty() && filter.runs()[0].now.step > 0; },
                            20'000));
    filter.stop();
    QVERIFY(!filter.busy());
    QVERIFY(anyContains(opened.words(), "Stopped: "));
    const int step = static_cast<int>(filter.runs().back().now.step);
    QTest::qWait(100);  // nothing that was on its way arrives
    QCOMPARE(static_cast<int>(filter.runs().back().now.step), step);
    filter.train();
    opened.bank().setFewHeads(9);
    QVERIFY(!filter.busy());
    QVERIFY(filter.runs().empty());
    QTest::qWait(100);
    QVERIFY(filter.runs().empty());
    QVERIFY(anyContains(opened.words(), "Not trained yet"));
}

void WindowTheoryTest::whatCannotBeTrainedIsSaid() {
    Opened opened;
    TheoryFilterModel& filter = opened.turnTo<TheoryBankPane>().filter();
    QVERIFY(opened.worked());
    opened.bank().setFewHeads(4);
    QVERIFY(anyContains(opened.words(), "4 heads do not divide the 9 outputs"));
    filter.train();
    QVERIFY(!filter.busy());
    QVERIFY(opened.window.message().contains("4 heads do not divide"));
    opened.bank().setFewHeads(3);
    QVERIFY(!anyContains(opened.words(), "do not divide"));
    opened.bank().setSize({9, 100, 1});
    QVERIFY(anyContains(opened.words(), "nodes N: 100 cannot be had"));
}

void WindowTheoryTest::keysGoThroughTheParts() {
    Opened opened;
    opened.turnThePage();
    TheoryPanel& panel = opened.window.theoryPanel();
    QCOMPARE(panel.current(), 0);
    auto* graphs = panel.findChild<QComboBox*>();
    graphs->setFocus();
    QTest::keyClick(graphs, Qt::Key_PageDown, Qt::ControlModifier);
    QCOMPARE(panel.current(), 1);
    QVERIFY(panel.part(1).isVisible());
    for (QToolButton* tab : panel.findChildren<QToolButton*>())
        if (tab->text() == panel.part(2).title()) QTest::mouseClick(tab, Qt::LeftButton);
    QCOMPARE(panel.current(), 2);
    QCOMPARE(static_cast<QToolButton*>(opened.window.focusWidget())->text(),
             panel.part(2).title());  // no ring stays on the tab that was left
    for (int i = 0; i < 10; ++i)
        QTest::keyClick(opened.window.focusWidget(), Qt::Key_PageDown, Qt::ControlModifier);
    QCOMPARE(panel.current(), panel.count() - 1);
    QTest::keyClick(opened.window.focusWidget(), Qt::Key_PageUp, Qt::ControlModifier);
    QCOMPARE(panel.current(), panel.count() - 2);
}

// Two tokens 1, 2 with G = 3, M = 4 by hand: of 1 + 3a + b over all pairs only (2, 1) gives 8, and
// of 2 + 3a + b none.
void WindowTheoryTest::pairsAreCountedStageByStage() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryCpm3Pane>();
    TheoryCpm3Model& model = pane.model();
    const auto worked = [&] { return QTest::qWaitFor([&] { return !model.busy(); }, 20'000); };
    QVERIFY(worked());
    QVERIFY(model.run());
    QCOMPARE(model.run()->iha.counts, model.run()->expected);
    QVERIFY(anyContains(opened.words(), "MHA: N = 9 heads, the best known, not proved"));
    QVERIFY(anyContains(opened.words(), "IHA: ⌈√N⌉ = 3 heads × 3 pseudo-heads"));
    QCOMPARE(pane.maps(true).sheet().tileCount(), 9);
    model.setSequence("1,2");
    model.setG(3);
    model.setM(4);
    QVERIFY(worked());
    QCOMPARE(pane.maps(false).sheet().tileCount(), 2);
    const auto page = [&] { QTest::keyClick(&pane, Qt::Key_PageDown); };
    page();
    QCOMPARE(model.stage(), Cpm3Stage::workspace);
    QVERIFY(pane.matrix(true).isVisible());
    QCOMPARE(pane.matrix(true).sheet().values, (std::vector<float>{1, 2, 2, 1}));
    page();
    QCOMPARE(model.stage(), Cpm3Stage::count);
    QCOMPARE(pane.matrix(false).sheet().values, (std::vector<float>{0, 0, 1, 0}));
    QCOMPARE(pane.counts().sheet().values, (std::vector<float>{1, 0, 1, 0, 1, 0}));
    QVERIFY(anyContains(opened.words(), "Token 0: MHA 1, IHA 1, one by one 1."));
    page();
    QCOMPARE(model.token(), 1);
    QCOMPARE(pane.matrix(true).sheet().values, (std::vector<float>{0, 0, 0, 0}));
    auto* box = pane.findChild<QAbstractSpinBox*>();
    box->setFocus();
    for (int i = 0; i < 3; ++i) QTest::keyClick(box, Qt::Key_PageUp);
    QCOMPARE(model.stage(), Cpm3Stage::shift);
    QVERIFY(pane.maps(true).isVisible());
}

void WindowTheoryTest::aSequenceIsTyped() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryCpm3Pane>();
    TheoryCpm3Model& model = pane.model();
    auto* line = pane.findChild<QLineEdit*>(QStringLiteral("sequence"));
    const auto type = [&](const char* text) {
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Return);
        return QTest::qWaitFor([&] { return !model.busy(); }, 20'000);
    };
    QVERIFY(type("5, 7 11"));
    QCOMPARE(model.task().sequence, (std::vector<int>{5, 7, 11}));
    QVERIFY(model.run());
    QVERIFY(type("5, x"));
    QVERIFY(!model.run());
    QVERIFY(anyContains(opened.words(), "symbol 1: \"x\" is no such number"));
    QCOMPARE(line->text(), QStringLiteral("5, x"));  // to be mended, not typed again
    QVERIFY(type("5"));
    QVERIFY(model.run());
    QVERIFY(model.problem().isEmpty());
    model.setTokens(4);
    QCOMPARE(line->text(), QStringLiteral("5, 1, 4, 1"));  // on with the digits of pi
}

void WindowTheoryTest::anOrderThatDoesNotMatterIsSaid() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryCpm3Pane>();
    QVERIFY(!anyContains(opened.words(), ": not order-sensitive"));
    pane.model().setG(9);
    QVERIFY(anyContains(opened.words(), "G mod M = 9 mod 4 = 1: not order-sensitive"));
    pane.model().setM(1);
    QVERIFY(anyContains(opened.words(), "M = 1 divides every sum: not order-sensitive"));
    pane.model().setM(5);
    QVERIFY(!anyContains(opened.words(), ": not order-sensitive"));
}

void WindowTheoryTest::switchesMakeIhaMhaOrNot() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryContainmentPane>();
    TheoryContainmentModel& model = pane.model();
    const auto worked = [&] { return QTest::qWaitFor([&] { return !model.busy(); }, 20'000); };
    QVERIFY(worked());
    QVERIFY(anyContains(opened.words(), "IHA is not MHA here"));
    QVERIFY(anyContains(opened.words(), "These are the paper's defaults."));
    QCOMPARE(pane.table().sheet().rows, 9);
    QCOMPARE(pane.table().sheet().columns, 3);
    const auto choose = [&](const char* name) {
        for (QAbstractButton* button : pane.findChildren<QAbstractButton*>())
            if (button->accessibleName() == QLatin1String(name)) button->click();
        return worked();
    };
    QVERIFY(choose("Positions: token"));
    QVERIFY(anyContains(opened.words(), "copy 0 sees 1 of the 3 copies of its own token"));
    const auto largest = [&] { return largestOf(pane.difference().sheet(), false); };
    QVERIFY(largest() > 0.01f);
    QVERIFY(choose("Mask: token"));
    QVERIFY(anyContains(opened.words(), "IHA is MHA here"));
    QVERIFY(largest() < 1e-6f);  // float32 of shares
    QVERIFY(choose("Score: linear"));
    QVERIFY(anyContains(opened.words(), "IHA is not MHA here"));
    QVERIFY(choose("R reads with: 1/P"));
    QVERIFY(anyContains(opened.words(), "IHA is MHA here"));
    QTest::keyClick(&pane, Qt::Key_PageUp);  // to the last copy of the row above
    QCOMPARE(model.shownCase().mask, MaskKind::token);
    QCOMPARE(model.shownCase().positions, PositionKind::virtualToken);
    QCOMPARE(model.shownCase().selected, 2);
    QVERIFY(anyContains(opened.words(), "IHA is not MHA here"));
    const std::vector<MatrixCell> framed = pane.table().sheet().highlightedCells;
    QCOMPARE(framed, (std::vector<MatrixCell>{{3, 2}}));
    pane.findChild<QSpinBox*>()->setValue(1);  // copies P
    QVERIFY(worked());
    QCOMPARE(model.shownCase().selected, 0);  // the third copy is gone
    QVERIFY(anyContains(opened.words(), "One copy of a head is the head."));
}

void WindowTheoryTest::theWitnessIsDrawn() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryContainmentPane>();
    QVERIFY(QTest::qWaitFor([&] { return pane.model().witness() != nullptr; }, 20'000));
    QTest::keyClick(&pane.witness(), Qt::Key_Home);
    // tanh(-4) = -0.9993 to four places
    QCOMPARE(pane.witness().readout(),
             QStringLiteral("s -4.0 · MHA 1.0000 · printed 1.0000 · corrected -0.9993"));
}

void WindowTheoryTest::theWitnessIsTurned() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryContainmentPane>();
    const auto worked = [&] {
        return QTest::qWaitFor([&] { return !pane.model().busy(); }, 20'000);
    };
    QVERIFY(worked());
    QVERIFY(anyContains(opened.words(), "s = 1.00, v = 1.00: IHA 0.7616, which is v tanh(s)"));
    const auto type = [&](TheoryNumber& number, const char* text) {
        auto* box = number.findChild<QAbstractSpinBox*>();
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, text);
        QTest::keyClick(box, Qt::Key_Return);
        return worked();
    };
    QVERIFY(type(pane.witnessScore(), "-0.5"));
    QVERIFY(type(pane.witnessValue(), "-20"));
    // -20 tanh(-0.5) = 9.2423
    QVERIFY(anyContains(opened.words(), "s = -0.50, v = -20.00: IHA 9.2423, which is v tanh(s)"));
    QVERIFY(anyContains(opened.words(), "as printed -20.0000; MHA -20.0000"));
    QCOMPARE(*pane.witness().content().chosen, -0.5);
    QVERIFY(*pane.witness().content().yHigh > 20);
    QTest::keyClick(&pane.witness(), Qt::Key_End);
    QCOMPARE(pane.witness().readout(),
             QStringLiteral("s 4.0 · MHA -20.0000 · printed -20.0000 · corrected -19.9866"));
    QTest::keyClick(&pane.witness(), Qt::Key_Return);
    QVERIFY(worked());
    QCOMPARE(pane.witnessScore().value(), 4.0);
    pane.witnessScore().findChild<QAbstractSlider*>()->setValue(-125);  // hundredths
    QVERIFY(worked());
    QCOMPARE(pane.model().witnessPlace().s, -1.25);
    QVERIFY(type(pane.witnessScore(), "30"));  // beyond the slider: the curve goes so far
    QCOMPARE(pane.witness().content().series[0].points.front().x, -30.0);
    QCOMPARE(pane.witness().content().series[0].points.back().x, 30.0);
    QVERIFY(anyContains(opened.words(), "s = 30.00, v = -20.00: IHA -20.0000"));
}

void WindowTheoryTest::errataAreComputed() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryErrataPane>();
    QTRY_COMPARE(pane.tables().size(), size_t(4));
    QTRY_VERIFY(anyContains(opened.words(), "v tanh(s)"));
    const QTreeWidgetItem* witness = pane.tables().front()->topLevelItem(2);
    QCOMPARE(witness->text(0), QString("s = 2"));
    QCOMPARE(witness->text(1), QString("1"));
    QCOMPARE(witness->text(2), QString::number(std::tanh(2.0), 'g', 4));
    // the masks and positions under which identity mixing is MHA, and those under which it is not
    const QTreeWidget& identity = *pane.tables()[2];
    QVERIFY(identity.topLevelItem(0)->text(1) != "0 (rounding)");
    QCOMPARE(identity.topLevelItem(4)->text(1), QString("0 (rounding)"));
    opened.turnTo<TheoryContainmentPane>();
    opened.turnTo<TheoryErrataPane>();
    QCOMPARE(pane.tables().size(), size_t(4));  // once
}

void WindowTheoryTest::costsFollowTheSizes() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryCostPane>();
    const auto slider = [&pane](const char* name) {
        for (QSpinBox* box : pane.findChildren<QSpinBox*>())
            if (box->accessibleName().startsWith(QLatin1String(name))) return box;
        return static_cast<QSpinBox*>(nullptr);
    };
    QVERIFY(slider("Tokens N") && slider("Copies P"));
    slider("Tokens N")->setValue(96);  // no stop of the slider
    slider("Copies P")->setValue(3);
    QCOMPARE(pane.model().sizes().nTokens, std::int64_t{96});
    QCOMPARE(pane.table().topLevelItemCount(), 5);
    // ten layers of 8 heads: H N^2 each, and P^2 times that interleaved
    const QTreeWidgetItem *mha = pane.table().topLevelItem(0), *iha = pane.table().topLevelItem(2);
    QCOMPARE(mha->toolTip(3), QStringLiteral("737,280"));
    QCOMPARE(iha->toolTip(3), QStringLiteral("6,635,520"));
    QCOMPARE(iha->text(7), QStringLiteral("9"));
    QVERIFY(anyContains(opened.words(), QStringLiteral("10 × 8 × 82,944 = <b>6")));  // L H Ei
    slider("GQA G")->setValue(3);
    QVERIFY(anyContains(opened.words(), "3 does not divide H = 8"));
    QCOMPARE(pane.table().topLevelItemCount(), 0);
    slider("GQA G")->setValue(4);
    QCOMPARE(pane.table().topLevelItemCount(), 5);
}

void WindowTheoryTest::theUnpublishedIsAskedFor() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryCostPane>();
    auto* presets = pane.findChild<QComboBox*>();
    presets->setFocus();
    QTest::keyClick(presets, Qt::Key_Down);
    QCOMPARE(presets->currentText(), QStringLiteral("paper-2.4b"));
    QVERIFY(anyContains(opened.words(), "does not publish P"));
    QVERIFY(pane.model().arms().empty());
    CostSizes sizes = pane.model().sizes();
    sizes.nPseudo = 4;
    pane.model().setSizes(sizes);
    QVERIFY(!anyContains(opened.words(), "does not publish P"));
    QCOMPARE(presets->currentText(), QStringLiteral("paper-2.4b"));
    // 26 layers of 4 D^2 with D = 20 x 128
    QCOMPARE(pane.model().arms().front().at(CostQuantity::parameters).value,
             std::int64_t{26} * 4 * 2560 * 2560);
    sizes.nHeads = 24;
    pane.model().setSizes(sizes);
    QCOMPARE(presets->currentIndex(), -1);
}

void WindowTheoryTest::costCurvesAreRead() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryCostPane>();
    QTest::keyClick(&pane.curves(), Qt::Key_Home);
    // ten layers of 8 heads at N = 64: H N^2, and P^2 = 4 times that; W = 64/8 makes it half of
    // MHA's; of ten layers eight are windowed
    QCOMPARE(pane.curves().readout(),
             QStringLiteral("tokens N 64 · MHA 327,680 · GQA, G = 2 327,680 · IHA 1,310,720 · IHA, "
                            "W = N/(2P²) 163,840 · IHA 4:1 196,608"));
    QVERIFY(anyContains(opened.words(), pane.curves().readout()));
    QTest::keyClick(&pane.curves(), Qt::Key_Right);
    QVERIFY(pane.curves().readout().startsWith(QStringLiteral("tokens N 128 ")));
    QTest::keyClick(&pane.curves(), Qt::Key_Return);
    QCOMPARE(pane.model().sizes().nTokens, std::int64_t{128});
    pane.model().setQuantity(CostQuantity::mixingParameters);
    QTest::keyClick(&pane, Qt::Key_PageUp);
    QVERIFY(pane.curves().content().title.startsWith(QStringLiteral("Parameters")));
    std::vector<std::pair<QRgb, Qt::PenStyle>> lines;
    for (const PlotSeries& series : pane.curves().content().series)
        lines.emplace_back(series.colour.rgb(), series.dash);
    std::sort(lines.begin(), lines.end());
    QVERIFY(std::adjacent_find(lines.begin(), lines.end()) == lines.end());
}

void WindowTheoryTest::columnsStandEvenly() {
    Opened opened;
    opened.window.resize(1920, 1080);
    const auto even = [](const QTreeWidget& table) {
        const QHeaderView& header = *table.header();
        for (int column = 2; column < header.count(); ++column)  // the last pixels go to some
            if (std::abs(header.sectionSize(column) - header.sectionSize(1)) > 1) return false;
        return header.sectionSize(0) < table.width() / 2 && header.length() <= table.width();
    };
    auto& costs = opened.turnTo<TheoryCostPane>();
    settle(opened.window);
    QVERIFY(costs.table().width() > 1800);
    QVERIFY(even(costs.table()));
    auto& errata = opened.turnTo<TheoryErrataPane>();
    QTRY_COMPARE(errata.tables().size(), size_t(4));
    settle(opened.window);
    for (const QTreeWidget* table : errata.tables()) QVERIFY(even(*table));
}

void WindowTheoryTest::thePapersResultsAreQuoted() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryResultsPane>();
    QCOMPARE(pane.charts().size(), std::size_t{3});
    QVERIFY(anyContains(opened.words(), "arXiv 2602.21371v1"));
    QVERIFY(anyContains(opened.words(), "The abstract says 10 to 20 %"));
    GroupedBarPlot& chart = *pane.charts().front();
    QVERIFY(!chart.accessibleName().isEmpty());
    QTest::keyClick(&chart, Qt::Key_Home);
    QTest::keyClick(&chart, Qt::Key_Right);
    // the standard error by hand: 100 sqrt(0.295 x 0.705 / 1319) = 1.26
    QCOMPARE(chart.readout(), QStringLiteral("GSM8K P@1 · global MHA: 29.5 % ± 1.3"));
    QVERIFY(anyContains(opened.words(), chart.readout()));
    QTest::keyClick(&chart, Qt::Key_Down);  // the same arm in the next group
    QVERIFY(chart.readout().startsWith(QStringLiteral("GSM8K Maj@16 · global MHA: 48.4 %")));
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(chart.readout().isEmpty());
    // 4 groups of 5 bars and half a bar of room at either end of each: the middle of the fifth bar
    const double left = opened.appearance.theme().px(40),
                 group = (chart.width() - opened.appearance.theme().px(48)) / 4;
    QTest::mouseMove(&chart, QPoint(qRound(left + group * 5 / 6), chart.height() / 2));
    QVERIFY(chart.readout().startsWith(QStringLiteral("GSM8K P@1 · differential: 31.6 %")));
}

void WindowTheoryTest::everyPartIsExported() {
    Opened opened;
    opened.turnThePage();
    TheoryPanel& panel = opened.window.theoryPanel();
    for (int part = 0; part < panel.count(); ++part) {
        // nothing to see without trained models
        if (qobject_cast<TheoryLookBackPane*>(&panel.part(part))) continue;
        panel.setCurrent(part);
        const Exportable shown = panel.exportable();
        // some parts work before there is anything to see
        QTRY_VERIFY(shown.take(ExportFormat::csv)()->count('\n') > 20);
        settle(opened.window);
        const auto svg = shown.take(ExportFormat::svg)(), csv = shown.take(ExportFormat::csv)();
        QVERIFY(svg && csv);
        QVERIFY2(svg->contains(shown.title.toUtf8()), qPrintable(shown.title));
        const QImage picture = rasterized(*svg, 800);
        QCOMPARE(picture.pixelColor(2, 2), QColor(Qt::white));
        for (const QByteArray& line : csv->trimmed().split('\n'))
            QVERIFY2(line.count(',') >= 6, line.constData());
        const auto numbersOf = [&](const QString& figure) {
            return csv->contains("\n\"" + figure.toUtf8() + "\",");
        };
        for (const CurvePlot* plot : panel.part(part).findChildren<CurvePlot*>())
            QVERIFY2(numbersOf(plot->content().title), qPrintable(plot->content().title));
        for (const HeatmapView* maps : panel.part(part).findChildren<HeatmapView*>())
            QVERIFY2(numbersOf(maps->accessibleName()), qPrintable(maps->accessibleName()));
        for (const QTreeWidget* table : panel.part(part).findChildren<QTreeWidget*>())
            QVERIFY2(numbersOf(table->accessibleName()), qPrintable(table->accessibleName()));
    }
}

void WindowTheoryTest::exportsWhatIsInView() {
    Opened opened;
    auto& pane = opened.turnTo<TheoryCostPane>();
    const auto svg = opened.window.inView()->take(ExportFormat::svg)();
    for (const char* words :
         {"Cost", "Tokens N 1,024", "Sizes small decoder", "83.89 M", "tokens N"})
        QVERIFY2(svg->contains(words), words);
    const auto taken = opened.window.inView()->take(ExportFormat::csv);
    CostSizes sizes = pane.model().sizes();
    sizes.nTokens = 64;
    pane.model().setSizes(sizes);
    const auto csv = taken();  // as it was when it was taken
    QVERIFY(csv->contains("\"Costs of each attention\",,\"MHA\",\"score entries\",83886080,,"));
    QVERIFY(csv->contains("\"Score entries over N\",\"IHA\",64,,1310720,1310720,1310720"));

    auto& containment = opened.turnTo<TheoryContainmentPane>();
    QVERIFY(QTest::qWaitFor([&] { return !containment.model().busy(); }, 20'000));
    containment.model().setWitnessPlace({-0.5, 2});
    QVERIFY(QTest::qWaitFor([&] { return !containment.model().busy(); }, 20'000));
    const QByteArray witness = *opened.window.inView()->take(ExportFormat::svg)();
    for (const char* words : {"s -0.50", "v 2.00", "IHA -0.9242", "curved"})
        QVERIFY2(witness.contains(words), words);

    opened.turnTo<TheoryResultsPane>();
    const QByteArray results = *opened.window.inView()->take(ExportFormat::csv)();
    QCOMPARE(results.count('\n'), 1 + 4 * 5 + 4 + 3);
    QVERIFY(results.contains(",\"differential\",,\"GSM8K Maj@16\",53.5,"));
    QSignalSpy done(&opened.window.maps(), &MapSaver::done);
    opened.window.maps().copyNumbers(opened.window.inView());
    QVERIFY(done.wait());
    QCOMPARE(QApplication::clipboard()->text(), QString::fromUtf8(results));
}

QTEST_MAIN(WindowTheoryTest)
#include "tst_window_theory.moc"
