#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/panels/theory_panel.h"
#include "views/panels/theory_slider.h"
#include "views/window/main_window.h"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>

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
};

void WindowTheoryTest::worksOnlyWhenLookedAt() {
    Opened opened;
    QVERIFY(!opened.bank().busy());
    QVERIFY(!opened.bank().bank());
    opened.turnThePage();
    QCOMPARE(opened.window.page(), Page::theory);
    QVERIFY(opened.worked());
    QVERIFY(opened.bank().bank());
    QVERIFY(anyContains(opened.words(), "MHA: 9 heads"));
    QVERIFY(anyContains(opened.words(), QStringLiteral("IHA: 3 heads × 3 pseudo-heads")));
}

void WindowTheoryTest::everyControlHasAName() {
    Opened opened;
    opened.turnThePage();
    QVERIFY(opened.worked());
    for (const QWidget* control : opened.window.theoryPanel().findChildren<QWidget*>()) {
        const bool controls = qobject_cast<const QAbstractButton*>(control) ||
                              qobject_cast<const QAbstractSlider*>(control) ||
                              qobject_cast<const QAbstractSpinBox*>(control) ||
                              qobject_cast<const QComboBox*>(control);
        if (controls && control->isVisible() && control->focusPolicy() != Qt::NoFocus)
            QVERIFY2(!control->accessibleName().isEmpty(), control->metaObject()->className());
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

QTEST_MAIN(WindowTheoryTest)
#include "tst_window_theory.moc"
