#include "views/theme/colour_table.h"

#include <QTest>

#include <cmath>

using namespace headloom;

class ColourTableTest : public QObject {
    Q_OBJECT
  private slots:
    void sharesRunOneWayInLightness_data();
    void sharesRunOneWayInLightness();
    void signedTablesGrowAlikeFromTheMiddle_data();
    void signedTablesGrowAlikeFromTheMiddle();
    void fillsInBetween();
    void saysWhatIsWrongWithAPalette_data();
    void saysWhatIsWrongWithAPalette();
};

void ColourTableTest::sharesRunOneWayInLightness_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("direction");
    QTest::newRow("inferno") << "inferno" << 1;
    QTest::newRow("cividis") << "cividis" << 1;
    QTest::newRow("ink") << "ink" << -1;
}

void ColourTableTest::sharesRunOneWayInLightness() {
    QFETCH(QString, name);
    QFETCH(int, direction);
    const ColourTable table = builtInColourTable(name);
    for (std::size_t i = 1; i < 256; ++i) {
        const double step = okLightness(table.entries[i]) - okLightness(table.entries[i - 1]);
        // one step of an 8-bit channel moves lightness by up to 0.004, so neighbours may tie
        QVERIFY2(direction * step > -0.004, qPrintable(QString::number(i)));
    }
    const double range = okLightness(table.entries[255]) - okLightness(table.entries[0]);
    // cividis begins at a lightness of 0.25 and ends at 0.92: less and small shares would drown
    QVERIFY(direction * range > 0.6);
}

void ColourTableTest::signedTablesGrowAlikeFromTheMiddle_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("outward");
    QTest::newRow("dark") << "prgn-dark" << 1;
    QTest::newRow("light") << "prgn-light" << -1;
}

void ColourTableTest::signedTablesGrowAlikeFromTheMiddle() {
    QFETCH(QString, name);
    QFETCH(int, outward);
    const ColourTable table = builtInColourTable(name);
    for (int d = 1; d <= 127; ++d) {
        const auto lightness = [&](int index) {
            return okLightness(table.entries[static_cast<std::size_t>(index)]);
        };
        // one step of an 8-bit channel moves lightness by up to 0.004
        QVERIFY(outward * (lightness(128 + d) - lightness(127 + d)) > -0.004);
        QVERIFY(outward * (lightness(128 - d) - lightness(129 - d)) > -0.004);
        // a sign never looks stronger than the other of the same size: 0.06 is hardly seen
        QVERIFY(std::fabs(lightness(128 + d) - lightness(128 - d)) < 0.06);
    }
    // red exceeds green for negative values and falls short of it for positive ones, so the
    // common red-green blindness still sees two hues apart in blue
    const QRgb negative = table.entries[30], positive = table.entries[226];
    QVERIFY(qBlue(negative) > qGreen(negative) + 30);
    QVERIFY(qGreen(positive) > qBlue(positive) + 20);
}

void ColourTableTest::fillsInBetween() {
    const ColourTable table = ColourTable::from({0xff000000u, 0xffffffffu});
    QCOMPARE(table.entries[0], 0xff000000u);
    QCOMPARE(table.entries[255], 0xffffffffu);
    const QRgb middle = table.entries[128];
    QVERIFY(qRed(middle) == qGreen(middle) && qGreen(middle) == qBlue(middle));
    // half of OKLab lightness is a linear light of 1/8, sRGB 99
    QVERIFY(std::abs(qRed(middle) - 99) <= 1);
}

void ColourTableTest::saysWhatIsWrongWithAPalette_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("where");
    QTest::newRow("not a colour") << QByteArray("000000\nred\n") << "x, line 2";
    QTest::newRow("too short") << QByteArray("# only one\nffffff\n") << "x";
    QTest::newRow("empty") << QByteArray() << "x";
    QTest::newRow("a sign") << QByteArray("+00000\nffffff") << "x, line 1";
    QTest::newRow("too many") << QByteArray("ffffff\n").repeated(257) << "x, line 257";
}

void ColourTableTest::saysWhatIsWrongWithAPalette() {
    QFETCH(QByteArray, text);
    QFETCH(QString, where);
    const auto table = parseColourTable(text, "x");
    QVERIFY(!table);
    QCOMPARE(QString::fromStdString(table.error().where), where);
}

QTEST_APPLESS_MAIN(ColourTableTest)
#include "tst_colour_table.moc"
