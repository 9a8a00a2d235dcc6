#include "core/tasks/task.h"
#include "tests/views/session_fixture.h"
#include "views/viewmodels/column_run.h"
#include "views/viewmodels/train_view_model.h"

#include <QFile>

using namespace headloom;

namespace {

/// A comparison of two arms that ends within a moment.
struct Comparison {
    Comparison() : train(explore) {
        explore.session().openExample("four-witnesses");
        while (train.setup().arms().size() > 1) train.setup().removeArm(0);
        train.setup().addArm();
        train.setup().setArm(0, {"mha", {}});
        train.setup().setSeeds(2);
        train.setup().setSteps(30);
    }
    bool finished() {
        return QTest::qWaitFor([this] { return train.ended(); }, 60'000) && answered(explore);
    }
    ExploreViewModel explore;
    TrainViewModel train;
};

}  // namespace

class TrainViewModelTest : public QObject {
    Q_OBJECT
  private slots:
    void beginsWithTheArmsOfTheTask();
    void saysWhatCannotBeBuilt();
    void trainsWhileTheColumnsFollow();
    void isLockedWhileItStands();
    void goesBackToAMoment();
    void opensAndSavesAMoment();
    void offersOtherKindsOfAttention();
    void tellsArmsOfOneKindApart();
    void setsTheDifficulty();
    void trainsFilters();
    void setsHowArmsLearn();

  private:
    UntrainedAssets assets_;
};

void TrainViewModelTest::beginsWithTheArmsOfTheTask() {
    ExploreViewModel explore;
    TrainViewModel train(explore);
    QCOMPARE(train.setup().task(), QString("four-witnesses"));
    QCOMPARE(train.setup().arms().size(), size_t(4));
    QCOMPARE(train.setup().steps(), 1800);
    const ArmShown iha = train.setup().shown(3);
    QVERIFY(iha.interleaved);
    QCOMPARE(iha.heads, 2);
    QCOMPARE(iha.pseudo, 2);
    QCOMPARE(iha.width, 32);
    QCOMPARE(iha.parameters, 4582);
    train.setup().setTask("pointer-chain");
    QVERIFY(train.setup().arms().size() >= 2);
    QCOMPARE(train.setup().shown(0).layers, 2);
}

void TrainViewModelTest::saysWhatCannotBeBuilt() {
    Comparison comparison;
    ArmSetup setup = comparison.train.setup().arms()[0];
    setup.changes.heads = 3;  // does not divide 32
    comparison.train.setup().setArm(0, setup);
    const ArmShown shown = comparison.train.setup().shown(0);
    QVERIFY(!shown.problem.isEmpty());
    QCOMPARE(shown.heads, 3);  // as it was asked for
    QSignalSpy failed(&comparison.train, &TrainViewModel::failed);
    comparison.train.start();
    QCOMPARE(failed.count(), 1);
    QVERIFY(!comparison.train.stands());
}

void TrainViewModelTest::trainsWhileTheColumnsFollow() {
    Comparison comparison;
    TrainViewModel& train = comparison.train;
    QSignalSpy runs(&comparison.explore, &ExploreViewModel::runsChanged);
    train.start();
    QVERIFY(train.stands());
    QVERIFY(comparison.finished());
    QVERIFY(!train.running());
    QCOMPARE(train.picture().runs.size(), size_t(4));
    QVERIFY(runs.count() >= 2);  // as it began and as it ended, at the least
    const auto& columns = comparison.explore.session().shownState().columns;
    QVERIFY(columns[0].choice.title.contains("seed 0, in training"));
    // what is shown last are the weights of the last step
    train.chooseMoment(30);
    QCOMPARE(train.moment(), 30);
    const ColumnRun& shown = *comparison.explore.session().runs().left;
    QCOMPARE(QString::fromStdString(shown.run->model->name),
             train.runTitle(0).section(", seed", 0, 0));
    QVERIFY(!train.verdictText().isEmpty());
    QVERIFY(train.statusText().contains("4 of 4 runs done"));
}

void TrainViewModelTest::isLockedWhileItStands() {
    Comparison comparison;
    TrainViewModel& train = comparison.train;
    train.setup().setSteps(100'000);
    train.start();
    train.setup().setTask("pointer-chain");
    train.setup().setSeeds(5);
    train.setup().addArm();
    QCOMPARE(train.setup().task(), QString("four-witnesses"));
    QCOMPARE(train.setup().seeds(), 2);
    QCOMPARE(train.setup().arms().size(), size_t(2));
    train.stop();
    QVERIFY(!train.running());
    train.start();
    QVERIFY(train.running());
    train.reset();
    QVERIFY(!train.stands());
    train.setup().setSeeds(5);
    QCOMPARE(train.setup().seeds(), 5);
}

void TrainViewModelTest::goesBackToAMoment() {
    Comparison comparison;
    TrainViewModel& train = comparison.train;
    train.start();
    QVERIFY(comparison.finished());
    train.setRun(2);  // the first seed of the second arm
    train.chooseMoment(0);
    QCOMPARE(train.moment(), 0);
    train.rewind();
    QCOMPARE(train.moment(), -1);
    QCOMPARE(train.picture().runs[2].step, 0);
    QVERIFY(!train.ended());
    QVERIFY(train.verdictText().isEmpty());
    train.start();
    QVERIFY(comparison.finished());
    QCOMPARE(train.picture().runs[2].step, 30);
}

void TrainViewModelTest::opensAndSavesAMoment() {
    Comparison comparison;
    TrainViewModel& train = comparison.train;
    train.start();
    QVERIFY(comparison.finished());
    train.chooseMoment(0);
    train.openMoment();
    QVERIFY(answered(comparison.explore));
    const auto& columns = comparison.explore.session().shownState().columns;
    QVERIFY2(columns[0].choice.title.endsWith("step 0"), qPrintable(columns[0].choice.title));

    QTemporaryDir folder;
    train.saveMoment(folder.filePath("m.safetensors"));
    QVERIFY(QFile::exists(folder.filePath("m.safetensors")));
    QSignalSpy failed(&train, &TrainViewModel::failed);
    train.saveMoment(folder.filePath("no/such/m.safetensors"));
    QCOMPARE(failed.count(), 1);

    // the moment stays among the choices of its task after the comparison has gone
    train.reset();
    comparison.explore.session().setChoice(Side::right, columns[0].choice);
    QVERIFY(answered(comparison.explore));
    QVERIFY(comparison.explore.shortName(Side::right).contains("step 0"));
}

void TrainViewModelTest::offersOtherKindsOfAttention() {
    Comparison comparison;
    TrainViewModel& train = comparison.train;
    const std::vector<ArmChoice> choices = train.setup().armChoices();
    QCOMPARE(choices.size(), size_t(8));  // four of the task, four kinds
    while (train.setup().arms().size() < 4) train.setup().addArm();
    train.setup().setSeeds(1);
    train.setup().setSteps(2);
    for (int arm = 0; arm < 4; ++arm) {
        train.setup().setArm(arm, choices[static_cast<std::size_t>(4 + arm)].setup);
        QCOMPARE(train.setup().armChoice(arm), 4 + arm);
        const ArmShown shown = train.setup().shown(arm);
        QVERIFY2(shown.problem.isEmpty(), qPrintable(shown.problem));
        QCOMPARE(shown.title, choices[static_cast<std::size_t>(4 + arm)].title);
    }
    train.start();
    QVERIFY(comparison.finished());
    for (const LiveRun& run : train.picture().runs) QCOMPARE(run.state, RunState::finished);
    // IHA-lite mixes q, k and v, talking heads logits and weights, the others nothing
    ExploreSession& session = comparison.explore.session();
    const std::vector<ModelChoice> runs = session.choices();
    const size_t sheets[] = {3, 2, 0, 0};
    for (std::size_t arm = 0; arm < 4; ++arm) {
        session.setChoice(Side::left, runs[arm]);
        QVERIFY(answered(comparison.explore));
        const std::vector<MixingSheet> mixing = comparison.explore.mixing(Side::left);
        QCOMPARE(mixing.size(), sheets[arm]);
        for (const MixingSheet& sheet : mixing) QVERIFY(sheet.targetsAcross && sheet.cols == 2);
    }
}

void TrainViewModelTest::setsHowArmsLearn() {
    ExploreViewModel explore;
    TrainViewModel train(explore);
    LearningChanges changes;
    changes.learningRate = 0.004;
    changes.batch = 8;
    changes.noise = 0.1;
    changes.goal = 0.5;
    train.setup().setLearning(changes);
    for (int arm = 0; arm < 4; ++arm) {
        const Recipe recipe = std::get<Recipe>(train.setup().recipe(arm).value());
        QCOMPARE(recipe.settings.learningRate, 0.004);
        QCOMPARE(recipe.settings.batch, 8);
        QCOMPARE(recipe.settings.goal, 0.5);
        QCOMPARE(recipe.mixing.alphaNoise, 0.1);
    }
    changes.batch = 0;
    train.setup().setLearning(changes);
    QVERIFY(train.setup().shown(0).problem.contains("batch"));
}

void TrainViewModelTest::tellsArmsOfOneKindApart() {
    ExploreViewModel explore;
    TrainViewModel train(explore);
    QCOMPARE(train.setup().dash(0), 0);
    QCOMPARE(train.setup().dash(2), 2);
    QCOMPARE(train.setup().dash(3), 0);  // the only one of its kind
    const double commonest = train.setup().referenceLines(CurveValue::accuracy)[0].value;
    QVERIFY(commonest > 1.0 / 6 && commonest < 0.5);  // of six symbols, not all as common
    QVERIFY(train.setup().referenceLines(CurveValue::exact).empty());
}

void TrainViewModelTest::setsTheDifficulty() {
    ExploreViewModel explore;
    TrainViewModel train(explore);
    train.setup().setTask("pointer-chain");
    QVERIFY(!train.setup().taskChoices().settings.empty());
    const QString hops = train.setup().taskSetting("hops");
    QVERIFY(hops.toInt() > 1);
    train.setup().setTaskSetting("hops", "2");
    QCOMPARE(train.setup().taskSetting("hops"), QString("2"));
    QVERIFY(train.setup().taskProblem().isEmpty());
    train.setup().setTaskSetting("hops", "1000");
    QVERIFY2(train.setup().taskProblem().contains("hops"), qPrintable(train.setup().taskProblem()));
    QVERIFY(!train.setup().shown(0).problem.isEmpty());
    train.setup().setTaskSetting("hops", "2");
    train.setup().setSeeds(1);
    train.setup().setSteps(2);
    train.start();
    QVERIFY(QTest::qWaitFor([&] { return train.ended(); }, 60'000) && answered(explore));
    // the columns show the task as it was set
    QCOMPARE(explore.session().shownState().task->info().settings.at("hops"), std::string("2"));
    QVERIFY(explore.head(Side::left).present);
    train.reset();
    train.setup().setTask("four-witnesses");
    train.setup().setTask("pointer-chain");
    QCOMPARE(train.setup().taskSetting("hops"), hops);
    // text of a checkpoint in the columns is no task, and leaves the choice alone
    train.setup().setTask("text");
    QCOMPARE(train.setup().task(), QString("pointer-chain"));
}

void TrainViewModelTest::trainsFilters() {
    ExploreViewModel explore;
    TrainViewModel train(explore);
    ComparisonSetup& setup = train.setup();
    setup.setTask("graph-filter");
    QVERIFY(setup.filters());
    QCOMPARE(setup.arms().size(), size_t(3));
    QCOMPARE(setup.shown(0).parameters, 336);
    QCOMPARE(setup.shown(1).parameters, 368);
    // zero, and the floor of two heads; four heads have none
    const std::vector<ReferenceLine> lines = setup.referenceLines(CurveValue::error);
    QCOMPARE(lines.size(), size_t(2));
    QCOMPARE(lines[1].value, 0.5);
    QVERIFY(lines[1].low < 0.5 && lines[1].high > 0.5);

    setup.setTaskSetting("graph", "star");
    QVERIFY(setup.taskProblem().contains("star"));
    setup.setTaskSetting("graph", "path");
    setup.setSeeds(2);
    setup.setSteps(20);
    train.start();
    QVERIFY(QTest::qWaitFor([&] { return train.ended(); }, 60'000));
    QVERIFY(answered(explore));
    QVERIFY(!train.verdictText().isEmpty());
    const ColumnPair& columns = explore.session().runs();
    QVERIFY(columns.left->run->model->filter);
    QCOMPARE(columns.right->pseudos(0), 2);
    QVERIFY(columns.right->linear(0));
    QCOMPARE(explore.steps().size(), size_t(8));
    QVERIFY(explore.answers(5).empty());

    const LiveRun run = train.picture().runs[0];
    QVERIFY(run.outcome && run.outcome->error);
    const auto series = learningSeries(train.picture(), 3, CurveValue::error, CurveAxis::step);
    QCOMPARE(series[0].points.back().x, 20.0);
    const QTemporaryDir folder;
    const QString file = folder.filePath("filter.safetensors");
    QSignalSpy failed(&train, &TrainViewModel::failed);
    train.saveMoment(file);
    QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed[0][0].toString()));
    const auto saved = loadFilter(file.toStdString());
    QVERIFY(saved);
    QCOMPARE(saved->result.relativeError, *run.outcome->error);
    explore.session().openFile(Side::left, file);
    QVERIFY(answered(explore));
    QVERIFY(explore.session().runs().left->run->model->filter);
    train.chooseMoment(10);
    QVERIFY(train.moment() >= 0);
    train.rewind();
    QVERIFY(!train.ended());
}

QTEST_MAIN(TrainViewModelTest)
#include "tst_train_view_model.moc"
