#include "core/io/safetensors.h"
#include "tests/views/session_fixture.h"
#include "views/viewmodels/column_run.h"

#include <QDir>
#include <QSettings>

#include <cmath>

using namespace headloom;

namespace {

/// A small model of another program's making: TransformerLens names, no metadata.
QString strangeModel(const QTemporaryDir& folder, int layers = 2, int heads = 2) {
    ModelConfig config;
    config.dModel = 4 * heads;
    config.nHeads = heads;
    config.dVocab = 12;
    config.nCtx = 10;
    config.learnedPositions = true;
    config.layers.resize(static_cast<std::size_t>(layers));
    const Weights weights = initialWeights(config, 3);
    const QString path = folder.filePath("strange.safetensors");
    if (!writeSafetensors(path.toStdString(), weights.entries())) return {};
    return path;
}

void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QFile::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

/// Byte-level BPE of twelve tokens; "abc ab" is "ab", "c", " ab". In a folder of its own, so that
/// it does not lie beside the model.
QString smallTokenizer(const QTemporaryDir& folder) {
    if (!QDir(folder.path()).mkpath("tokens")) return {};
    write(folder.filePath("tokens/vocab.json"),
          R"({"a":0,"b":1,"c":2,"\u0120":3,"ab":4,"\u0120ab":5,"d":6,"e":7,"f":8,"g":9,"h":10})");
    write(folder.filePath("tokens/merges.txt"), "a b\n\xC4\xA0 ab\n");
    return folder.filePath("tokens/vocab.json");
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
    void takesATokenizerFromElsewhere();
    void refusesATokenizerThatDoesNotFit();
    void mergesPiecesIntoWords();
    void showsBosThatNobodyTyped();
    void showsEveryHeadOfALargeModel();
    void holdsTheMapsInViewOfALongPrompt();
    void stopsARunAndKeepsWhatThereWas();

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

void OpenedCheckpointTest::takesATokenizerFromElsewhere() {
    const QTemporaryDir folder;
    ExploreViewModel model;
    ExploreSession& session = model.session();
    const QString path = strangeModel(folder);
    session.openFile(Side::left, path);
    session.openFile(Side::right, path);
    QVERIFY(answered(model));
    QVERIFY(session.freeText() && !session.readsText());
    QVERIFY(session.idsOnlyReason().contains("no tokenizer"));
    const Tensor before = session.state().columns[0].model->weights.find("embed.W_E");

    RecentFiles recent;
    connect(&session, &ExploreSession::fileShown, &recent, &RecentFiles::add);
    const QString tokenizer = smallTokenizer(folder);
    session.setTokenizer(tokenizer);
    QVERIFY(answered(model));
    QVERIFY(session.readsText());
    QVERIFY(session.runs().left && session.runs().right);  // both read with it
    // the weights were not read again
    QCOMPARE(session.state().columns[0].model->weights.find("embed.W_E").raw(), before.raw());
    QVERIFY(session.setPrompt("abc ab"));
    QVERIFY(answered(model));
    QCOMPARE(session.runs().left->run->tokens, (std::vector<int>{4, 2, 5}));
    QCOMPARE(model.tokens()[2].ids, QString("5"));
    QVERIFY(model.chipText(model.tokens()[2]).contains("id 5"));

    // opened again it has the same tokenizer
    QCOMPARE(recent.files().size(), size_t(1));
    QCOMPARE(recent.files()[0].tokenizer, tokenizer);
    ExploreViewModel again;
    again.session().openFile(Side::left, path, tokenizer);
    QVERIFY(answered(again));
    QVERIFY(again.session().readsText());
}

void OpenedCheckpointTest::refusesATokenizerThatDoesNotFit() {
    const QTemporaryDir folder;
    ExploreViewModel model;
    ExploreSession& session = model.session();
    session.openFile(Side::left, strangeModel(folder));
    QVERIFY(answered(model));
    QSignalSpy failed(&session, &ExploreSession::failed);
    QByteArray vocabulary;
    for (int id = 0; id < 20; ++id)
        vocabulary +=
            (id ? ",\"" : "{\"") + QByteArray(1, char('a' + id)) + "\":" + QByteArray::number(id);
    write(folder.filePath("vocab.json"), vocabulary + "}");
    write(folder.filePath("merges.txt"), "a b\n");
    session.setTokenizer(folder.filePath("vocab.json"));
    QVERIFY(answered(model));
    QCOMPARE(failed.count(), 1);
    QVERIFY(!session.readsText());
    QVERIFY(session.setPrompt("1 2"));
}

void OpenedCheckpointTest::mergesPiecesIntoWords() {
    const QTemporaryDir folder;
    ExploreViewModel model;
    ExploreSession& session = model.session();
    session.openFile(Side::left, strangeModel(folder), smallTokenizer(folder));
    QVERIFY(answered(model));
    QVERIFY(session.setPrompt("d abc ab"));  // d, Ġab, c, Ġab
    QVERIFY(answered(model));
    QCOMPARE(session.runs().left->run->tokens, (std::vector<int>{6, 5, 2, 5}));
    model.goToLast();
    const float* token = model.tiles(Side::left, 1)[0].values.get();
    QCOMPARE(model.axis(Side::left).labels.size(), size_t(4));

    DisplayOptions::Values shown = model.display().values();
    shown.words = true;
    model.display().setValues(shown);
    QCOMPARE(model.axis(Side::left).labels, (std::vector<QString>{"d", "␣abc", "␣ab"}));
    const MapView words = model.tiles(Side::left, 1)[0];
    QCOMPARE(words.rows, 3);
    const auto value = [&](int query, int key) { return words.values.get()[query * 3 + key]; };
    // of the word: the mean of its two pieces' rows; to the word: the sum over its pieces
    QCOMPARE(value(1, 0), (token[4] + token[8]) / 2);
    QCOMPARE(value(2, 1), token[13] + token[14]);
    // a row keeps its sum: shares of 1 (float32 sums of four terms)
    QVERIFY(std::abs(value(1, 0) + value(1, 1) - 1) < 1e-6F);
    // the same number in words, for the cell of any of the pieces
    model.selection().setCell(CellRef{Side::left, MapRef::tile(1), 3, 1});
    QVERIFY(std::abs(model.cellValue().toFloat() - value(2, 1)) < 1e-6F);
    QVERIFY(model.cellText().contains("“␣abc” (1–2)"));

    const std::vector<TokenChip> chips = model.tokens();
    QCOMPARE(chips.size(), size_t(3));
    QCOMPARE(chips[1].ids, QString("5 2"));
    QCOMPARE(chips[1].first, 1);
    QCOMPARE(chips[1].last, 2);
    QCOMPARE(model.cellOf(Side::left, 2), 1);
    QCOMPARE(model.tokenOf(Side::left, 1, true), 2);
    QCOMPARE(model.tokenOf(Side::left, 1, false), 1);

    // in the middle of the word only its first piece has happened
    model.selection().setStep(1);
    QCOMPARE(model.tiles(Side::left, 1)[0].values.get()[3], token[4]);
    QCOMPARE(model.axis(Side::left).current, 1);
    QVERIFY(model.tokens()[1].current);
}

void OpenedCheckpointTest::showsBosThatNobodyTyped() {
    const QString fixtures = qEnvironmentVariable("HEADLOOM_FIXTURES");
    if (fixtures.isEmpty()) QSKIP("HEADLOOM_FIXTURES is not set");
    ExploreViewModel model;
    model.session().openFile(Side::left, fixtures + "/llama2c/stories260K.bin");
    QVERIFY(answered(model));
    const std::vector<TokenChip> chips = model.tokens();
    QVERIFY(chips[0].implicit);
    QCOMPARE(chips[0].ids, QString("1"));
    QVERIFY(!chips[1].implicit);
    QVERIFY(model.chipText(chips[0]).contains("not typed"));
}

void OpenedCheckpointTest::showsEveryHeadOfALargeModel() {
    const QTemporaryDir folder;
    ExploreViewModel model;
    ExploreSession& session = model.session();
    using Scope = DisplayOptions::Scope;
    session.openExample("four-witnesses");
    QVERIFY(answered(model));
    QCOMPARE(model.display().values().scope, Scope::layer);
    QVERIFY(!session.grid(Side::left).find(0, 0));  // nobody asked for it

    session.openFile(Side::left, strangeModel(folder, 16, 16));
    QVERIFY(answered(model));
    QCOMPARE(model.display().values().scope, Scope::overview);
    QTRY_COMPARE(session.grid(Side::left).firstMissing(), -1);
    QVERIFY(session.setPrompt("4 11 0"));
    QVERIFY(answered(model));
    QTRY_COMPARE(session.grid(Side::left).firstMissing(), -1);
    const HeadCell* cell = session.grid(Side::left).find(15, 3);
    QVERIFY(cell);
    model.setLayer(15);
    const float* map = model.tiles(Side::left, 3)[0].values.get();
    QCOMPARE(cell->thumbnail, std::vector<float>(map, map + 9));  // three tokens: the map itself
    QVERIFY(std::abs(cell->first - (map[3] + map[6]) / 2) < 1e-6);
    QVERIFY(model.gridWords(Side::left, 15, 3).contains("layer 15 · head 3"));

    model.openHead(Side::left, 7, 5);
    QCOMPARE(model.display().values().scope, Scope::head);
    QCOMPARE(model.selection().layer(), 7);
    QCOMPARE(model.selection().open(Side::left).head, 5);
    QVERIFY(model.head(Side::left).alone);
}

void OpenedCheckpointTest::holdsTheMapsInViewOfALongPrompt() {
    const QTemporaryDir folder;
    const QString path = strangeModel(folder, 3, 2);
    ExploreViewModel whole, bounded;
    for (ExploreViewModel* model : {&whole, &bounded}) {
        // three layers of two maps of 4 x 4 cells are more than one layer's
        if (model == &bounded) model->session().setMostMapBytes(2 * 16 * 4);
        model->session().openFile(Side::left, path);
        QVERIFY(answered(*model));
        QVERIFY(model->session().setPrompt("4 11 0 5"));
        QVERIFY(answered(*model));
    }
    QVERIFY(whole.head(Side::left).bound.isEmpty());
    QVERIFY(bounded.head(Side::left).bound.contains("4 tokens"));
    const void* logits = bounded.session().runs().left->run->trace.logits.raw();
    for (const int layer : {0, 2, 1}) {
        whole.setLayer(layer);
        bounded.setLayer(layer);
        QVERIFY(answered(bounded));
        for (int head = 0; head < 2; ++head) {
            const auto one = bounded.tiles(Side::left, head), other = whole.tiles(Side::left, head);
            QCOMPARE(one.size(), size_t(1));
            QVERIFY(
                std::equal(one[0].values.get(), one[0].values.get() + 16, other[0].values.get()));
            QCOMPARE(one[0].mass, other[0].mass);
        }
        QCOMPARE(bounded.session().runs().left->run->trace.logits.raw(), logits);  // not run again
    }
    QCOMPARE(bounded.steps(), whole.steps());

    bounded.session().setMostMapBytes(16 * 4);  // one map
    QVERIFY(bounded.session().setPrompt("4 11 0 6"));
    QVERIFY(answered(bounded));
    bounded.selection().setOpen(Side::left, MapRef::tile(1));
    QVERIFY(answered(bounded));
    QVERIFY(bounded.tiles(Side::left, 0).empty());
    QCOMPARE(bounded.tiles(Side::left, 1).size(), size_t(1));
    QVERIFY(bounded.head(Side::left).alone);
    QVERIFY(!bounded.tileTable().empty());
    bounded.setScope(DisplayOptions::Scope::overview);  // from what went into the layers
    QTRY_COMPARE(bounded.session().grid(Side::left).firstMissing(), -1);
}

void OpenedCheckpointTest::stopsARunAndKeepsWhatThereWas() {
    const QTemporaryDir folder;
    ExploreViewModel model;
    ExploreSession& session = model.session();
    session.openFile(Side::left, strangeModel(folder));
    QVERIFY(answered(model));
    const int rows = session.runs().left->run->rows;
    const QString prompt = session.promptText();
    QVERIFY(session.setPrompt("1 2 3"));
    QVERIFY(session.busy());
    session.cancelRunning();
    QVERIFY(!session.busy());
    session.finish();
    QCoreApplication::processEvents();
    QCOMPARE(session.runs().left->run->rows, rows);
    QCOMPARE(session.promptText(), prompt);
    QVERIFY(session.setPrompt("1 2"));
    QVERIFY(answered(model));
    QCOMPARE(session.runs().left->run->rows, 2);
}

QTEST_GUILESS_MAIN(OpenedCheckpointTest)
#include "tst_opened_checkpoint.moc"
