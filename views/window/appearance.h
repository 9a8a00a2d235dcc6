#pragma once

#include "views/theme/theme.h"

#include <QObject>
#include <QString>

#include <optional>

namespace headloom {

enum class ThemeChoice { dark, light, system };
QString nameOf(ThemeChoice choice);  // "dark", "light", "system"
std::optional<ThemeChoice> themeChoiceFrom(const QString& name);

/// The theme of the whole program: dresses the application whenever it changes.
class Appearance : public QObject {
    Q_OBJECT
  public:
    static constexpr int smallestPercent = 80, largestPercent = 250;

    /// Looks at the system's colours, so make it before anything else dresses the application.
    explicit Appearance(QObject* parent = nullptr);

    const Theme& theme() const { return theme_; }
    ThemeChoice choice() const { return choice_; }
    void setChoice(ThemeChoice choice);
    int percent() const { return qRound(theme_.scale() * 100); }
    void setPercent(int percent);

  signals:
    void changed();

  private:
    void apply();

    bool systemIsDark_;
    ThemeChoice choice_ = ThemeChoice::dark;
    Theme theme_;
};

}  // namespace headloom
