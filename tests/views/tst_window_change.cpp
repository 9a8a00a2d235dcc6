#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/panels/change_panel.h"
#include "views/panels/instruments.h"
#include "views/viewmodels/column_run.h"
#include "views/window/main_window.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>

using namespace headloom;

namespace {

/// A window at the first example with the Change instrument in view.
struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("four-witnesses");
        window.show();
        window.instruments().show(&window.change());
        settle(window);
    }
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

template <class Widget>
Widget* named(const QWidget& in, const QString& name) {
    for (Widget* one : in.findChildren<Widget*>())
        if (one->accessibleName() == name) return one;
    return nullptr;
}

QToolButton* button(const QWidget& in, const QString& text) {
    for (QToolButton* one : in.findChildren<QToolButton*>())
        if (one->text() == text) return one;
    return nullptr;
}

bool says(const QWidget& in, const QString& text) {
    for (QLabel* label : in.findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(text)) return true;
    return false;
}

}  // namespace

class WindowChangeTest : public QObject {
    Q_OBJECT
  private slots:
    void slidesToIdentityAndBack();
    void switchesAPartOffByItsName();
    void patchesFromAnotherPrompt();
    void saysWhatTheChangesDo();
    void ranksParts();
    void walksTheHistory();

  private:
    UntrainedAssets assets_;
};

void WindowChangeTest::slidesToIdentityAndBack() {
    Opened opened;
    ChangePanel& panel = opened.window.change();
    QCOMPARE(panel.side(), Side::right);  // the one that mixes
    auto* slider = named<QSlider>(panel, "From the first mixing to the second");
    QVERIFY(slider);
    for (const int percent : {30, 70, 100}) slider->setValue(percent);
    settle(opened.window);
    QCOMPARE(opened.model.edits().history().entries().size(), size_t(1));
    const auto sheets = opened.model.mixing(Side::right);
    QCOMPARE(sheets[0].values, (std::vector<float>{1, 1, 0, 0}));  // alphaQ of head 0
    // the bundled masks and positions decide whether that is MHA; the sentence says which
    QTRY_VERIFY(says(panel, "plain MHA"));
    QToolButton* reset = button(panel, "Reset to trained");
    QVERIFY(reset->isEnabled());
    reset->click();
    settle(opened.window);
    QVERIFY(!reset->isEnabled());
    QCOMPARE(slider->value(), 0);
    panel.setSide(Side::left);
    QVERIFY(says(panel, "mixes no heads"));
}

void WindowChangeTest::switchesAPartOffByItsName() {
    Opened opened;
    ChangePanel& panel = opened.window.change();
    auto* part = named<QLineEdit>(panel, "Part to switch off");
    auto* list = named<QListWidget>(panel, "Parts that are switched off");
    QVERIFY(part && list);
    QTest::keyClicks(part, "L7");
    QTest::keyClick(part, Qt::Key_Return);
    QVERIFY(says(panel, "there is no layer 7"));
    QCOMPARE(part->text(), QString("L7"));  // to be mended
    part->clear();
    QTest::keyClicks(part, "L0H1.q0k1");
    QTest::keyClick(part, Qt::Key_Return);
    QVERIFY(!says(panel, "there is no layer 7"));
    settle(opened.window);
    QCOMPARE(list->count(), 1);
    QCOMPARE(opened.model.head(Side::right).cuts, QString("L0H1.q0k1"));
    QTest::keyClicks(part, "L0H1.q0k1");
    QTest::keyClick(part, Qt::Key_Return);
    QVERIFY(says(panel, "is off already"));
    list->setCurrentRow(0);
    list->setFocus();
    list->actions().front()->trigger();
    settle(opened.window);
    QCOMPARE(list->count(), 0);
    QVERIFY(opened.model.head(Side::right).cuts.isEmpty());
}

void WindowChangeTest::patchesFromAnotherPrompt() {
    Opened opened;
    ChangePanel& panel = opened.window.change();
    auto* part = named<QLineEdit>(panel, "Part to switch off");
    auto* list = named<QListWidget>(panel, "Parts that are switched off");
    auto* instead = named<QComboBox>(panel, "What takes its place");
    auto* example = named<QSpinBox>(panel, "Example to patch from");
    auto* text = named<QLineEdit>(panel, "Prompt to patch from");
    QVERIFY(part && list && instead && example && text);
    QVERIFY(!example->isVisible());
    instead->setCurrentIndex(instead->findText("other"));
    QVERIFY(example->isVisible() && text->isVisible());

    const auto logits = [&opened] {
        const auto values = opened.model.session().runs().right->run->trace.logits.values<float>();
        return std::vector<float>(values.begin(), values.end());
    };
    const std::vector<float> before = logits();
    const auto farthest = [&] {
        const std::vector<float> now = logits();
        double most = 0;
        for (std::size_t i = 0; i < now.size(); ++i)
            most = std::max(most, std::abs(double(now[i]) - before[i]));
        return most;
    };
    example->setValue(0);  // with itself
    QTest::keyClicks(part, "L0H1");
    QTest::keyClick(part, Qt::Key_Return);
    settle(opened.window);
    QCOMPARE(list->count(), 1);
    QCOMPARE(list->item(0)->text(), QString("L0H1: other"));  // at every token
    QVERIFY(farthest() < 1e-4);                               // float32 rounding
    example->setValue(5);
    example->setValue(6);
    settle(opened.window);
    QVERIFY(farthest() > 1e-4);
    const auto& history = opened.model.edits().history();
    QCOMPARE(history.entries().size(), size_t(2));  // stepping through examples is one
    QVERIFY(history.undoName().find("other prompt: example 6") != std::string::npos);

    text->setFocus();
    QTest::keyClicks(text, "1 2 3");
    QTest::keyClick(text, Qt::Key_Return);
    QVERIFY(says(panel, "give a prompt of the same length"));
    QCOMPARE(text->text(), QString("1 2 3"));  // to be mended
    QCOMPARE(history.entries().size(), size_t(2));
    settle(opened.window);
    opened.model.edits().undo();
    opened.model.edits().undo();
    settle(opened.window);
    QCOMPARE(logits(), before);

    // the same question of every part
    for (QComboBox* box : panel.findChildren<QComboBox*>())
        if (const int at = box->findText("by other"); at >= 0) box->setCurrentIndex(at);
    button(panel, "Rank")->click();
    auto* parts = named<QTreeWidget>(panel, "Parts by what the answers lose without them");
    QTRY_COMPARE(parts->topLevelItemCount(), 8);
    parts->setCurrentItem(parts->topLevelItem(0));
    emit parts->itemActivated(parts->topLevelItem(0), 0);
    settle(opened.window);
    QCOMPARE(list->count(), 1);
    QVERIFY(list->item(0)->text().endsWith(": other"));
    QVERIFY(farthest() > 1e-4);
}

void WindowChangeTest::saysWhatTheChangesDo() {
    Opened opened;
    ChangePanel& panel = opened.window.change();
    QVERIFY(says(panel, "Nothing is changed"));
    opened.model.edits().toggle(Side::right, ModelPart::ofHead(0, 0));
    settle(opened.window);
    QTRY_VERIFY(says(panel, "of 16 answers are other ones now"));
    auto* tokens =
        named<QTreeWidget>(panel, "Probabilities of this step before the changes and now");
    QVERIFY(tokens->topLevelItemCount() >= 4);
    // what stands under Now is what the answer table says
    const auto rows = panel.effect().rows(4);
    const ColumnRun& column = *opened.model.session().runs().right;
    const int row = opened.model.selection().step();
    for (const ChangeEffect::Row& one : rows) {
        const int token = column.run->model->vocabulary.encode(one.token.toStdString())->front();
        QVERIFY(std::abs(column.probability(row, 0, token) - one.after) < 1e-6);  // float logits
    }
    opened.model.edits().undo();
    settle(opened.window);
    QTRY_VERIFY(says(panel, "Nothing is changed"));  // once it is measured
    QCOMPARE(tokens->topLevelItemCount(), 0);
}

void WindowChangeTest::ranksParts() {
    Opened opened;
    ChangePanel& panel = opened.window.change();
    button(panel, "Rank")->click();
    auto* parts = named<QTreeWidget>(panel, "Parts by what the answers lose without them");
    QTRY_COMPARE(parts->topLevelItemCount(), 8);
    QVERIFY(says(panel, "8 parts, each off alone"));
    const auto& effects = panel.ranking().effects();
    for (std::size_t i = 1; i < effects.size(); ++i)
        QVERIFY(effects[i - 1].logRatio <= effects[i].logRatio);
    const QString first = parts->topLevelItem(0)->text(0);
    emit parts->itemActivated(parts->topLevelItem(0), 0);
    settle(opened.window);
    QCOMPARE(opened.model.head(Side::right).cuts, first);
    QCOMPARE(parts->topLevelItemCount(), 0);  // of another model than the one that stands there now
}

void WindowChangeTest::walksTheHistory() {
    Opened opened;
    ChangePanel& panel = opened.window.change();
    auto* history = named<QListWidget>(panel, "History of edits");
    QCOMPARE(history->count(), 1);
    opened.model.edits().toggle(Side::left, ModelPart::ofHead(0, 1));
    opened.model.edits().setMixing(Side::right, {}, {}, {MixingPreset::Kind::uniform}, 0.5);
    settle(opened.window);
    QCOMPARE(history->count(), 3);
    QCOMPARE(history->item(1)->text(), QString("left: L0H1 off"));
    QCOMPARE(history->item(2)->text(), QString("right: mixing: 50 % from trained to uniform"));
    history->setCurrentRow(0);
    settle(opened.window);
    QVERIFY(!opened.model.edits().anyOff() && !opened.model.edits().mixingEdited());
    QVERIFY(history->item(2)->text().endsWith("(undone)"));
    history->setCurrentRow(1);
    settle(opened.window);
    QVERIFY(opened.model.edits().anyOff() && !opened.model.edits().mixingEdited());
}

QTEST_MAIN(WindowChangeTest)
#include "tst_window_change.moc"
