#include "app/headloom/options.h"
#include "app/headloom/picture.h"
#include "core/session/bundled.h"
#include "views/window/main_window.h"
#include "views/window/window_memory.h"

#include <QApplication>
#include <QFileInfo>
#include <QLoggingCategory>
#include <QSettings>

#include <cstdio>
#include <optional>

namespace headloom {

namespace {

constexpr int badInput = 2;

int refuse(const Error& error) {
    std::fprintf(stderr, "headloom: %s\n", error.sentence().c_str());
    return badInput;
}

QStringList argumentsOf(int count, char** values) {
    QStringList list;
    for (int i = 0; i < count; ++i) list << QString::fromLocal8Bit(values[i]);
    return list;
}

bool displayMissing() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (!qEnvironmentVariableIsEmpty(name)) return false;
    return true;
}

/// The size of a picture where none was asked for.
constexpr QSize pictureSize{1600, 1000};

/// Opens what the command line asks for. Errors: an example that does not exist.
Result<void> openFirst(ExploreViewModel& model, const WindowOptions& options,
                       const LastExample& last) {
    ExploreSession& session = model.session();
    QStringList known;
    for (const ExampleInfo& example : session.examples()) known << example.id;
    if (!options.example.isEmpty() && !known.contains(options.example))
        return fail(Error::Kind::notFound, "--example",
                    "there is no example “" + options.example.toStdString() + "”",
                    "choose one of: " + known.join(QStringLiteral(", ")).toStdString());
    if (known.isEmpty()) return {};
    session.setBackend(options.backend);
    model.setStartRow(options.step);
    if (!options.example.isEmpty())
        session.openExample(options.example);
    else if (known.contains(last.id))
        session.openExample(last.id, last.index);
    else
        session.openExample(known.front());
    for (qsizetype i = 0; i < options.models.size(); ++i)
        if (const auto file = findModelFile(options.models[i].toStdString()); file)
            session.openFile(i == 0 ? Side::left : Side::right,
                             QString::fromStdString(file->string()));
        else
            return tl::unexpected(file.error());
    return {};
}

int renderPicture(MainWindow& window, const WindowOptions& options) {
    std::optional<QString> problem;
    QObject::connect(&window.model().session(), &ExploreSession::failed, &window,
                     [&problem](const QString& sentence) { problem = sentence; });
    window.resize(options.size.isValid() ? options.size : pictureSize);
    window.show();
    settle(window);
    if (problem) {
        std::fprintf(stderr, "headloom: %s\n", qPrintable(*problem));
        return badInput;
    }
    const QString file = options.screenshot;
    if (const auto saved = savePicture(window, file); !saved) return refuse(saved.error());
    std::printf("%s\n", qPrintable(QFileInfo(file).absoluteFilePath()));
    return 0;
}

int run(int count, char** values) {
    auto options = parseOptions(argumentsOf(count, values));
    if (!options) return refuse(options.error());
    if (options->help || options->version) {
        std::fputs(options->help ? qPrintable(helpText()) : "headloom " HEADLOOM_VERSION "\n",
                   stdout);
        return 0;
    }
    if (options->screenshot.isEmpty() && displayMissing()) {
        std::fprintf(stderr,
                     "headloom: there is no display (DISPLAY and WAYLAND_DISPLAY are not set), so "
                     "the first picture is rendered to a file instead.\n");
        options->screenshot = QStringLiteral("headloom.png");
    }
    const bool picture = !options->screenshot.isEmpty();
    if (picture && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    // A platform without windows warns of what a picture never needs, such as size hints.
    if (picture) QLoggingCategory::setFilterRules(QStringLiteral("default.warning=false"));

    QApplication application(count, values);
    QApplication::setApplicationName(QStringLiteral("headloom"));
    QApplication::setApplicationVersion(QStringLiteral(HEADLOOM_VERSION));
    QApplication::setOrganizationName(QStringLiteral("headloom"));

    Appearance appearance;
    ExploreViewModel model;
    MainWindow window(model, appearance);
    QSettings settings;
    const bool recalls = !options->fresh && !picture;
    window.resize(pictureSize);
    if (recalls) recall(window, settings);
    if (const auto theme = themeChoiceFrom(options->theme)) appearance.setChoice(*theme);
    if (options->scale > 0) appearance.setPercent(qRound(options->scale * 100));
    if (options->size.isValid()) window.resize(options->size);
    const auto opened = openFirst(model, *options, recalls ? lastExample(settings) : LastExample());
    if (!opened) return refuse(opened.error());
    if (picture) return renderPicture(window, *options);

    window.show();
    const int code = QApplication::exec();
    if (!options->fresh) remember(window, settings);
    return code;
}

}  // namespace

}  // namespace headloom

int main(int count, char** values) {
    return headloom::run(count, values);
}
