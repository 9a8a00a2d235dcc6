#include "views/heatmap/colour_scale.h"

#include <QTest>

#include <cmath>

using namespace headloom;

class ColourScaleTest : public QObject {
    Q_OBJECT
  private slots:
    void mapsSharesToIndices_data();
    void mapsSharesToIndices();
    void mapsSignedValuesAboutTheMiddle();
    void mapsEverythingToZeroWithoutAMaximum();
    void neverFallsWithTheValue();
    void marksTheBar_data();
    void marksTheBar();
};

void ColourScaleTest::mapsSharesToIndices_data() {
    QTest::addColumn<int>("curve");
    QTest::addColumn<float>("value");
    QTest::addColumn<int>("index");
    const int linear = 0, root = 1, logarithm = 2;
    // the maximum is 0.5; by hand: 255 * 0.5 = 127.5 -> 128, 255 * sqrt(0.25) = 127.5 -> 128
    QTest::newRow("zero") << linear << 0.0f << 0;
    QTest::newRow("half") << linear << 0.25f << 128;
    QTest::newRow("maximum") << linear << 0.5f << 255;
    QTest::newRow("above") << linear << 2.0f << 255;
    QTest::newRow("below") << linear << -0.3f << 0;
    QTest::newRow("root of a quarter") << root << 0.125f << 128;
    QTest::newRow("root of all") << root << 0.5f << 255;
    // four decades: a hundredth is half way
    QTest::newRow("a hundredth") << logarithm << 0.005f << 128;
    QTest::newRow("last decade") << logarithm << 0.00005f << 0;
    QTest::newRow("beyond it") << logarithm << 0.000001f << 0;
    QTest::newRow("log of zero") << logarithm << 0.0f << 0;
    QTest::newRow("log of all") << logarithm << 0.5f << 255;
}

void ColourScaleTest::mapsSharesToIndices() {
    QFETCH(int, curve);
    QFETCH(float, value);
    QFETCH(int, index);
    const ValueMapping mapping{0.5f, static_cast<ScaleCurve>(curve), false};
    QCOMPARE(mapping.indexOf(value), index);
}

void ColourScaleTest::mapsSignedValuesAboutTheMiddle() {
    const ValueMapping mapping{2, ScaleCurve::linear, true};
    QCOMPARE(mapping.indexOf(0), 128);
    QCOMPARE(mapping.indexOf(2), 255);
    QCOMPARE(mapping.indexOf(-2), 1);
    QCOMPARE(mapping.indexOf(-9), 1);
    QCOMPARE(mapping.indexOf(1), 192);  // 128 + 63.5, rounded
    for (float value : {0.1f, 0.7f, 1.3f}) {
        QCOMPARE(mapping.indexOf(value) - 128, 128 - mapping.indexOf(-value));
    }
}

void ColourScaleTest::mapsEverythingToZeroWithoutAMaximum() {
    QCOMPARE((ValueMapping{0, ScaleCurve::logarithmic, false}.indexOf(1)), 0);
    QCOMPARE((ValueMapping{0, ScaleCurve::linear, true}.indexOf(-1)), 128);
}

void ColourScaleTest::neverFallsWithTheValue() {
    for (ScaleCurve curve : {ScaleCurve::linear, ScaleCurve::squareRoot, ScaleCurve::logarithmic}) {
        for (bool isSigned : {false, true}) {
            const ValueMapping mapping{0.9f, curve, isSigned};
            int before = 0;
            for (int i = -1000; i <= 1000; ++i) {
                const int index = mapping.indexOf(static_cast<float>(i) / 1000);
                QVERIFY(index >= before && index <= 255);
                before = index;
            }
        }
    }
}

void ColourScaleTest::marksTheBar_data() {
    QTest::addColumn<float>("maximum");
    QTest::addColumn<int>("curve");
    QTest::addColumn<bool>("isSigned");
    QTest::addColumn<QString>("labels");
    QTest::newRow("one") << 1.0f << 0 << false << "0 0.2 0.4 0.6 0.8 1";
    QTest::newRow("crooked") << 0.87f << 0 << false << "0 0.2 0.4 0.6 0.87";
    QTest::newRow("log") << 1.0f << 2 << false << "0 0.001 0.01 0.1 1";
    QTest::newRow("signed") << 1.5f << 0 << true << "−1.5 −1 0 1 1.5";
    QTest::newRow("nothing") << 0.0f << 0 << false << "0";
    QTest::newRow("tiny") << 2e-7f << 1 << false << "0 5e-08 1e-07 1.5e-07 2e-07";
}

void ColourScaleTest::marksTheBar() {
    QFETCH(float, maximum);
    QFETCH(int, curve);
    QFETCH(bool, isSigned);
    QFETCH(QString, labels);
    const ValueMapping mapping{maximum, static_cast<ScaleCurve>(curve), isSigned};
    QStringList found;
    double before = -1;
    for (const ScaleTick& tick : ticksOf(mapping, 6)) {
        found << tick.label;
        QVERIFY(tick.position > before && tick.position <= 1);
        before = tick.position;
    }
    QCOMPARE(found.join(' '), labels);
}

QTEST_APPLESS_MAIN(ColourScaleTest)
#include "tst_colour_scale.moc"
