#include "tests/support/far_module.h"
#include "tests/views/session_fixture.h"
#include "views/viewmodels/change_effect.h"
#include "views/viewmodels/column_edits.h"
#include "views/viewmodels/compute_model.h"
#include "views/viewmodels/heads_model.h"
#include "views/viewmodels/many_model.h"
#include "views/viewmodels/part_ranking.h"
#include "views/viewmodels/train_view_model.h"
#include "views/viewmodels/why_model.h"

using namespace headloom;
using headloom::testing::FarFailure;
using headloom::testing::useFarModule;

// What is asked of the models on screen is computed by what was chosen in the session, with one
// device of a test that counts its operators and fails where it is told to.
class ChosenBackendTest : public QObject {
    Q_OBJECT
  private slots:
    void init();
    void headsAskIt();
    void changeAsksIt();
    void whyAsksIt();
    void rankingAsksIt();
    void averagesAskIt();
    void trainingAsksItAndSaysWhyItLeaves();
    void aQuestionGoesOnWithoutItsDevice();
    void twoAreCompared();
    void whatIsMissingIsSaid();

  private:
    /// Whether the device computes something soon; nothing else may be asking it.
    bool deviceWorks() {
        return QTest::qWaitFor([this] { return device_->operators > operators_; }, 10'000);
    }
    void remember() { operators_ = device_->operators; }

    UntrainedAssets assets_;
    FarFailure* device_ = nullptr;
    std::int64_t operators_ = 0;
    std::unique_ptr<ExploreViewModel> model_;
};

void ChosenBackendTest::init() {
    device_ = &useFarModule();
    device_->left = -1;
    device_->forGood = false;
    model_ = std::make_unique<ExploreViewModel>();
    model_->session().openExample("four-witnesses");
    QVERIFY(answered(*model_));
    model_->session().setBackend("cuda");
    QVERIFY(answered(*model_));
    QCOMPARE(model_->session().device().name, std::string("cuda"));
    remember();
}

void ChosenBackendTest::headsAskIt() {
    HeadsModel heads(*model_);
    heads.setWanted(true);
    QVERIFY(deviceWorks());
    QTRY_VERIFY(heads.hint().isEmpty());
}

void ChosenBackendTest::changeAsksIt() {
    ChangeEffect effect(*model_);
    effect.setWanted(true);
    QVERIFY(deviceWorks());
}

void ChosenBackendTest::whyAsksIt() {
    WhyModel why(*model_);
    why.setWanted(true);
    QVERIFY(deviceWorks());
}

void ChosenBackendTest::rankingAsksIt() {
    PartRanking ranking(*model_);
    ranking.start({});
    QVERIFY(deviceWorks());
    QTRY_VERIFY(!ranking.running());
    QVERIFY(!ranking.effects().empty());
}

void ChosenBackendTest::averagesAskIt() {
    ManyModel many(*model_);
    ManyModel::Asking asking;
    asking.examples = 2;
    many.start(asking);
    QVERIFY(deviceWorks());
    QTRY_VERIFY(!many.running());
}

void ChosenBackendTest::trainingAsksItAndSaysWhyItLeaves() {
    TrainViewModel train(*model_);
    while (train.setup().arms().size() > 1) train.setup().removeArm(0);
    train.setup().setSeeds(1);
    train.setup().setSteps(10);
    QSignalSpy failed(&train, &TrainViewModel::failed);
    device_->forGood = true;  // the pictures of the training ask it as well
    device_->left = 40;
    train.start();
    QVERIFY(deviceWorks());
    QTRY_VERIFY_WITH_TIMEOUT(train.ended(), 20'000);
    QTRY_COMPARE(failed.size(), 1);
    const QString said = failed.front().front().toString();
    QVERIFY2(said.contains("Headloom goes on on the CPU."), qPrintable(said));
}

void ChosenBackendTest::aQuestionGoesOnWithoutItsDevice() {
    device_->left = 3;
    HeadsModel heads(*model_);
    heads.setWanted(true);
    QTRY_VERIFY(heads.hint().isEmpty());
    QCOMPARE(device_->left.load(), std::int64_t{-1});
}

void ChosenBackendTest::twoAreCompared() {
    ComputeModel compute(model_->session());
    QSignalSpy compared(&compute, &ComputeModel::compared);
    compute.compare(Side::right, "cuda", "cpu");
    QVERIFY(compared.wait(10'000));
    const ComputeModel::Comparison& made = compute.comparison();
    QVERIFY(made.problem.isEmpty());
    QVERIFY(made.agrees);
    QCOMPARE(made.rows.back().tensor, QString("logits"));
    QVERIFY(made.times.startsWith("far memory, cpu: "));
    QVERIFY(made.times.contains("CPU, "));
    QVERIFY(made.verdict.contains("largest difference 0"));
    QVERIFY(made.csv.startsWith("tensor,shape,"));
    compute.compare(Side::right, "tpu", "cpu");
    QVERIFY(compared.wait(10'000));
    QVERIFY(compute.comparison().rows.empty());
    QVERIFY(compute.comparison().problem.contains("tpu"));
}

void ChosenBackendTest::whatIsMissingIsSaid() {
    ComputeModel compute(model_->session());
    QSignalSpy probed(&compute, &ComputeModel::probed);
    compute.probe();
    QVERIFY(probed.wait(10'000));
    QCOMPARE(compute.missing("cuda"), QString());
    QCOMPARE(compute.missing("cpu"), QString());
    compute.probe();  // once is enough
    QVERIFY(!probed.wait(100));
}

QTEST_GUILESS_MAIN(ChosenBackendTest)
#include "tst_chosen_backend.moc"
