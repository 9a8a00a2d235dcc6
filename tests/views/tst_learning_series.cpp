#include "views/viewmodels/learning_series.h"

#include <QTest>

#include <cmath>

using namespace headloom;

namespace {

/// A run of arm 0 that lost `losses` at steps 10, 20, ..., `pace` seconds a step.
LiveRun run(std::vector<double> losses, double pace, bool ended = false) {
    LiveRun made;
    made.state = ended ? RunState::finished : RunState::running;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const auto step = static_cast<std::int64_t>(10 * (i + 1));
        made.curve.losses.push_back({step, pace * static_cast<double>(step), losses[i]});
        made.curve.scores.push_back({step, pace * static_cast<double>(step), 0.5, losses[i] / 10, {}});
    }
    return made;
}

LivePicture picture(std::vector<LiveRun> runs) {
    LivePicture made;
    made.runs = std::move(runs);
    return made;
}

}  // namespace

class LearningSeriesTest : public QObject {
    Q_OBJECT
  private slots:
    void meanAndRangeOverSeeds();
    void endsWhereAnUnfinishedSeedIs();
    void aFinishedSeedKeepsItsValue();
    void bySecondReadsBetweenPoints();
    void otherValuesAndEmptyArms();
};

void LearningSeriesTest::meanAndRangeOverSeeds() {
    const auto series = learningSeries(picture({run({4, 2}, 1), run({6, 1}, 1)}), 1,
                                       CurveValue::loss, CurveAxis::step);
    QCOMPARE(series.size(), size_t(1));
    QCOMPARE(series[0].seeds, 2);
    QCOMPARE(series[0].points, (std::vector<SeriesPoint>{{10, 5, 4, 6}, {20, 1.5, 1, 2}}));
    QCOMPARE(series[0].at(15)->x, 10.0);
    QVERIFY(!series[0].at(9));
}

void LearningSeriesTest::endsWhereAnUnfinishedSeedIs() {
    const auto series = learningSeries(picture({run({4, 2, 1}, 1), run({6, 1}, 1)}), 1,
                                       CurveValue::loss, CurveAxis::step);
    QCOMPARE(series[0].points.back().x, 20.0);
}

void LearningSeriesTest::aFinishedSeedKeepsItsValue() {
    const auto series = learningSeries(picture({run({4, 2, 1}, 1), run({6, 5}, 1, true)}), 1,
                                       CurveValue::loss, CurveAxis::step);
    QCOMPARE(series[0].points.back(), (SeriesPoint{30, 3, 1, 5}));
}

void LearningSeriesTest::bySecondReadsBetweenPoints() {
    // at 1 s a step: 4 at 10 s, 2 at 20 s; at 1.5 s a step: 6 at 15 s, 0 at 30 s
    const auto series = learningSeries(picture({run({4, 2}, 1), run({6, 0}, 1.5)}), 1,
                                       CurveValue::loss, CurveAxis::second);
    // from where both have begun to where the first of them is
    QCOMPARE(series[0].points.size(), size_t(2));
    QCOMPARE(series[0].points[0], (SeriesPoint{15, 4.5, 3, 6}));
    QCOMPARE(series[0].points[1], (SeriesPoint{20, 3, 2, 4}));
}

void LearningSeriesTest::otherValuesAndEmptyArms() {
    const auto runs = picture({run({4}, 1)});
    QCOMPARE(learningSeries(runs, 1, CurveValue::exact, CurveAxis::step)[0].points[0].mean, 0.4);
    QCOMPARE(learningSeries(runs, 1, CurveValue::accuracy, CurveAxis::step)[0].points[0].mean, 0.5);
    const auto two = learningSeries(runs, 2, CurveValue::loss, CurveAxis::step);
    QCOMPARE(two[1].arm, 1);
    QVERIFY(two[1].points.empty());
}

QTEST_APPLESS_MAIN(LearningSeriesTest)
#include "tst_learning_series.moc"
