#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/panels/flow_panel.h"
#include "views/panels/flow_view.h"
#include "views/panels/instruments.h"
#include "views/window/main_window.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLabel>

using namespace headloom;

namespace {

struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("pointer-chain");
        window.show();
        settle(window);
    }
    FlowPanel& panel() { return *window.findChild<FlowPanel*>(); }
    void look() { window.instruments().show(&panel()); }
    QAbstractButton* button(const QString& text) {
        for (QAbstractButton* each : panel().findChildren<QAbstractButton*>())
            if (each->text() == text) return each;
        return nullptr;
    }

    UntrainedAssets assets;
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

}  // namespace

class WindowFlowTest : public QObject {
    Q_OBJECT
  private slots:
    void drawsHeadsAndLetsOneGo();
    void everyControlHasAName();
    void arrowsAndClicksWalkTheRows();
    void rolloutSaysItsFormula();
};

void WindowFlowTest::drawsHeadsAndLetsOneGo() {
    Opened opened;
    opened.look();
    QVERIFY(opened.panel().isVisible());
    QCOMPARE(opened.panel().view().shown().sources.size(), size_t(4));
    opened.panel().flow().setThreshold(0);
    const size_t lines = opened.panel().view().shown().lines.size();
    QVERIFY(lines > 0);
    QVERIFY(opened.button("head 2") && opened.button("head 2")->isVisible());
    opened.button("head 2")->click();
    QVERIFY(opened.panel().view().shown().lines.size() < lines);
    QVERIFY(opened.panel().view().accessibleDescription().startsWith("Strongest: head "));
}

void WindowFlowTest::everyControlHasAName() {
    Opened opened;
    opened.look();
    QWidgetList controls;
    for (QWidget* each : opened.panel().findChildren<QAbstractButton*>()) controls << each;
    for (QWidget* each : opened.panel().findChildren<QComboBox*>()) controls << each;
    for (QWidget* each : opened.panel().findChildren<QAbstractSpinBox*>()) controls << each;
    controls << &opened.panel().view();
    for (QWidget* control : controls)
        if (control->isVisible() && control->focusPolicy() != Qt::NoFocus)
            QVERIFY2(!control->accessibleName().isEmpty(), control->metaObject()->className());
}

void WindowFlowTest::arrowsAndClicksWalkTheRows() {
    Opened opened;
    opened.look();
    FlowView& view = opened.panel().view();
    const int row = opened.model.selection().step();
    QTest::keyClick(&view, Qt::Key_Up);
    QCOMPARE(opened.model.selection().step(), row - 1);
    QCOMPARE(view.shown().row, row - 1);
    QTest::mouseClick(&view, Qt::LeftButton, {}, {20, view.rowCentre(3)});
    QCOMPARE(opened.model.selection().step(), 3);
}

void WindowFlowTest::rolloutSaysItsFormula() {
    Opened opened;
    opened.look();
    opened.panel().flow().setMaps(FlowModel::Maps::rollout);
    QVERIFY(QTest::qWaitFor([&] { return !opened.panel().view().shown().lines.empty(); }, 20'000));
    bool said = false;
    for (const QLabel* label : opened.panel().findChildren<QLabel*>())
        said = said || (label->isVisible() && label->text().contains("B = (A + I) / 2"));
    QVERIFY(said);
    QVERIFY(!opened.button("head 2") || !opened.button("head 2")->isVisible());
}

QTEST_MAIN(WindowFlowTest)
#include "tst_window_flow.moc"
