#include "views/viewmodels/chain_steps.h"

#include <QTest>

using namespace headloom;

namespace {

std::vector<ChainStep> steps(int count, const std::vector<int>& leftWrong,
                             const std::vector<int>& rightWrong = {}) {
    std::vector<ChainStep> made(static_cast<std::size_t>(count));
    for (const int step : leftWrong) made[static_cast<std::size_t>(step)].marks[0].wrong = true;
    for (const int step : rightWrong) made[static_cast<std::size_t>(step)].marks[1].wrong = true;
    return made;
}

}  // namespace

class ChainStepsTest : public QObject {
    Q_OBJECT
  private slots:
    void opensWhereTheModelsDiffer_data();
    void opensWhereTheModelsDiffer();
    void showsWhiteSpace();
    void hasNothingWithoutRuns();
};

void ChainStepsTest::opensWhereTheModelsDiffer_data() {
    QTest::addColumn<std::vector<int>>("left");
    QTest::addColumn<std::vector<int>>("right");
    QTest::addColumn<int>("expected");
    using Steps = std::vector<int>;
    QTest::newRow("no difference: two thirds along") << Steps{} << Steps{} << 8;
    QTest::newRow("in the second half") << Steps{9, 11} << Steps{} << 9;
    QTest::newRow("too early, few rows to see") << Steps{1} << Steps{} << 8;
    QTest::newRow("both err: no difference") << Steps{7, 10} << Steps{7} << 10;
}

void ChainStepsTest::opensWhereTheModelsDiffer() {
    QFETCH(std::vector<int>, left);
    QFETCH(std::vector<int>, right);
    QFETCH(int, expected);
    QCOMPARE(tellingStep(steps(12, left, right)), expected);
}

void ChainStepsTest::showsWhiteSpace() {
    QCOMPARE(visibleToken(" a\n"), QStringLiteral("␣a⏎"));
    QCOMPARE(visibleToken("="), QStringLiteral("="));
}

void ChainStepsTest::hasNothingWithoutRuns() {
    QCOMPARE(tellingStep({}), 0);
}

QTEST_GUILESS_MAIN(ChainStepsTest)
#include "tst_chain_steps.moc"
