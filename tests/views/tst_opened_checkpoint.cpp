#include "core/io/safetensors.h"
#include "tests/views/session_fixture.h"
#include "views/viewmodels/column_run.h"

#include <QSettings>

using namespace headloom;

namespace {

/// A small model of another program's making: TransformerLens names, no metadata.
QString strangeModel(const QTemporaryDir& folder) {
    ModelConfig config;
    config.dModel = 8;
    config.nHeads = 2;
    config.dVocab = 12;
    config.nCtx = 10;
    config.learnedPositions = true;
    config.layers.resize(2);
    const Weights weights = initialWeights(config, 3);
    const QString path = folder.filePath("strange.safetensors");
    if (!writeSafetensors(path.toStdString(), weights.entries())) return {};
    return path;
}

}  // namespace

class OpenedCheckpointTest : public QObject {
    Q_OBJECT
  private slots:
    void standsInAColumnWithPromptsOfIds();
    void givesWayToAnExample();
    void saysWhyAFileDoesNotRun();
    void readsTextWithItsTokenizer();
    void stopsReadingAndKeepsWhatThereWas();
    void readsOneFileOnceForBothColumns();
    void goesOnWithoutAFileThatCannotBeRead();
    void remembersTheFilesItShowed();

  private:
    UntrainedAssets assets_;
};

void OpenedCheckpointTest::standsInAColumnWithPromptsOfIds() {
    const QTemporaryDir folder;
    ExploreViewModel model;
    ExploreSession& session = model.session();
    session.openExample("four-witnesses");
    QVERIFY(answered(model));
    QSignalSpy failed(&session, &ExploreSession::failed);
    session.openFile(Side::right, strangeModel(folder));
    QVERIFY(answered(model));
    QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed[0][0].toString()));
    // what stood in the other column reads other tokens
    QVERIFY(!model.head(Side::left).present);
    QVERIFY(model.head(Side::right).present);
    QVERIFY(session.example()->explanation.contains("ids"));

    QVERIFY(session.setPrompt("4 11 0"));
    QVERIFY(answered(model));
    const ColumnRunPtr column = session.runs().right;
    QCOMPARE(column->run->rows, 3);
    QCOMPARE(column->run->tokens, (std::vector<int>{4, 11, 0}));
    QCOMPARE(model.steps().size(), size_t(3));
    QCOMPARE(model.answers(4).size(), size_t(4));
    QVERIFY(!session.setPrompt("4 12"));  // there is no id 12
    QCOMPARE(session.promptText(), QString("4 11 0"));

    session.setOnItsOwn(true);
    QVERIFY(answered(model));
    QCOMPARE(session.runs().right->run->tokens.size(), size_t(10));  // to the end of its context
}

void OpenedCheckpointTest::givesWayToAnExample() {
    const QTemporaryDir folder;
    ExploreViewModel model;
    model.session().openExample("four-witnesses");
    QVERIFY(answered(model));
    model.session().openFile(Side::left, strangeModel(folder));
    QVERIFY(answered(model));
    model.session().openExample("four-witnesses");
    QVERIFY(answered(model));
    QVERIFY(model.head(Side::left).present && model.head(Side::right).present);
    QCOMPARE(model.head(Side::right).pseudos, 2);
}

void OpenedCheckpointTest::saysWhyAFileDoesNotRun() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("loose.safetensors");
    QVERIFY(
        writeSafetensors(path.toStdString(), {{"some.tensor", Tensor::of<float>({2}, {1, 2})}}));
    ExploreViewModel model;
    model.session().openExample("four-witnesses");
    QVERIFY(answered(model));
    QSignalSpy failed(&model.session(), &ExploreSession::failed);
    model.session().openFile(Side::left, path);
    QVERIFY(answered(model));
    QCOMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].toString().contains("loose.safetensors"));
    QVERIFY(model.head(Side::left).present);  // what was there stays
}

void OpenedCheckpointTest::readsTextWithItsTokenizer() {
    const QString fixtures = qEnvironmentVariable("HEADLOOM_FIXTURES");
    if (fixtures.isEmpty()) QSKIP("HEADLOOM_FIXTURES is not set");
    ExploreViewModel model;
    model.session().openExample("four-witnesses");  // whose models are still on their way
    model.session().openFile(Side::left, fixtures + "/llama2c/stories260K.bin");
    QVERIFY(answered(model));
    QCOMPARE(model.session().promptText(), QString("Once upon a time"));
    const ColumnRunPtr column = model.session().runs().left;
    QVERIFY(column);
    // BOS, which nobody typed, and the words; the story goes on with a comma (golden ids of
    // tests/core/io/tst_stories.cpp)
    QCOMPARE(column->run->tokens, (std::vector<int>{1, 403, 407, 261, 378}));
    model.goToLast();
    QCOMPARE(model.answers(1).front().label, QString(","));
    QVERIFY(model.session().setPrompt("Lily was"));
    QVERIFY(answered(model));
    QVERIFY(model.session().runs().left->run->rows > 2);
}

void OpenedCheckpointTest::stopsReadingAndKeepsWhatThereWas() {
    const QTemporaryDir folder;
    ExploreViewModel model;
    ExploreSession& session = model.session();
    session.openExample("four-witnesses");
    QVERIFY(answered(model));
    const ColumnRunPtr before = session.runs().left;
    QSignalSpy failed(&session, &ExploreSession::failed);
    session.openFile(Side::left, strangeModel(folder));
    const auto load = session.loading(Side::left);  // nothing of it has been heard yet
    QVERIFY(load);
    QCOMPARE(load->title, QString("strange"));
    QVERIFY(!session.loading(Side::right));
    session.cancelLoading(Side::left);
    QVERIFY(!session.busy());
    QVERIFY(!session.loading(Side::left));
    QCOMPARE(session.state().exampleId, QString("four-witnesses"));
    QCOMPARE(session.runs().left, before);
    QVERIFY(failed.isEmpty());                           // the user wanted it so
    session.openFile(Side::left, strangeModel(folder));  // and may want it again
    QVERIFY(answered(model));
    QCOMPARE(session.state().exampleId, QString("text"));
}

void OpenedCheckpointTest::readsOneFileOnceForBothColumns() {
    const QTemporaryDir folder;
    const QString path = strangeModel(folder);
    ExploreViewModel model;
    ExploreSession& session = model.session();
    session.openFile(Side::left, path);
    session.openFile(Side::right, path);
    QVERIFY(answered(model));
    QVERIFY(session.runs().left && session.runs().right);
    QCOMPARE(session.state().columns[0].model, session.state().columns[1].model);
}

void OpenedCheckpointTest::goesOnWithoutAFileThatCannotBeRead() {
    const QTemporaryDir folder;
    const QString path = folder.filePath("notes.txt");
    QFile file(path);
    QVERIFY(file.open(QFile::WriteOnly) && file.write("no model") > 0);
    file.close();
    ExploreViewModel model;
    QSignalSpy failed(&model.session(), &ExploreSession::failed);
    model.session().openExample("four-witnesses");  // as the command line does
    model.session().openFile(Side::left, path);
    QVERIFY(answered(model));
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].toString().contains("notes.txt"));
    QVERIFY(!model.head(Side::left).present);
    QVERIFY(model.head(Side::right).present);
}

void OpenedCheckpointTest::remembersTheFilesItShowed() {
    const QTemporaryDir folder;
    ExploreViewModel model;
    RecentFiles recent;
    connect(&model.session(), &ExploreSession::fileShown, &recent, &RecentFiles::add);
    model.session().openExample("four-witnesses");
    QVERIFY(answered(model));
    QVERIFY(recent.files().empty());  // bundled models are no files of the user's
    const QString path = strangeModel(folder);
    model.session().openFile(Side::right, path);
    QVERIFY(answered(model));
    QCOMPARE(recent.files().size(), size_t(1));
    QCOMPARE(recent.files()[0], (RecentFile{path, Side::right, {}}));
    for (int i = 0; i < 12; ++i) recent.add({QString("/models/%1").arg(i), Side::left, {}});
    recent.add({"/models/5", Side::right, "/models/tok.bin"});
    QCOMPARE(recent.files().size(), size_t(RecentFiles::most));
    QCOMPARE(recent.files()[0].path, QString("/models/5"));
    QCOMPARE(recent.files()[1].path, QString("/models/11"));
    QCOMPARE(recent.files().back().path, QString("/models/2"));  // 5 gave up its old place

    QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    recent.write(settings);
    RecentFiles again;
    again.read(settings);
    QCOMPARE(again.files(), recent.files());
    again.clear();
    again.write(settings);
    recent.read(settings);
    QVERIFY(recent.files().empty());
}

QTEST_GUILESS_MAIN(OpenedCheckpointTest)
#include "tst_opened_checkpoint.moc"
