#include "views/theme/style.h"

#include <QApplication>
#include <QFile>
#include <QStyle>
#include <QStyleFactory>
#include <QToolTip>
#include <QWidget>

#include <algorithm>
#include <map>

namespace headloom {
namespace {

/// Names the sheet may use in the place of a colour, as in `color: @textSoft;`.
std::map<QString, QColor> namedColours(const ThemeColours& c) {
    return {{"window", c.window},  {"panel", c.panel},       {"raised", c.raised},
            {"hover", c.hover},    {"border", c.border},     {"borderStrong", c.borderStrong},
            {"text", c.text},      {"textSoft", c.textSoft}, {"textFaint", c.textFaint},
            {"accent", c.accent},  {"onAccent", c.onAccent}, {"accentWash", c.accentWash},
            {"mha", c.mha},        {"iha", c.iha},           {"danger", c.danger},
            {"outline", c.outline}};
}

bool isNameCharacter(QChar character) {
    return character.isLetterOrNumber();
}

/// Replaces @name by a colour, @kind by the theme's name, @12 by twelve design pixels and @12f by
/// as many rounded down.
QString filled(const QString& sheet, const Theme& theme) {
    const auto colours = namedColours(theme.colours());
    QString out;
    out.reserve(sheet.size());
    for (qsizetype i = 0; i < sheet.size(); ++i) {
        if (sheet[i] != QLatin1Char('@')) {
            out += sheet[i];
            continue;
        }
        qsizetype end = i + 1;
        while (end < sheet.size() && isNameCharacter(sheet[end])) ++end;
        const QString name = sheet.mid(i + 1, end - i - 1);
        const bool floored = name.endsWith(QLatin1Char('f')) && name.front().isDigit();
        bool isNumber = false;
        const int length = (floored ? name.chopped(1) : name).toInt(&isNumber);
        const auto colour = colours.find(name);
        if (isNumber) {
            // a line of one design pixel never vanishes
            const int pixels = floored ? static_cast<int>(theme.px(length)) : theme.pixels(length);
            out += QString::number(length == 0 ? 0 : std::max(1, pixels)) + "px";
        } else if (name == QLatin1String("kind")) {
            out += theme.kind() == ThemeKind::dark ? "dark" : "light";
        } else {
            Q_ASSERT(colour != colours.end());
            if (colour != colours.end()) out += colour->second.name();
        }
        i = end - 1;
    }
    return out;
}

}  // namespace

QPalette paletteOf(const Theme& theme) {
    const ThemeColours& c = theme.colours();
    QPalette palette;
    palette.setColor(QPalette::Window, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.panel);
    palette.setColor(QPalette::AlternateBase, blend(c.panel, c.raised, 0.5));
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::PlaceholderText, c.textFaint);
    palette.setColor(QPalette::Button, c.raised);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::BrightText, c.danger);
    palette.setColor(QPalette::Highlight, c.accent);
    palette.setColor(QPalette::HighlightedText, c.onAccent);
    palette.setColor(QPalette::ToolTipBase, c.raised);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::Link, c.accent);
    palette.setColor(QPalette::LinkVisited, c.accent);
    palette.setColor(QPalette::Light, c.hover);
    palette.setColor(QPalette::Midlight, c.hover);
    palette.setColor(QPalette::Mid, c.border);
    palette.setColor(QPalette::Dark, c.borderStrong);
    palette.setColor(QPalette::Shadow, c.borderStrong);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, c.textFaint);
    }
    return palette;
}

QString styleSheetOf(const Theme& theme) {
    QFile file(QStringLiteral(":/style/headloom.qss"));
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);
    return opened ? filled(QString::fromUtf8(file.readAll()), theme) : QString();
}

void dress(QApplication& application, const Theme& theme) {
    // Fusion draws the same on every desktop, so pictures in lessons match what a class sees.
    if (application.styleSheet().isEmpty()) {
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    }
    QApplication::setPalette(paletteOf(theme));
    QApplication::setFont(theme.font(TextRole::body));
    QToolTip::setFont(theme.font(TextRole::small));
    application.setStyleSheet(styleSheetOf(theme));
}

void repolish(QWidget* widget) {
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

}  // namespace headloom
