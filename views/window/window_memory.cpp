#include "views/window/window_memory.h"

#include "views/panels/loom_panel.h"
#include "views/window/main_window.h"

#include <QSettings>
#include <QSplitter>

namespace headloom {

namespace {

QString key(const char* name) {
    return QLatin1String("window/") + QLatin1String(name);
}

}  // namespace

void remember(const MainWindow& window, QSettings& settings) {
    settings.setValue(key("geometry"), window.saveGeometry());
    settings.setValue(key("tables"), window.splitter().saveState());
    settings.setValue(key("columns"), window.loom().splitter().saveState());
    settings.setValue(key("theme"), nameOf(window.appearance().choice()));
    settings.setValue(key("percent"), window.appearance().percent());
    const DisplayOptions::Values& shown = window.model().display().values();
    settings.setValue(key("curve"), static_cast<int>(shown.curve));
    settings.setValue(key("sharedScale"), shown.sharedScale);
    settings.setValue(key("hideSink"), shown.hideSink);
    settings.setValue(key("words"), shown.words);
    settings.setValue(key("ids"), shown.ids);
    settings.setValue(key("example"), window.model().session().state().exampleId);
    settings.setValue(key("number"), window.model().session().state().exampleIndex);
    window.recent().write(settings);
}

void recall(MainWindow& window, QSettings& settings) {
    Appearance& appearance = window.appearance();
    if (const auto choice = themeChoiceFrom(settings.value(key("theme")).toString()))
        appearance.setChoice(*choice);
    if (settings.contains(key("percent")))
        appearance.setPercent(settings.value(key("percent")).toInt());
    DisplayOptions::Values shown = window.model().display().values();
    const int curve = settings.value(key("curve"), static_cast<int>(shown.curve)).toInt();
    if (curve >= 0 && curve <= static_cast<int>(DisplayOptions::Curve::log))
        shown.curve = static_cast<DisplayOptions::Curve>(curve);
    shown.sharedScale = settings.value(key("sharedScale"), shown.sharedScale).toBool();
    shown.hideSink = settings.value(key("hideSink"), shown.hideSink).toBool();
    shown.words = settings.value(key("words"), shown.words).toBool();
    shown.ids = settings.value(key("ids"), shown.ids).toBool();
    window.model().display().setValues(shown);
    window.recent().read(settings);
    window.restoreGeometry(settings.value(key("geometry")).toByteArray());
    window.splitter().restoreState(settings.value(key("tables")).toByteArray());
    window.loom().splitter().restoreState(settings.value(key("columns")).toByteArray());
}

LastExample lastExample(const QSettings& settings) {
    return {settings.value(key("example")).toString(), settings.value(key("number")).toInt()};
}

}  // namespace headloom
