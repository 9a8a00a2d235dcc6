#include "tests/views/session_fixture.h"

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QProcessEnvironment>

using namespace headloom;

namespace {

struct Ended {
    int code = -1;
    QString out, err;
    QStringList sentences() const { return err.split('\n', Qt::SkipEmptyParts); }
};

/// Runs the program as a user without a display would.
Ended runProgram(const QStringList& arguments, const QString& folder) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(name);
    environment.insert("XDG_RUNTIME_DIR", folder);
    environment.insert("XDG_CONFIG_HOME", folder);
    environment.remove("QT_LOGGING_RULES");
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder);
    process.start(HEADLOOM_PROGRAM, arguments);
    Ended ended;
    if (!process.waitForFinished(60'000)) {
        process.kill();
        return ended;
    }
    ended.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
    ended.out = process.readAllStandardOutput();
    ended.err = process.readAllStandardError();
    return ended;
}

}  // namespace

class WindowProgramTest : public QObject {
    Q_OBJECT
  private slots:
    void rendersAScreenshot();
    void withoutADisplayItRendersAPicture();
    void refusesInOneSentence_data();
    void refusesInOneSentence();
    void saysItsVersionAndHelp();

  private:
    UntrainedAssets assets_;
};

void WindowProgramTest::rendersAScreenshot() {
    QTemporaryDir folder;
    for (const char* theme : {"dark", "light"}) {
        const QString file = folder.filePath(QString(theme) + ".png");
        const Ended ended =
            runProgram({"--fresh", "--theme", theme, "--size", "1280x800", "--scale", "1",
                        "--example", "look-back-bank", "--step", "9", "--screenshot", file},
                       folder.path());
        QCOMPARE(ended.code, 0);
        QCOMPARE(ended.out.trimmed(), file);
        QCOMPARE(QImage(file).size(), QSize(1280, 800));
    }
    const QRgb dark = QImage(folder.filePath("dark.png")).pixel(3, 300),
               light = QImage(folder.filePath("light.png")).pixel(3, 300);
    QVERIFY(qGray(dark) < 64 && qGray(light) > 192);
}

void WindowProgramTest::withoutADisplayItRendersAPicture() {
    QTemporaryDir folder;
    const Ended ended = runProgram({"--fresh"}, folder.path());
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.sentences().size(), 1);
    QVERIFY2(ended.err.contains("no display"), qPrintable(ended.err));
    const QString file = QDir(folder.path()).filePath("headloom.png");
    QVERIFY(ended.out.trimmed().endsWith("headloom.png"));
    QVERIFY(!QImage(file).isNull());
}

void WindowProgramTest::refusesInOneSentence_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown option") << QStringList{"--frobnicate"} << "frobnicate";
    QTest::newRow("unknown example")
        << QStringList{"--example", "nowhere", "--screenshot", "x.png"} << "four-witnesses";
    QTest::newRow("missing model")
        << QStringList{"nowhere.safetensors", "--screenshot", "x.png"} << "nowhere.safetensors";
    QTest::newRow("foreign file") << QStringList{"foreign.txt", "--screenshot", "x.png"}
                                  << "foreign.txt";
    QTest::newRow("no such folder")
        << QStringList{"--screenshot", "no/such/folder/x.png"} << "no/such/folder/x.png";
    QTest::newRow("bad backend") << QStringList{"--backend", "tpu"} << "tpu";
    QTest::newRow("bad theme") << QStringList{"--theme", "pink"} << "pink";
}

void WindowProgramTest::refusesInOneSentence() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    QTemporaryDir folder;
    QFile foreign(folder.filePath("foreign.txt"));
    QVERIFY(foreign.open(QIODevice::WriteOnly) && foreign.write("not a model") > 0);
    foreign.close();
    const Ended ended = runProgram(QStringList{"--fresh"} + arguments, folder.path());
    QCOMPARE(ended.code, 2);
    QCOMPARE(ended.sentences().size(), 1);
    QVERIFY2(ended.err.contains(says), qPrintable(ended.err));
    QVERIFY(!QFile::exists(folder.filePath("x.png")));
}

void WindowProgramTest::saysItsVersionAndHelp() {
    QTemporaryDir folder;
    const Ended version = runProgram({"--version"}, folder.path());
    QCOMPARE(version.code, 0);
    QVERIFY(version.out.startsWith("headloom "));
    const Ended help = runProgram({"--help"}, folder.path());
    QCOMPARE(help.code, 0);
    QVERIFY2(help.out.startsWith("Usage: headloom [options]"), qPrintable(help.out));
    for (const char* option : {"--backend", "--example", "--step", "--theme", "--scale", "--size",
                               "--screenshot", "--fresh", "MODEL"})
        QVERIFY2(help.out.contains(option), option);
}

QTEST_GUILESS_MAIN(WindowProgramTest)
#include "tst_window_program.moc"
