#include "core/session/ablation_effect.h"
#include "core/session/prompt_questions.h"
#include "tests/views/session_fixture.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/many_model.h"

#include <QFile>

#include <cmath>
#include <limits>

using namespace headloom;

namespace {

const QString witnesses = QStringLiteral("four-witnesses");

bool rested(ManyModel& many) {
    return QTest::qWaitFor([&many] { return !many.running(); }, 20'000);
}

ManyModel::Asking asking(ManyModel::What what, int examples = 5) {
    ManyModel::Asking made;
    made.what = what;
    made.examples = examples;
    return made;
}

QStringList namesOf(ManyOrder& list) {
    QStringList names;
    for (int row = 0; row < list.rowCount(); ++row)
        names << list.headerData(row, Qt::Vertical, Qt::DisplayRole).toString();
    return names;
}

double meanOf(ManyModel& many, int row) {
    return many.list().index(row, ManyTable::mean).data(ManyTable::valueRole).toDouble();
}

}  // namespace

class ManyModelTest : public QObject {
    Q_OBJECT
  private slots:
    void sortsWithWhatHasNoNumberLast();
    void saysWhatToDo();
    void averagesWhatTheColumnSays();
    void asksTheModelAsItIsChanged();
    void forgetsAnotherModel();
    void stopsWithWhatWasDone();
    void opensWhatIsChosen();
    void readsAFile();
    void similarityStandsByClusters();
    void everyQuestionHasATable();

  private:
    UntrainedAssets assets_;
};

void ManyModelTest::sortsWithWhatHasNoNumberLast() {
    auto table = std::make_shared<AveragedTable>();
    table->columns = {{"adds", "what it adds", true}};
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [name, values] : std::vector<std::pair<std::string, std::vector<double>>>{
             {"L0H0", {0.1, 0.3}}, {"L0H0.q0k0", {none}}, {"L0H1", {-12.345, -12.345}}}) {
        AveragedLine line{name, 0, {0, name == "L0H0.q0k0" ? 0 : -1, -1, -1}};
        table->lines.push_back(line);
        Spread spread;
        for (const double value : values) spread.add(value);
        table->cells.push_back(spread);
    }
    ManyTable model;
    ManyOrder list(model);
    model.show(table, 0);
    list.sort(ManyTable::mean, Qt::AscendingOrder);
    QCOMPARE(namesOf(list), (QStringList{"L0H1", "L0H0", "L0H0.q0k0"}));
    QCOMPARE(list.index(0, ManyTable::mean).data().toString(), QStringLiteral("−12.35"));
    QCOMPARE(list.index(1, ManyTable::mean).data().toString(), QStringLiteral("+0.200"));
    QCOMPARE(list.index(1, ManyTable::deviation).data().toString(), QStringLiteral("0.141"));
    QCOMPARE(list.index(1, ManyTable::most).data().toString(), QStringLiteral("+0.300"));
    QCOMPARE(list.index(2, ManyTable::mean).data().toString(), QStringLiteral("–"));
    QCOMPARE(list.index(2, ManyTable::count).data().toString(), QStringLiteral("0"));
    list.sort(ManyTable::mean, Qt::DescendingOrder);
    QCOMPARE(namesOf(list), (QStringList{"L0H0", "L0H1", "L0H0.q0k0"}));
    list.setHeadsOnly(true);
    QCOMPARE(namesOf(list), (QStringList{"L0H0", "L0H1"}));

    auto tiles = std::make_shared<AveragedTable>(*table);
    tiles->lines = {table->lines[1]};  // pairs of tiles: leaving them out would leave nothing
    tiles->cells = {table->cells[1]};
    model.show(tiles, 0);
    QVERIFY(!model.isMixed());
    QCOMPARE(namesOf(list), (QStringList{"L0H0.q0k0"}));
}

void ManyModelTest::saysWhatToDo() {
    ExploreViewModel model;
    ManyModel many(model);
    QVERIFY(many.hint().contains(QStringLiteral("press Start")));
    QVERIFY(!many.hasTask());
    many.start(asking(ManyModel::What::heads));
    QVERIFY(!many.running());
    QVERIFY(many.hint().contains(QStringLiteral("No model stands in this column"),
                                 Qt::CaseInsensitive));
}

void ManyModelTest::averagesWhatTheColumnSays() {
    ExploreViewModel model;
    ManyModel many(model);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    QVERIFY(many.hasTask());
    many.start(asking(ManyModel::What::heads));
    QVERIFY(many.running());
    QVERIFY(rested(many));
    QVERIFY(many.hint().isEmpty());
    QVERIFY(many.about().contains(QStringLiteral("held-out examples 0 to 4 of four-witnesses")));
    QVERIFY(many.about().contains(QStringLiteral("accuracy 0.")));
    QCOMPARE(many.list().rowCount(), 2 * (1 + 4));
    QCOMPARE(many.measures().at(many.measure()), QStringLiteral("evidence"));

    const ChainRun& run = *model.session().runs().right->run;
    ManyPromptsRequest request;
    request.model = run.model;
    request.prompts = PromptSet::ofTask(model.session().shownState().task, 0, 5).value();
    request.questions = {askHeads(run.model->config, {})};
    request.backend = "cpu";
    const ManyAverages plain = averageOver(request).value();
    for (const HeadMeasure measure : {HeadMeasure::evidence, HeadMeasure::entropy}) {
        many.setMeasure(int(indexOf(measure)));
        for (std::size_t line = 0; line < 10; ++line)
            QCOMPARE(meanOf(many, int(line)),
                     plain.tables.front().at(line, indexOf(measure)).mean());
    }
}

void ManyModelTest::asksTheModelAsItIsChanged() {
    ExploreViewModel model;
    ManyModel many(model);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    const auto mass = [&many] {
        many.setMeasure(int(indexOf(HeadMeasure::mass)));
        return meanOf(many, 0);
    };
    many.start(asking(ManyModel::What::heads));
    QVERIFY(rested(many));
    const double before = mass();
    QVERIFY(!many.about().contains(QStringLiteral("changed since")));
    model.edits().toggle(Side::right, ModelPart::ofTile(0, 0, 0, 0));
    QVERIFY(answered(model));
    QVERIFY(many.about().contains(QStringLiteral("changed since")));
    QCOMPARE(mass(), before);  // still there
    many.start(asking(ManyModel::What::heads));
    QVERIFY(rested(many));
    QVERIFY(mass() < before - 0.1);
    QVERIFY(many.about().contains(QStringLiteral("without L0H0.q0k0")));
    // parts of a logit add up only where all of them are on
    many.start(asking(ManyModel::What::shares));
    QVERIFY(rested(many));
    QVERIFY(many.hint().contains(QStringLiteral("switch everything on again")));
    model.edits().allOn();
    QVERIFY(answered(model));
    model.edits().setWeight(Side::right, {0, MixingTensor::alphaQ, {0, 0, 0}}, 3);
    QVERIFY(answered(model));
    many.start(asking(ManyModel::What::heads));
    QVERIFY(rested(many));
    QVERIFY(many.about().contains(QStringLiteral("alphaQ edited")));
}

void ManyModelTest::forgetsAnotherModel() {
    ExploreViewModel model;
    ManyModel many(model);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    many.start(asking(ManyModel::What::heads));
    QVERIFY(rested(many));
    QVERIFY(many.list().rowCount() > 0);
    model.session().setExampleIndex(3);  // another prompt of the same model
    QVERIFY(answered(model));
    QVERIFY(many.list().rowCount() > 0);
    model.session().openExample(QStringLiteral("pointer-chain"));
    QVERIFY(answered(model));
    QCOMPARE(many.list().rowCount(), 0);
    QVERIFY(many.about().isEmpty());
    QVERIFY(!many.hint().isEmpty());
}

void ManyModelTest::stopsWithWhatWasDone() {
    ExploreViewModel model;
    ManyModel many(model);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    many.start(asking(ManyModel::What::heads, 1'000'000));
    QVERIFY(QTest::qWaitFor([&many] { return many.progress() > 0; }, 20'000));
    many.stop();
    QVERIFY(rested(many));
    QVERIFY(many.about().contains(QStringLiteral("stopped after")));
    QVERIFY(many.list().index(0, ManyTable::count).data(ManyTable::valueRole).toInt() > 0);
}

void ManyModelTest::opensWhatIsChosen() {
    ExploreViewModel model;
    ManyModel many(model);
    model.session().openExample(QStringLiteral("pointer-chain"));
    QVERIFY(answered(model));
    ManyModel::Asking tiles = asking(ManyModel::What::cuts, 2);
    many.start(tiles);
    QVERIFY(rested(many));
    QCOMPARE(many.list().rowCount(), 2 * 64);
    QVERIFY(many.open(3 * 16 + 1 * 4 + 2));
    QCOMPARE(model.selection().layer(), 0);
    QCOMPARE(model.selection().open(Side::right), MapRef::tile(3, 1, 2));
    tiles.parts = ModelPart::Kind::layer;
    many.start(tiles);
    QVERIFY(rested(many));
    QVERIFY(!many.open(0));  // no one map shows a layer
    QVERIFY(!many.open(99));
}

void ManyModelTest::readsAFile() {
    ExploreViewModel model;
    ManyModel many(model);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    const QTemporaryDir folder;
    const auto write = [&folder](const char* text) {
        QFile file(folder.filePath(QStringLiteral("probes.txt")));
        if (!file.open(QIODevice::WriteOnly)) return QString();
        file.write(text);
        return file.fileName();
    };
    ManyModel::Asking ofFile = asking(ManyModel::What::heads);
    ofFile.file = write("01234\n\n01\n");
    many.start(ofFile);
    QVERIFY(rested(many));
    QVERIFY(many.about().contains(QStringLiteral("2 prompts of probes.txt")));
    const QString csv = folder.filePath(QStringLiteral("averages.csv"));
    QVERIFY(many.exportTo(csv));
    QFile written(csv);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray text = written.readAll();
    QVERIFY(text.startsWith("table,part,layer,head,query_pseudo,key_pseudo,measure,mean,sd,n,"));
    QCOMPARE(text.count('\n'), 1 + 10 * 8 + 3 + 4);
    QVERIFY(!many.exportTo(folder.filePath(QStringLiteral("nowhere/at/all.csv"))));

    ofFile.file = write("01234\n\n01x\n");
    many.start(ofFile);
    QVERIFY(rested(many));
    QVERIFY(many.hint().startsWith(QStringLiteral("probes.txt, line 3: ")));
}

void ManyModelTest::similarityStandsByClusters() {
    ExploreViewModel model;
    ManyModel many(model);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    QVERIFY(!many.similarity().values);
    many.start(asking(ManyModel::What::similarity, 4));
    QVERIFY(rested(many));
    const SimilarityShown shown = many.similarity();
    QVERIFY(shown.values);
    QCOMPARE(shown.names.size(), 8);
    QVERIFY(shown.sentence.startsWith(QStringLiteral("8 tiles, ")));
    const auto text = [&](int line, int column) {
        return many.list().index(line, column).data().toString();
    };
    const auto names = namesOf(many.list());
    for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 8; ++column) {
            if (row == column) continue;
            // of a pair there is one line, "L0H0.q0k1\n~ H1.q0k0"
            const int line = int(names.indexOf(shown.names[row] + QStringLiteral("\n~ ") +
                                               shown.names[column].mid(2)));
            if (line < 0) continue;
            for (const QString& cell : {shown.cellText(row, column), shown.cellText(column, row)})
                QVERIFY2(cell.endsWith(QStringLiteral(": %1 ± %2")
                                           .arg(text(line, ManyTable::mean),
                                                text(line, ManyTable::deviation))),
                         cell.toUtf8());
        }
    QVERIFY(shown.cellText(3, 3).endsWith(QStringLiteral("1.000 ± 0.000")));
    QVERIFY(shown.cellText(8, 0).isEmpty());
    const QByteArray untrained = qgetenv("HEADLOOM_ASSETS");
    qunsetenv("HEADLOOM_ASSETS");  // the palettes are the program's own
    const auto restore = qScopeGuard([&untrained] { qputenv("HEADLOOM_ASSETS", untrained); });
    const auto svg = exportableOf(shown, [] {
                         return std::vector<std::string>{"over 4"};
                     }).take(ExportFormat::svg)();
    QVERIFY(svg);
    QCOMPARE(svg->count("class=\"cell\""), 64);
    QVERIFY(svg->contains("over 4"));
    QVERIFY(svg->contains("L0H1.q1k0"));
    many.start(asking(ManyModel::What::heads, 2));
    QVERIFY(rested(many));
    QVERIFY(!many.similarity().values);
}

void ManyModelTest::everyQuestionHasATable() {
    ExploreViewModel model;
    ManyModel many(model);
    model.session().openExample(witnesses);
    QVERIFY(answered(model));
    using What = ManyModel::What;
    for (const What what : {What::heads, What::patterns, What::cuts, What::shares, What::crossHeads,
                            What::lens, What::rollout, What::flow, What::similarity}) {
        many.start(asking(what, 3));
        QVERIFY(rested(many));
        QVERIFY2(many.list().rowCount() > 0, many.hint().toUtf8());
        for (int measure = 0; measure < many.measures().size(); ++measure) {
            many.setMeasure(measure);
            QVERIFY(!many.measureTip(measure).isEmpty());
            QVERIFY(!std::isnan(meanOf(many, many.list().rowCount() - 1)));
        }
    }
    // the last question's: a pair has no room on one line beside its numbers
    QCOMPARE(namesOf(many.list()).front(), QStringLiteral("L0H0.q0k0\n~ H0.q0k1"));
    ManyModel::Asking mlps = asking(What::cuts, 3);
    mlps.parts = ModelPart::Kind::mlp;
    many.start(mlps);
    QVERIFY(many.hint().contains(QStringLiteral("no such parts")));
}

QTEST_GUILESS_MAIN(ManyModelTest)
#include "tst_many_model.moc"
