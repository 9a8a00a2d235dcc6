#include "app/headloom/options.h"

#include <QTest>

using namespace headloom;

class WindowOptionsTest : public QObject {
    Q_OBJECT
  private slots:
    void readsEverything();
    void refusesInOneSentence_data();
    void refusesInOneSentence();
};

void WindowOptionsTest::readsEverything() {
    const auto options =
        parseOptions({"headloom", "a.safetensors", "b.safetensors", "--example", "four-witnesses",
                      "--step", "9", "--theme", "light", "--scale", "1.5", "--size", "1280x800",
                      "--screenshot", "x.png", "--fresh"});
    QVERIFY(options);
    QCOMPARE(options->models, (QStringList{"a.safetensors", "b.safetensors"}));
    QCOMPARE(options->example, QString("four-witnesses"));
    QCOMPARE(options->step, 9);
    QCOMPARE(options->theme, QString("light"));
    QCOMPARE(options->scale, 1.5);
    QCOMPARE(options->size, QSize(1280, 800));
    QCOMPARE(options->screenshot, QString("x.png"));
    QVERIFY(options->fresh);
    const auto none = parseOptions({"headloom"});
    QVERIFY(none && none->step == -1 && none->scale == 0 && !none->size.isValid());
    QVERIFY(parseOptions({"headloom", "--scale", "0.8"}) &&
            parseOptions({"headloom", "--scale", "2.5"}));
}

void WindowOptionsTest::refusesInOneSentence_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown option") << QStringList{"--frobnicate"} << "frobnicate";
    QTest::newRow("theme") << QStringList{"--theme", "pink"} << "pink";
    QTest::newRow("scale too large") << QStringList{"--scale", "2.6"} << "2.6";
    QTest::newRow("scale no number") << QStringList{"--scale", "big"} << "big";
    QTest::newRow("scale nan") << QStringList{"--scale", "nan"} << "nan";
    QTest::newRow("size") << QStringList{"--size", "1280"} << "1280";
    QTest::newRow("size tiny") << QStringList{"--size", "10x10"} << "10x10";
    QTest::newRow("step") << QStringList{"--step", "-1"} << "-1";
    QTest::newRow("step no number") << QStringList{"--step", "two"} << "two";
    QTest::newRow("no file") << QStringList{"--screenshot", ""} << "--screenshot";
    QTest::newRow("missing value") << QStringList{"--size"} << "size";
    QTest::newRow("three models") << QStringList{"a", "b", "c"} << "two";
}

void WindowOptionsTest::refusesInOneSentence() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const auto options = parseOptions(QStringList{"headloom"} + arguments);
    QVERIFY(!options);
    const QString sentence = QString::fromStdString(options.error().sentence());
    QVERIFY2(sentence.contains(says), qPrintable(sentence));
    QVERIFY(sentence.endsWith('.') && !sentence.contains('\n'));
}

QTEST_GUILESS_MAIN(WindowOptionsTest)
#include "tst_window_options.moc"
