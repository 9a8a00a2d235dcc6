#include "app/headloom/options.h"

#include "core/backend/backend.h"
#include "views/window/appearance.h"

#include <QCommandLineParser>

namespace headloom {

namespace {

auto bad(const QString& option, const QString& what, const QString& remedy) {
    return fail(Error::Kind::badInput, option.toStdString(), what.toStdString(),
                remedy.toStdString());
}

void addOptions(QCommandLineParser& parser) {
    parser.setApplicationDescription(
        QStringLiteral("Headloom: MHA's maps beside IHA's tiles, stepping through a real chain."));
    parser.addPositionalArgument(
        QStringLiteral("MODEL"),
        QStringLiteral("Model files, or names such as four-witnesses-mha-h4; the first opens left, "
                       "the second right."),
        QStringLiteral("[MODEL...]"));
    const auto add = [&parser](const char* name, const char* words, const char* value = "") {
        parser.addOption(
            {QString::fromLatin1(name), QString::fromLatin1(words), QString::fromLatin1(value)});
    };
    add("example", "Example to open, such as four-witnesses.", "ID");
    add("step", "Row to start at, counted from 0.", "N");
    add("backend",
        "What computes at first: auto, cpu, cuda, cuda-tf32 or reference; Compute changes it.",
        "NAME");
    add("theme", "dark, light or system.", "NAME");
    add("scale", "Size of everything, 0.8 to 2.5.", "S");
    add("size", "Size of the window in pixels, such as 1280x800.", "WxH");
    add("screenshot", "Render the window to a PNG file and end.", "FILE");
    add("fresh", "Ignore what was remembered from the last time.");
    add("help", "Show this text.");
    add("version", "Show the version.");
}

Result<QSize> sizeFrom(const QString& text) {
    const QStringList parts = text.split(u'x');
    bool wide = false, high = false;
    const QSize size =
        parts.size() == 2 ? QSize(parts[0].toInt(&wide), parts[1].toInt(&high)) : QSize();
    if (!wide || !high || size.width() < 640 || size.height() < 400 || size.width() > 16384 ||
        size.height() > 16384)
        return bad(QStringLiteral("--size"), QStringLiteral("“%1” is not a size").arg(text),
                   QStringLiteral("write width x height in pixels, 640x400 to 16384x16384, such as "
                                  "1280x800"));
    return size;
}

Result<void> readNumbers(const QCommandLineParser& parser, WindowOptions& options) {
    bool good = true;
    if (parser.isSet(QStringLiteral("step"))) {
        const QString text = parser.value(QStringLiteral("step"));
        options.step = text.toInt(&good);
        if (!good || options.step < 0)
            return bad(QStringLiteral("--step"), QStringLiteral("“%1” is not a row").arg(text),
                       QStringLiteral("write a number from 0"));
    }
    if (parser.isSet(QStringLiteral("scale"))) {
        const QString text = parser.value(QStringLiteral("scale"));
        options.scale = text.toDouble(&good);
        const bool fits = options.scale * 100 >= Appearance::smallestPercent - 1e-9 &&
                          options.scale * 100 <= Appearance::largestPercent + 1e-9;
        if (!good || !fits)
            return bad(QStringLiteral("--scale"),
                       QStringLiteral("“%1” is not a scale that the window has").arg(text),
                       QStringLiteral("write a number from 0.8 to 2.5"));
    }
    if (parser.isSet(QStringLiteral("size"))) {
        const auto size = sizeFrom(parser.value(QStringLiteral("size")));
        if (!size) return tl::unexpected(size.error());
        options.size = *size;
    }
    return {};
}

}  // namespace

Result<WindowOptions> parseOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    addOptions(parser);
    if (!parser.parse(arguments))
        return bad({}, parser.errorText().chopped(parser.errorText().endsWith(u'.') ? 1 : 0),
                   QStringLiteral("headloom --help lists the options"));
    WindowOptions options;
    options.help = parser.isSet(QStringLiteral("help"));
    options.version = parser.isSet(QStringLiteral("version"));
    options.fresh = parser.isSet(QStringLiteral("fresh"));
    options.example = parser.value(QStringLiteral("example"));
    options.screenshot = parser.value(QStringLiteral("screenshot"));
    if (parser.isSet(QStringLiteral("screenshot")) && options.screenshot.isEmpty())
        return bad(QStringLiteral("--screenshot"), QStringLiteral("it names no file"),
                   QStringLiteral("write the name of a PNG file after it"));
    options.models = parser.positionalArguments();
    if (options.models.size() > 2)
        return bad(options.models[2], QStringLiteral("there are only two columns for models"),
                   QStringLiteral("name at most two"));
    options.theme = parser.value(QStringLiteral("theme"));
    if (parser.isSet(QStringLiteral("theme")) && !themeChoiceFrom(options.theme))
        return bad(QStringLiteral("--theme"),
                   QStringLiteral("“%1” is not a theme").arg(options.theme),
                   QStringLiteral("choose dark, light or system"));
    if (parser.isSet(QStringLiteral("backend"))) {
        options.backend = parser.value(QStringLiteral("backend")).toStdString();
        // now, as a window that opens with nothing in it would have to say the same
        if (const auto opens = makeBackend(options.backend, 1); !opens)
            return tl::unexpected(opens.error());
    }
    if (const auto read = readNumbers(parser, options); !read) return tl::unexpected(read.error());
    return options;
}

QString helpText() {
    QCommandLineParser parser;
    addOptions(parser);
    // Qt takes the program's name from an application object, which a help text does not need.
    return parser.helpText().replace(QStringLiteral("<executable_name>"),
                                     QStringLiteral("headloom"));
}

}  // namespace headloom
