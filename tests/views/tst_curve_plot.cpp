#include "views/plots/curve_plot.h"
#include "views/plots/plot_export.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace headloom;

namespace {

PlotContent content() {
    PlotContent plot;
    plot.title = "Loss";
    plot.xTitle = "step";
    plot.series = {{"MHA", Qt::blue, Qt::SolidLine, {{0, 1, 0.9, 1.1}, {100, 0.5, 0.5, 0.5}}},
                   {"IHA, \"quoted\"", Qt::red, Qt::DashLine, {{50, 0.25, 0.2, 0.3}}}};
    plot.levels = {{0.75, "chance"}};
    plot.marks = {0, 50, 100};
    return plot;
}

}  // namespace

class CurvePlotTest : public QObject {
    Q_OBJECT
  private slots:
    void readsAllCurvesAtOnePlace();
    void aClickAndTheKeyboardChoose();
    void writesNumbersAndPictures();
    void refusesOtherEndings();
};

void CurvePlotTest::readsAllCurvesAtOnePlace() {
    const Theme theme;
    CurvePlot plot(theme);
    plot.resize(400, 200);
    plot.setContent(content());
    QVERIFY(plot.readout().isEmpty());
    plot.show();
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_End);
    QCOMPARE(plot.readout(), QString("step 100.0 · MHA 0.5000"));
    for (int i = 0; i < 50; ++i) QTest::keyClick(&plot, Qt::Key_Left);
    QVERIFY2(plot.readout().startsWith("step 50.0 · MHA 1.0000 (0.9000 to 1.1000)"),
             qPrintable(plot.readout()));
    QTest::keyClick(&plot, Qt::Key_Home);
    QCOMPARE(plot.readout(), QString("step 0.0 · MHA 1.0000 (0.9000 to 1.1000)"));
    QTest::keyClick(&plot, Qt::Key_Escape);
    QVERIFY(plot.readout().isEmpty());
    const PlotSeries& late = plot.content().series[1];
    QVERIFY(!pointAt(late, 49));
    QCOMPARE(pointAt(late, 50)->y, 0.25);
    QVERIFY(!pointAt(late, 51));  // it has ended
}

void CurvePlotTest::aClickAndTheKeyboardChoose() {
    const Theme theme;
    CurvePlot plot(theme);
    plot.resize(400, 200);
    plot.setContent(content());
    plot.show();
    QSignalSpy chosen(&plot, &CurvePlot::chosen);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, QPoint(399, 100));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].toDouble(), 100.0);  // right of the plot is its end
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Home);
    QTest::keyClick(&plot, Qt::Key_Return);
    QCOMPARE(chosen[1][0].toDouble(), 0.0);
}

void CurvePlotTest::writesNumbersAndPictures() {
    const Theme theme;
    CurvePlot plot(theme);
    plot.setContent(content());
    QTemporaryDir folder;
    const auto written = [&](const char* name) {
        const QString path = folder.filePath(name);
        const auto done = exportPlots({&plot, &plot}, theme, path);
        QFile file(path);
        return done && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray table = written("a.csv");
    QVERIFY(table.startsWith("plot,series,x,mean,low,high\n\"Loss\",\"MHA\",0,1,0.9,1.1\n"));
    QVERIFY(table.contains("\"IHA, \"\"quoted\"\"\",50,0.25,0.2,0.3\n"));
    const QByteArray svg = written("a.svg");
    QVERIFY(svg.contains("<svg"));
    // a picture in a paper has no set-up beside it that names its lines
    for (const PlotSeries& series : plot.content().series)
        QVERIFY(svg.contains(series.name.toHtmlEscaped().toUtf8()));
    QVERIFY(written("a.pdf").startsWith("%PDF"));
}

void CurvePlotTest::refusesOtherEndings() {
    const Theme theme;
    CurvePlot plot(theme);
    QTemporaryDir folder;
    const auto other = exportPlots({&plot}, theme, folder.filePath("a.doc"));
    QVERIFY(!other);
    QVERIFY(other.error().sentence().find("use .svg, .pdf or .csv") != std::string::npos);
    QVERIFY(!exportPlots({&plot}, theme, folder.filePath("no/such/a.csv")));
}

QTEST_MAIN(CurvePlotTest)
#include "tst_curve_plot.moc"
