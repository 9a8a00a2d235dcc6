#include "app/headloom/picture.h"
#include "core/io/safetensors.h"
#include "tests/views/session_fixture.h"
#include "views/panels/checkpoint_panel.h"
#include "views/panels/loom_panel.h"
#include "views/panels/side_panel.h"
#include "views/panels/stop_button.h"
#include "views/panels/tensor_list.h"
#include "views/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QToolButton>
#include <QTreeView>

using namespace headloom;

namespace {

QString strangeFile(const QTemporaryDir& folder) {
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (int layer = 0; layer < 500; ++layer)
        tensors.emplace_back("h." + std::to_string(layer) + ".w",
                             Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
    const QString path = folder.filePath("strange.safetensors");
    return writeSafetensors(path.toStdString(), tensors) ? path : QString();
}

struct Opened {
    Opened() : window(model, appearance) {
        window.resize(1280, 800);
        model.session().openExample("four-witnesses");
        window.show();
        settle(window);
        QTest::keyClick(&window, Qt::Key_F4);
        settle(window);
    }
    CheckpointPanel& panel() { return window.checkpointPanel(); }
    template <typename Widget>
    Widget* named(const char* name) {
        for (auto* widget : panel().findChildren<Widget*>())
            if (widget->accessibleName() == name) return widget;
        return nullptr;
    }
    bool shows(const QString& title) {
        return QTest::qWaitFor(
            [&] {
                const CheckpointShown* shown = window.checkpoint().shown();
                return shown && shown->title == title;
            },
            20'000);
    }
    void drop(const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(50, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&panel(), &enter);
        QDropEvent event(QPointF(50, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&panel(), &event);
    }
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window;
};

}  // namespace

class WindowCheckpointTest : public QObject {
    Q_OBJECT
  private slots:
    void turnsThePage();
    void everyControlHasAName();
    void searchesAndReadsADroppedFile();
    void aLineOfTheReportChoosesItsTensor();
    void stopShowsOnlyForWorkThatLasts();
    void spaceDoesNotPlayWhatIsNotSeen();

  private:
    UntrainedAssets assets_;
};

void WindowCheckpointTest::turnsThePage() {
    Opened opened;
    QCOMPARE(opened.window.page(), Page::checkpoint);
    QVERIFY(opened.panel().isVisible());
    QVERIFY(!opened.window.loom().isVisible());
    QCOMPARE(opened.window.size(), QSize(1280, 800));  // it fits
    // what stands in a column shows itself
    QVERIFY(QTest::qWaitFor([&] { return opened.window.checkpoint().shown() != nullptr; }, 20'000));
    QTest::keyClick(&opened.window, Qt::Key_F3);
    QCOMPARE(opened.window.page(), Page::train);
    QTest::keyClick(&opened.window, Qt::Key_F4);
    QTest::keyClick(&opened.window, Qt::Key_F2);
    QCOMPARE(opened.window.page(), Page::explore);
    QVERIFY(opened.window.side().isVisible());
    QVERIFY(!opened.panel().isVisible());
}

void WindowCheckpointTest::everyControlHasAName() {
    const QTemporaryDir folder;
    Opened opened;
    opened.drop(strangeFile(folder));
    QVERIFY(opened.shows("strange.safetensors"));
    for (const CheckpointPanel::Pane pane :
         {CheckpointPanel::tensor, CheckpointPanel::heads, CheckpointPanel::report}) {
        opened.panel().setPane(pane);
        for (const QWidget* widget : opened.panel().findChildren<QWidget*>()) {
            if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible()) continue;
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            const bool inner = widget->objectName().startsWith("qt_");
            QVERIFY2(inner || !widget->accessibleName().isEmpty() ||
                         (button && !button->text().isEmpty()),
                     widget->metaObject()->className());
        }
    }
}

void WindowCheckpointTest::searchesAndReadsADroppedFile() {
    const QTemporaryDir folder;
    Opened opened;
    opened.drop(strangeFile(folder));
    QVERIFY(opened.shows("strange.safetensors"));
    QTreeView& tree = opened.panel().list().view();
    QVERIFY(!tree.isExpanded(tree.model()->index(0, 0)));  // too many to be all unfolded
    QTest::keyClick(&opened.window, Qt::Key_F, Qt::ControlModifier);
    auto* field = opened.named<QLineEdit>("Search the tensors");
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(field));
    QTest::keyClicks(field, "h.37");
    QVERIFY(tree.isExpanded(tree.model()->index(0, 0)));
    QTest::keyClick(field, Qt::Key_Return);
    for (int press = 0; press < 2; ++press) QTest::keyClick(&tree, Qt::Key_Down);
    TensorViewModel& tensor = opened.window.checkpoint().tensor();
    QVERIFY(tensor.entry() >= 0);
    // whoever clicks a tensor wants to see it, whatever was looked at before
    opened.panel().setPane(CheckpointPanel::report);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                      tree.visualRect(tree.currentIndex()).center());
    QCOMPARE(opened.panel().pane(), CheckpointPanel::tensor);
    QVERIFY(QTest::qWaitFor([&] { return tensor.spectrum().size() == 2; }, 20'000));
}

void WindowCheckpointTest::aLineOfTheReportChoosesItsTensor() {
    Opened opened;
    CheckpointViewModel& model = opened.window.checkpoint();
    QVERIFY(QTest::qWaitFor([&] { return model.shown() != nullptr; }, 20'000));
    opened.panel().setPane(CheckpointPanel::report);
    auto* lines = opened.named<QTreeView>("Report");
    const ReportTree& report = model.doctor().tree();
    const QModelIndex used = report.index(report.rowCount() - 1, 0);
    lines->expand(used);
    const QModelIndex line = report.index(2, 0, used);
    lines->scrollTo(line);
    QTest::mouseClick(lines->viewport(), Qt::LeftButton, {}, lines->visualRect(line).center());
    QCOMPARE(model.tensor().entry(), line.data(ReportTree::entryRole).toInt());
    QVERIFY(opened.panel().list().view().currentIndex().isValid());
    QTest::mouseClick(opened.named<QToolButton>("Copy the report"), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), model.doctor().text());
}

void WindowCheckpointTest::stopShowsOnlyForWorkThatLasts() {
    QWidget parent;
    parent.show();
    auto* button = new StopButton({"Examine", "stops", "starts"});
    button->setParent(&parent);
    QSignalSpy stopped(button, &StopButton::stopWanted), started(button, &StopButton::startWanted);
    button->setState(true, false);
    QVERIFY(!button->isVisible());
    button->setState(false, false);
    button->setState(true, false);
    QVERIFY(QTest::qWaitFor([&] { return button->isVisible(); }, 20'000));
    QCOMPARE(button->accessibleName(), QString("Stop"));
    button->click();
    QCOMPARE(stopped.count(), 1);
    button->setState(false, true);
    QCOMPARE(button->text(), QString("Examine"));
    button->click();
    QCOMPARE(started.count(), 1);
    button->setState(true, true);
    QCOMPARE(button->text(), QString("Examine"));  // too young to be told of
    button->click();
    QCOMPARE(stopped.count(), 2);
}

void WindowCheckpointTest::spaceDoesNotPlayWhatIsNotSeen() {
    Opened opened;
    QTest::keyClick(&opened.window, Qt::Key_Space);
    QVERIFY(!opened.model.playing());
}

QTEST_MAIN(WindowCheckpointTest)
#include "tst_window_checkpoint.moc"
