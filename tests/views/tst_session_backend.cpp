#include "core/models/trace.h"
#include "core/session/chain_run.h"
#include "tests/support/far_module.h"
#include "tests/views/session_fixture.h"
#include "views/viewmodels/column_run.h"

#include <cstring>
#include <stdexcept>

using namespace headloom;
using headloom::testing::FarFailure;
using headloom::testing::useFarModule;

namespace {

struct Shown {
    std::vector<int> tokens;
    Tensor logits;
};

Shown shownAt(const ExploreSession& session, int side) {
    const auto run = session.runs().at(side)->run;
    return {run->tokens, run->trace.logits};
}

struct Opened {
    Opened() {
        model.session().openExample("four-witnesses");
        if (!answered(model)) throw std::runtime_error("the example does not come");
    }
    UntrainedAssets assets;
    ExploreViewModel model;
};

}  // namespace

class SessionBackendTest : public QObject {
    Q_OBJECT
  private slots:
    void switchingKeepsEverything();
    void whatCannotBeHadLeavesTheOneBefore();
    void aFailingDeviceIsLeftWithASentence();
};

void SessionBackendTest::switchingKeepsEverything() {
    FarFailure& device = useFarModule();
    Opened opened;
    ExploreViewModel& model = opened.model;
    ExploreSession& session = model.session();
    session.setOnItsOwn(true);
    QVERIFY(answered(model));
    model.toggleOpenHead();
    QVERIFY(answered(model));
    const Shown left = shownAt(session, 0), right = shownAt(session, 1);
    const int step = model.selection().step();
    const auto operators = device.operators.load();
    QCOMPARE(session.device().name, std::string("cpu"));

    session.setBackend("cuda");
    QVERIFY(answered(model));
    QCOMPARE(session.device().name, std::string("cuda"));
    QVERIFY(device.operators > operators);
    for (const int side : {0, 1}) {
        const Shown& before = side == 0 ? left : right;
        const Shown now = shownAt(session, side);
        QVERIFY(now.tokens == before.tokens);
        QVERIFY(now.logits.raw() != before.logits.raw());
        QCOMPARE(std::memcmp(now.logits.raw(), before.logits.raw(), now.logits.bytes()), 0);
    }
    QCOMPARE(model.selection().step(), step);
    QVERIFY(model.edits().anyOff());
    QVERIFY(model.deviceText().startsWith("far memory, cpu · left "));
    session.openExample("pointer-chain");
    QVERIFY(answered(model));
    QCOMPARE(session.device().name, std::string("cuda"));
}

void SessionBackendTest::whatCannotBeHadLeavesTheOneBefore() {
    Opened opened;
    ExploreViewModel& model = opened.model;
    ExploreSession& session = model.session();
    QSignalSpy failed(&session, &ExploreSession::failed);
    session.setBackend("tpu");
    QVERIFY(answered(model));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(session.backend(), std::string("auto"));
    QVERIFY(session.runs().leader());
}

void SessionBackendTest::aFailingDeviceIsLeftWithASentence() {
    FarFailure& device = useFarModule();
    Opened opened;
    ExploreViewModel& model = opened.model;
    ExploreSession& session = model.session();
    const Shown before = shownAt(session, 1);
    QSignalSpy failed(&session, &ExploreSession::failed);
    device.left = 4;
    session.setBackend("cuda");
    QVERIFY(answered(model));
    QCOMPARE(device.left.load(), std::int64_t{-1});
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed.front().front().toString(),
             QString("far: 8 MiB are wanted and 1 MiB is free; use a shorter prompt. Headloom goes "
                     "on on the CPU."));
    QCOMPARE(session.backend(), std::string("cpu"));
    QCOMPARE(session.device().name, std::string("cpu"));
    const Shown now = shownAt(session, 1);
    QCOMPARE(std::memcmp(now.logits.raw(), before.logits.raw(), now.logits.bytes()), 0);
    session.setBackend("cuda");
    QVERIFY(answered(model));
    QCOMPARE(session.device().name, std::string("cuda"));
}

QTEST_GUILESS_MAIN(SessionBackendTest)
#include "tst_session_backend.moc"
