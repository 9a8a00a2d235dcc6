#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/panels/instruments.h"
#include "views/panels/why_panel.h"
#include "views/plots/waterfall_plot.h"
#include "views/viewmodels/column_run.h"
#include "views/window/main_window.h"

#include <QCheckBox>
#include <QLabel>
#include <QTreeWidget>

#include <cmath>
#include <numeric>

using namespace headloom;

namespace {

/// A window at the first example with the Why instrument in view.
struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("four-witnesses");
        window.show();
        window.instruments().show(&window.why());
        settle(window);
    }
    WaterfallPlot* plot(const char* name) {
        for (WaterfallPlot* one : window.why().findChildren<WaterfallPlot*>())
            if (one->accessibleName() == name) return one;
        return nullptr;
    }
    bool says(const QString& text) {
        for (QLabel* label : window.why().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(text)) return true;
        return false;
    }
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

double sumOf(const WaterfallContent& content) {
    return std::accumulate(content.steps.begin(), content.steps.end(), 0.0,
                           [](double sum, const auto& step) { return sum + step.value; });
}

}  // namespace

class WindowWhyTest : public QObject {
    Q_OBJECT
  private slots:
    void splitsTheCellThatIsPointedAt();
    void addsUpTheAnswer();
    void opensTheMapsOfAPart();
    void saysWhatCannotBeExplained();

  private:
    UntrainedAssets assets_;
};

void WindowWhyTest::splitsTheCellThatIsPointedAt() {
    Opened opened;
    QVERIFY(opened.says("Point at a cell"));
    const auto& why = opened.window.why().why();
    opened.model.selection().setCell(CellRef{Side::right, MapRef::tile(1, 0, 1), 9, 4});
    QTRY_VERIFY(why.cell());
    QCOMPARE(QString::fromStdString(nameOf(why.cell()->part)), QString("L0H1.q0k1[9,4]"));
    QVERIFY(opened.says("L0H1.q0k1, from"));
    const WaterfallContent& terms = opened.plot("Terms adding up to the score")->content();
    QCOMPARE(terms.steps.size(), size_t(4));  // 2 x 2 source heads
    QCOMPARE(terms.total, why.cell()->split.score);
    QVERIFY(std::abs(sumOf(terms) - terms.total) < 1e-12);  // both in double
    for (std::size_t i = 1; i < terms.steps.size(); ++i)
        QVERIFY(std::abs(terms.steps[i - 1].value) >= std::abs(terms.steps[i].value));
    // the pointer leaves for the panel: the explanation stays
    opened.model.selection().setCell(std::nullopt);
    settle(opened.window);
    QVERIFY(opened.says("L0H1.q0k1, from"));
    // and follows an edit
    const double before = why.cell()->split.score;
    opened.model.edits().setMixing(Side::right, {}, {}, {MixingPreset::Kind::random, 2}, 1);
    settle(opened.window);
    QTRY_VERIFY(why.cell()->split.score != before);
    opened.model.selection().setCell(CellRef{Side::left, MapRef::tile(0), 9, 4});
    QTRY_VERIFY(opened.says("One term"));
    QVERIFY(!opened.plot("Terms adding up to the score")->isVisible());
}

void WindowWhyTest::addsUpTheAnswer() {
    Opened opened;
    const auto& why = opened.window.why().why();
    QTRY_VERIFY(why.logit());
    WaterfallPlot* plot = opened.plot("Parts adding up to the logit");
    const WaterfallContent heads = plot->content();
    const ColumnRun& column = *opened.model.session().runs().right;
    const AnswerAt at = why.logit()->at;
    QCOMPARE(at.row, opened.model.selection().step());
    const double logit = column.run->logits(at.row)[static_cast<std::size_t>(at.token)];
    // rounding of float over a layer and the head, logits of about 1
    QVERIFY(std::abs(heads.total - logit) < 1e-5);
    QVERIFY(std::abs(sumOf(heads) - logit) < 1e-5);
    auto* tiles = opened.window.why().findChild<QCheckBox*>();
    tiles->setChecked(true);
    QCOMPARE(plot->content().steps.size(), heads.steps.size() + 6);  // 8 tiles for 2 heads
    QVERIFY(std::abs(sumOf(plot->content()) - logit) < 1e-5);
    auto* lens = opened.window.why().findChild<QTreeWidget*>();
    QCOMPARE(lens->topLevelItemCount(), 2);  // before and after the one layer
    const double last = lens->topLevelItem(1)->text(2).toDouble();
    QVERIFY(std::abs(last - column.probability(at.row, 0, at.token)) < 6e-4);  // three places
    const int row = at.row;
    opened.model.goForward();
    QTRY_VERIFY(why.logit() && why.logit()->at.row > row);
}

void WindowWhyTest::opensTheMapsOfAPart() {
    Opened opened;
    QTRY_VERIFY(opened.window.why().why().logit());
    opened.window.why().findChild<QCheckBox*>()->setChecked(true);
    WaterfallPlot* plot = opened.plot("Parts adding up to the logit");
    const auto& steps = plot->content().steps;
    int line = 0;
    while (!steps[static_cast<std::size_t>(line)].label.startsWith("L0H")) ++line;
    plot->setFocus();
    for (int i = 0; i <= line; ++i) QTest::keyClick(plot, Qt::Key_Down);
    QVERIFY(plot->accessibleDescription().startsWith(steps[static_cast<std::size_t>(line)].label));
    QTest::keyClick(plot, Qt::Key_Return);
    const MapRef open = opened.model.selection().open(Side::right);
    QCOMPARE(QString::fromStdString(nameOf(ModelPart::ofTile(0, open.head, open.p, open.r))),
             steps[static_cast<std::size_t>(line)].label);
}

void WindowWhyTest::saysWhatCannotBeExplained() {
    Opened opened;
    opened.model.edits().toggle(Side::right, ModelPart::ofHead(0, 0));
    settle(opened.window);
    QTRY_VERIFY(opened.says("does not add up"));
    opened.model.edits().allOn();
    settle(opened.window);
    QTRY_VERIFY(opened.says("as the sum of what each part adds"));
    opened.model.selection().setCell(CellRef{Side::right, MapRef::effectiveMap(0, 1), 9, 4});
    QTRY_VERIFY(opened.says("made of many tiles"));
}

QTEST_MAIN(WindowWhyTest)
#include "tst_window_why.moc"
