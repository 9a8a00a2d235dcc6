#include "views/plots/plot_axis.h"

#include <QTest>

#include <cmath>

using namespace headloom;

class PlotAxisTest : public QObject {
    Q_OBJECT
  private slots:
    void mapsThereAndBack();
    void ticksAreRound();
    void logarithmicTicks();
    void roundEnds();
};

void PlotAxisTest::mapsThereAndBack() {
    const PlotAxis plain{10, 30, false}, log{0.01, 100, true};
    QCOMPARE(plain.share(15), 0.25);
    QCOMPARE(plain.value(0.25), 15.0);
    QCOMPARE(log.share(1), 0.5);
    QVERIFY(std::abs(log.value(0.5) - 1) < 1e-12);  // a power of a rounded ratio
    QVERIFY(std::isinf(log.share(0)));
}

void PlotAxisTest::ticksAreRound() {
    const auto ticks = PlotAxis{0, 1800, false}.ticks(5);
    QCOMPARE(ticks.size(), size_t(4));
    QCOMPARE(ticks[1], (PlotTick{500, "500"}));
    QCOMPARE(ticks[3], (PlotTick{1500, "1,500"}));
    const auto halves = PlotAxis{0, 1, false}.ticks(2);
    QCOMPARE(halves.size(), size_t(3));
    QCOMPARE(halves[1].label, QString("0.5"));
    QCOMPARE((PlotAxis{-1, 1, false}.ticks(2)[1].label), QString("0"));
}

void PlotAxisTest::logarithmicTicks() {
    const auto wide = PlotAxis{1e-6, 1, true}.ticks(4);
    QCOMPARE(wide.front().label, QStringLiteral("10⁻⁶"));
    const auto large = PlotAxis{1000, 1e13, true}.ticks(30);
    QCOMPARE(large[0].label, QStringLiteral("1,000"));
    QCOMPARE(plotNumber(-2500), QStringLiteral("-2,500"));
    QCOMPARE(plotNumber(999.5), QStringLiteral("999.5"));
    QCOMPARE(large[2].label, QStringLiteral("10⁴"));
    QCOMPARE(large[3].label, QStringLiteral("3·10⁴"));
    QCOMPARE(large.back().label, QStringLiteral("10¹³"));
    QCOMPARE((PlotAxis{-20000, 20000, false}.ticks(2)[0].label), QStringLiteral("-2·10⁴"));
    QCOMPARE(plotNumber(-1e5), QStringLiteral("-10⁵"));
    for (std::size_t i = 1; i < wide.size(); ++i)
        QVERIFY(std::abs(wide[i].value / wide[i - 1].value - 100) < 1e-6);
    const auto narrow = PlotAxis{0.03, 2, true}.ticks(5);
    QStringList labels;
    for (const PlotTick& tick : narrow) labels << tick.label;
    QCOMPARE(labels, (QStringList{"0.03", "0.1", "0.3", "1"}));
}

void PlotAxisTest::roundEnds() {
    const PlotAxis axis = roundAxis(0.13, 0.97, false);
    QVERIFY(std::abs(axis.low) < 1e-12 && std::abs(axis.high - 1) < 1e-12);
    const PlotAxis flat = roundAxis(2, 2, false);
    QVERIFY(flat.low < 2 && flat.high > 2);
    const PlotAxis log = roundAxis(0.04, 1.7, true);
    QVERIFY(std::abs(log.low - 0.03) < 1e-12);
    QCOMPARE(log.high, 1.7);
}

QTEST_APPLESS_MAIN(PlotAxisTest)
#include "tst_plot_axis.moc"
