// How long frames of a HeatmapView take: 512 tiles of 128 x 128 at 1920 x 1080, painted by the
// raster renderer into the window's backing store as on screen. 60 frames a second leave 16.7 ms.
//   QT_QPA_PLATFORM=offscreen bench_heatmap [FRAMES]
#include "tests/support/sample_maps.h"
#include "views/heatmap/heatmap_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QWheelEvent>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

namespace headloom {
namespace {

/// Time this thread has computed, which other programs on the machine do not lengthen much.
double cpuMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// Calls `change` and repaints at once, `frames` times; prints the median and the 95th percentile
/// by the clock, and the median of the time computed.
void measure(const char* name, HeatmapView& view, int frames,
             const std::function<void(int frame)>& change) {
    std::vector<double> times, computed;
    for (int frame = 0; frame < frames; ++frame) {
        const auto start = std::chrono::steady_clock::now();
        const double cpu = cpuMilliseconds();
        change(frame);
        view.repaint();
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - start;
        times.push_back(took.count());
        computed.push_back(cpuMilliseconds() - cpu);
    }
    const auto quantile = [](std::vector<double>& of, double share) {
        std::sort(of.begin(), of.end());
        return of[std::min(of.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(of.size())))];
    };
    std::printf("%-42s median %6.2f ms   95%% %6.2f ms   computed %6.2f ms\n", name,
                quantile(times, 0.5), quantile(times, 0.95), quantile(computed, 0.5));
}

void turnWheel(HeatmapView& view, const QPoint& at, int angle) {
    QWheelEvent turn(at, view.mapToGlobal(at), {}, QPoint(0, angle), Qt::NoButton, {},
                     Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &turn);
}

void drag(HeatmapView& view, const QPoint& from, const QPoint& to, QEvent::Type type) {
    QMouseEvent event(type, type == QEvent::MouseButtonPress ? from : to, view.mapToGlobal(to),
                      type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton, Qt::LeftButton,
                      Qt::NoModifier);
    QApplication::sendEvent(&view, &event);
}

/// Pans back and forth while the button is held.
void measurePan(const char* name, HeatmapView& view, int frames) {
    const QPoint start(960, 540);
    drag(view, start, start, QEvent::MouseButtonPress);
    measure(name, view, frames, [&](int frame) {
        const int swing = static_cast<int>(300 * std::sin(frame * 0.13));
        drag(view, start, start + QPoint(swing, swing / 2 + 20), QEvent::MouseMove);
    });
    drag(view, start, start, QEvent::MouseButtonRelease);
}

}  // namespace
}  // namespace headloom

int main(int argc, char** argv) {
    using namespace headloom;
    QApplication application(argc, argv);
    const int frames = argc > 1 ? std::max(1, QString(argv[1]).toInt()) : 200;
    const Theme theme;
    HeatmapView view(theme);
    view.setRendererChoice(RendererChoice::raster);
    view.resize(1920, 1080);
    MapSheet sheet = sampleSheet(16, 32, 128);
    sheet.currentRow = 127;
    view.show();
    QApplication::processEvents();
    std::printf("512 tiles of 128 x 128 at %d x %d, device-pixel ratio %.2f, %d frames each\n",
                view.width(), view.height(), view.devicePixelRatioF(), frames);

    MapSheet other = sampleSheet(16, 32, 128);  // the same values elsewhere: new data to the view
    other.currentRow = 127;
    const auto replace = [&](int frame) { view.setSheet(frame % 2 == 0 ? sheet : other); };
    const int few = std::max(1, frames / 10);
    measure("new data, linear", view, few, replace);
    view.setScale({ScaleCurve::logarithmic, false, false, 0});
    measure("new data, logarithmic", view, few, replace);
    view.setScale({});
    measure("step of the chain, back and forth", view, frames, [&](int frame) {
        MapSheet next = sheet;
        next.currentRow = 100 + frame % 27;
        view.setSheet(std::move(next));
    });
    view.setSheet(sheet);
    measure("hover, whole sheet in view", view, frames, [&](int frame) {
        view.setCursorCell(MapCell{frame % 512, 60, 30});
    });
    const QPoint middle(960, 540);
    measure("zoom in and out, 0.5 to 6 pixels a cell", view, frames,
            [&](int frame) { turnWheel(view, middle, frame / 22 % 2 == 0 ? 60 : -60); });
    view.resetZoom();
    turnWheel(view, middle, 120);
    measurePan("pan, 0.6 pixels a cell", view, frames);
    turnWheel(view, middle, 480);
    measurePan("pan, 1.5 pixels a cell", view, frames);
    turnWheel(view, middle, 1200);
    measurePan("pan, 14 pixels a cell", view, frames);
    turnWheel(view, middle, 3000);
    measurePan("pan, 96 pixels a cell with values", view, frames);
    return 0;
}
