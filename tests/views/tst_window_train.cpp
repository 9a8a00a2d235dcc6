#include "app/headloom/picture.h"
#include "tests/views/session_fixture.h"
#include "views/panels/side_panel.h"
#include "views/panels/train_curves.h"
#include "views/panels/train_panel.h"
#include "views/window/main_window.h"

#include <QComboBox>
#include <QDir>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

using namespace headloom;

namespace {

struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("four-witnesses");
        window.show();
        settle(window);
        QTest::keyClick(&window, Qt::Key_F3);
        settle(window);
    }
    template <typename Widget>
    Widget* named(const char* name) {
        for (auto* widget : window.trainPanel().findChildren<Widget*>())
            if (widget->accessibleName() == name) return widget;
        return nullptr;
    }
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

}  // namespace

class WindowTrainTest : public QObject {
    Q_OBJECT
  private slots:
    void turnsThePage();
    void everyControlHasAName();
    void trainsFromStartToVerdict();
    void writesAPictureOfEveryMoment();
    void saysWhatCannotBeBuilt();
    void closesWhileTraining();

  private:
    UntrainedAssets assets_;
};

void WindowTrainTest::turnsThePage() {
    Opened opened;
    QCOMPARE(opened.window.page(), Page::train);
    QVERIFY(opened.window.trainPanel().isVisible());
    QVERIFY(!opened.window.side().isVisible());
    QCOMPARE(opened.window.size(), QSize(1280, 800));  // it fits
    QTest::keyClick(&opened.window, Qt::Key_F2);
    QVERIFY(opened.window.side().isVisible());
    QVERIFY(!opened.window.trainPanel().isVisible());
}

void WindowTrainTest::everyControlHasAName() {
    Opened opened;
    for (const QWidget* widget : opened.window.trainPanel().findChildren<QWidget*>()) {
        if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible()) continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool inner = widget->objectName().startsWith("qt_");
        QVERIFY2(
            inner || !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
            widget->metaObject()->className());
    }
}

void WindowTrainTest::trainsFromStartToVerdict() {
    Opened opened;
    TrainViewModel& train = opened.window.training();
    opened.named<QSpinBox>("Seeds")->setValue(1);
    opened.named<QSpinBox>("Steps")->setValue(30);
    QCOMPARE(train.setup().seeds(), 1);
    QTest::keyClick(&opened.window, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(train.stands());
    QVERIFY(!opened.named<QSpinBox>("Seeds")->isEnabled());
    QVERIFY(QTest::qWaitFor([&] { return train.ended(); }, 60'000));
    settle(opened.window);
    const PlotContent& loss = opened.window.trainPanel().curves().loss().content();
    QCOMPARE(loss.series.size(), size_t(4));
    for (const PlotSeries& series : loss.series) QCOMPARE(series.points.back().x, 30.0);
    QVERIFY(loss.marks.size() >= 2);
    QVERIFY(opened.named<QLabel>("Verdict")->text().contains("one seed says little"));
    opened.window.trainPanel().curves().loss().setFocus();
    QTest::keyClick(&opened.window.trainPanel().curves().loss(), Qt::Key_Home);
    QTest::keyClick(&opened.window.trainPanel().curves().loss(), Qt::Key_Return);
    QCOMPARE(train.moment(), 0);
    QTest::keyClick(&opened.window, Qt::Key_R, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(train.picture().runs[0].step, 0);
    QTest::keyClick(&opened.window, Qt::Key_N, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(!train.stands());
}

void WindowTrainTest::writesAPictureOfEveryMoment() {
    Opened opened;
    TrainViewModel& train = opened.window.training();
    train.setup().setSeeds(1);
    train.setup().setSteps(3);
    train.start();
    QVERIFY(QTest::qWaitFor([&] { return train.ended(); }, 60'000));
    settle(opened.window);
    QTemporaryDir folder;
    const auto moments = train.moments();
    QVERIFY(moments.size() >= 2);
    opened.window.writePictures(folder.path());
    QVERIFY(QTest::qWaitFor([&] { return !opened.window.message().isEmpty(); }, 60'000));
    QVERIFY2(opened.window.message().startsWith(QString::number(moments.size())),
             qPrintable(opened.window.message()));
    const QStringList files = QDir(folder.path()).entryList(QDir::Files, QDir::Name);
    QCOMPARE(files.size(), qsizetype(moments.size()));
    QCOMPARE(files.front(), QString("step-0000000.png"));
    const QImage first(folder.filePath(files.front())), last(folder.filePath(files.back()));
    QVERIFY(!first.isNull() && first != last);
    QCOMPARE(train.moment(), -1);
    settle(opened.window);

    opened.window.writePictures(folder.filePath("no/such/folder"));
    QVERIFY(QTest::qWaitFor(
        [&] { return opened.window.message().contains("could not be written"); }, 60'000));
}

void WindowTrainTest::saysWhatCannotBeBuilt() {
    Opened opened;
    opened.named<QSpinBox>("Arm 1: heads")->setValue(3);
    QTest::keyClick(&opened.window, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(!opened.window.training().stands());
    QVERIFY2(opened.window.message().contains("3"), qPrintable(opened.window.message()));
}

void WindowTrainTest::closesWhileTraining() {
    Opened opened;
    opened.window.training().start();
    QVERIFY(opened.window.training().running());
    // leaving the scope takes everything down in the middle of a step
}

QTEST_MAIN(WindowTrainTest)
#include "tst_window_train.moc"
