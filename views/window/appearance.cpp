#include "views/window/appearance.h"

#include "views/theme/style.h"

#include <QApplication>
#include <QPalette>

#include <algorithm>

namespace headloom {

QString nameOf(ThemeChoice choice) {
    switch (choice) {
        case ThemeChoice::dark:
            return QStringLiteral("dark");
        case ThemeChoice::light:
            return QStringLiteral("light");
        case ThemeChoice::system:
            return QStringLiteral("system");
    }
    return {};
}

std::optional<ThemeChoice> themeChoiceFrom(const QString& name) {
    for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light, ThemeChoice::system})
        if (name == nameOf(choice)) return choice;
    return std::nullopt;
}

Appearance::Appearance(QObject* parent)
    : QObject(parent),
      systemIsDark_(QGuiApplication::palette().color(QPalette::Window).lightness() < 128) {
    dress(*qApp, theme_);
}

void Appearance::setChoice(ThemeChoice choice) {
    choice_ = choice;
    const bool dark = choice == ThemeChoice::system ? systemIsDark_ : choice == ThemeChoice::dark;
    theme_.setKind(dark ? ThemeKind::dark : ThemeKind::light);
    apply();
}

void Appearance::setPercent(int percent) {
    theme_.setScale(std::clamp(percent, smallestPercent, largestPercent) / 100.0);
    apply();
}

void Appearance::apply() {
    dress(*qApp, theme_);
    emit changed();
}

}  // namespace headloom
