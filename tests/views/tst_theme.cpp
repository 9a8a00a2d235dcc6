#include "views/theme/style.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>

using namespace headloom;

class ThemeTest : public QObject {
    Q_OBJECT
  private slots:
    void textCanBeRead_data();
    void textCanBeRead();
    void saysThatItChanged();
    void scalesFontsAndLengths();
    void fillsInItsStyleSheet();
    void dressesTheApplication();
    void zeroMatchesTheGround();
};

void ThemeTest::textCanBeRead_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("dark") << static_cast<int>(ThemeKind::dark);
    QTest::newRow("light") << static_cast<int>(ThemeKind::light);
}

void ThemeTest::textCanBeRead() {
    QFETCH(int, kind);
    const ThemeColours c = coloursOf(static_cast<ThemeKind>(kind));
    // WCAG 2.1: 7 is AAA and 4.5 AA for text, 3 for parts of the interface
    for (const QColor& ground : {c.window, c.panel, c.raised, c.accentWash}) {
        QVERIFY(contrast(c.text, ground) >= 7);
    }
    for (const QColor& ground : {c.window, c.panel}) {
        QVERIFY(contrast(c.textSoft, ground) >= 4.5);
        QVERIFY(contrast(c.textFaint, ground) >= 3);
        QVERIFY(contrast(c.danger, ground) >= 4.5);
        for (const QColor& mark : {c.accent, c.mha, c.iha, c.outline}) {
            QVERIFY(contrast(mark, ground) >= 3);
        }
    }
    QVERIFY(contrast(c.onAccent, c.accent) >= 4);
    // masked and pending cells look neither like each other nor like the smallest share
    QVERIFY(c.masked != c.hatchLine && c.masked != c.sink && c.sink != c.hatchLine);
}

void ThemeTest::saysThatItChanged() {
    Theme theme(ThemeKind::dark);
    const QSignalSpy changes(&theme, &Theme::changed);
    theme.setKind(ThemeKind::dark);
    theme.setScale(1);
    QCOMPARE(changes.count(), 0);
    theme.setKind(ThemeKind::light);
    theme.setScale(2);
    theme.setSharePalette(SharePalette::cividis);
    QCOMPARE(changes.count(), 3);
    theme.setScale(99);
    QCOMPARE(theme.scale(), 3.0);
}

void ThemeTest::scalesFontsAndLengths() {
    Theme theme;
    QCOMPARE(theme.font(TextRole::body).pixelSize(), 13);
    QCOMPARE(theme.pixels(6), 6);
    theme.setScale(2);
    QCOMPARE(theme.font(TextRole::body).pixelSize(), 26);
    QCOMPARE(theme.pixels(6), 12);
    QVERIFY(theme.font(TextRole::token).families().contains("DejaVu Sans Mono"));
}

void ThemeTest::fillsInItsStyleSheet() {
    Theme theme;
    for (double scale : {0.75, 1.0, 2.5}) {
        theme.setScale(scale);
        const QString sheet = styleSheetOf(theme);
        QVERIFY(!sheet.isEmpty());
        QVERIFY(!sheet.contains('@'));
        QVERIFY(sheet.contains(QStringLiteral("border: 1px solid")) || scale > 1);
    }
}

void ThemeTest::dressesTheApplication() {
    Theme theme(ThemeKind::light);
    dress(*qApp, theme);
    QCOMPARE(qApp->palette().color(QPalette::Window), theme.colours().window);
    QCOMPARE(qApp->font().pixelSize(), 13);
    theme.setKind(ThemeKind::dark);
    dress(*qApp, theme);
    QCOMPARE(qApp->palette().color(QPalette::Window), theme.colours().window);
}

void ThemeTest::zeroMatchesTheGround() {
    const Theme light(ThemeKind::light), dark(ThemeKind::dark);
    // a map full of zeros must not shine out of its panel
    QVERIFY(contrast(QColor(light.shares().entries[0]), light.colours().panel) < 1.1);
    QVERIFY(luminance(QColor(dark.shares().entries[0])) < luminance(dark.colours().panel));
    QVERIFY(luminance(QColor(dark.diverging().entries[128])) < luminance(dark.colours().panel));
    Theme cividis(ThemeKind::light);
    cividis.setSharePalette(SharePalette::cividis);
    QVERIFY(luminance(QColor(cividis.shares().entries[0])) >
            luminance(QColor(cividis.shares().entries[255])));
}

QTEST_MAIN(ThemeTest)
#include "tst_theme.moc"
