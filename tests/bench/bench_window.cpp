// How long the window takes: from a step to the pixels of the next one, and from nothing to the
// first picture. Painted into the window's backing store, as on screen.
//   QT_QPA_PLATFORM=offscreen bench_window [STEPS] [steps|drag|bank|training|start]
#include "app/headloom/picture.h"
#include "views/panels/change_panel.h"
#include "views/panels/instruments.h"
#include "views/panels/side_panel.h"
#include "views/window/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace headloom {
namespace {

/// Time this thread has computed, which other programs on the machine do not lengthen much.
double cpuMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double quantile(std::vector<double> of, double share) {
    std::sort(of.begin(), of.end());
    return of[std::min(of.size() - 1,
                       static_cast<std::size_t>(share * static_cast<double>(of.size())))];
}

void print(const char* name, const std::vector<double>& times, const std::vector<double>& cpu) {
    std::printf("%-44s median %7.2f ms   95%% %7.2f ms   computed %7.2f ms\n", name,
                quantile(times, 0.5), quantile(times, 0.95), quantile(cpu, 0.5));
}

/// Calls `change` and lets everything that follows from it reach the window's pixels.
void measure(const char* name, MainWindow& window, int count, const std::function<void()>& change) {
    std::vector<double> times, computed;
    for (int i = 0; i < count; ++i) {
        QElapsedTimer clock;
        clock.start();
        const double cpu = cpuMilliseconds();
        change();
        settle(window);
        computed.push_back(cpuMilliseconds() - cpu);
        times.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
    }
    print(name, times, computed);
}

void firstPicture(const QString& program, int count) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("first.png"));
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        QElapsedTimer clock;
        clock.start();
        QProcess process;
        process.setStandardErrorFile(QProcess::nullDevice());
        process.start(program, {"--fresh", "--size", "1600x1000", "--screenshot", file});
        process.waitForFinished(60'000);
        times.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
    }
    std::printf("%-44s median %7.2f ms   fastest %5.2f ms\n",
                "start of the program to first picture", quantile(times, 0.5), quantile(times, 0));
}

void benchExample(MainWindow& window, const QString& example, int count) {
    ExploreViewModel& model = window.model();
    model.session().openExample(example);
    settle(window);
    model.goToFirst();
    settle(window);
    const auto name = [&example](const char* what) {
        return (example + QLatin1String(": ") + QLatin1String(what)).toUtf8();
    };
    measure(name("step to new pixels"), window, count, [&model] {
        const int before = model.stepIndex();
        model.goForward();
        if (model.stepIndex() == before) model.goToFirst();
    });
    int head = 0;
    measure(name("open another tile"), window, count, [&model, &head] {
        head = 1 - head;
        model.selection().setOpen(Side::right, MapRef::tile(head, 0, 1));
    });
    int key = 0;
    measure(name("move the cursor"), window, count, [&model, &key] {
        key = (key + 1) % 4;
        model.selection().setCell(
            CellRef{Side::right, model.selection().open(Side::right), 4, key});
    });
    int index = 0;
    measure(name("another example, run by both models"), window, count,
            [&model, &index] { model.session().setExampleIndex(++index); });
}

/// A mixing weight under the pointer, from the new value to the pixels of both maps and answers.
void benchDrag(MainWindow& window, const QString& example, int count) {
    ExploreViewModel& model = window.model();
    model.session().openExample(example);
    settle(window);
    const auto drag = [&](const char* what) {
        const int gesture = model.edits().newGesture();
        float value = 0;
        measure((example + QLatin1String(": ") + QLatin1String(what)).toUtf8(), window, count, [&] {
            value = value > 1 ? -1 : value + 0.01F;
            model.edits().setWeight(Side::right, {0, MixingTensor::alphaQ, {0, 0, 0}}, value,
                                    gesture);
        });
    };
    drag("drag a weight to new pixels");
    window.instruments().show(&window.change());
    settle(window);
    drag("the same beside Change");
    ChangePanel& change = window.change();
    PartRanking::Question question;
    question.layerOnly = true;
    model.selection().setLayer(0);
    measure((example + QLatin1String(": rank the layer's tiles")).toUtf8(), window, 5, [&] {
        change.ranking().start(question);
        while (change.ranking().running()) QApplication::processEvents(QEventLoop::AllEvents, 5);
    });
    std::printf("%-44s %zu tiles\n", "", change.ranking().effects().size());
    window.instruments().show(&window.side());
    model.edits().resetMixing();
    settle(window);
}

/// The window while twelve runs train: whether it stays smooth, and how often its maps move.
void benchTraining(MainWindow& window, int count) {
    ExploreViewModel& model = window.model();
    model.session().openExample(QStringLiteral("four-witnesses"));
    settle(window);
    window.setPage(Page::train);
    window.training().setup().setSteps(100'000);
    window.training().start();
    int moved = 0;
    QObject::connect(&model.session(), &ExploreSession::answered, &window, [&moved] { ++moved; });
    // The longest that the event loop was kept from its next turn.
    QElapsedTimer whole, turn;
    double longest = 0;
    std::vector<double> turns;
    for (whole.start(); whole.elapsed() < 5000;) {
        turn.start();
        QApplication::processEvents(QEventLoop::AllEvents, 16);
        turns.push_back(static_cast<double>(turn.nsecsElapsed()) * 1e-6);
        longest = std::max(longest, turns.back());
        QThread::msleep(1);
    }
    std::printf("%-44s %5.1f a second, event loop turns 99%% %6.2f ms, longest %6.2f ms\n",
                "training: new pictures of both columns", moved / 5.0, quantile(turns, 0.99),
                longest);
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        QElapsedTimer clock;
        clock.start();
        model.goForward();
        if (model.stepIndex() + 1 == static_cast<int>(model.steps().size())) model.goToFirst();
        QApplication::sendPostedEvents();
        QApplication::processEvents();
        times.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
    }
    std::printf("%-44s median %7.2f ms   95%% %7.2f ms\n", "training: step to new pixels",
                quantile(times, 0.5), quantile(times, 0.95));
    window.training().reset();
    window.setPage(Page::explore);
}

/// A slider of the polynomial bank: both constructions built and run, and their pictures drawn.
void benchBank(MainWindow& window, const char* name, const BankSize& size, int count) {
    window.setPage(Page::theory);
    TheoryBankModel& bank = window.theoryBank();
    const auto work = [&bank] {
        while (bank.busy())
            QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    };
    bank.setSize(size);
    work();
    int fewer = 0;
    measure(name, window, count, [&] {
        fewer = 1 - fewer;
        bank.setSize({size.nFilters - fewer, size.nNodes, size.dNode});
        work();
    });
    window.setPage(Page::explore);
}

}  // namespace
}  // namespace headloom

int main(int argc, char** argv) {
    using namespace headloom;
    QApplication application(argc, argv);
    const int count = argc > 1 ? std::max(1, std::atoi(argv[1])) : 60;
    Appearance appearance;
    ExploreViewModel model;
    MainWindow window(model, appearance);
    window.resize(1600, 1000);
    window.show();
    const auto wanted = [only = argc > 2 ? std::string(argv[2]) : std::string()](const char* part) {
        return only.empty() || only == part;
    };
    if (wanted("steps"))
        for (const char* example : {"four-witnesses", "pointer-chain", "look-back-bank"})
            benchExample(window, QString::fromLatin1(example), count);
    if (wanted("drag"))
        for (const char* example : {"four-witnesses", "pointer-chain"})
            benchDrag(window, QString::fromLatin1(example), count);
    if (wanted("bank")) {
        benchBank(window, "polynomial bank N = 64, k = 16: slider", {16, 64, 1}, count);
        benchBank(window, "polynomial bank N = 128, k = 64: slider", {64, 128, 1}, count);
    }
    if (wanted("training")) benchTraining(window, count);
    if (wanted("start")) firstPicture(QCoreApplication::applicationDirPath() + "/headloom", 5);
    return 0;
}
