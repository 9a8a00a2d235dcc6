#pragma once

#include <QWidget>

#include <vector>

class QStackedWidget;
class QToolButton;

namespace headloom {

class Theme;

/// What stands beside the maps: one instrument at a time, chosen from a row of names above it.
class Instruments : public QWidget {
    Q_OBJECT
  public:
    explicit Instruments(const Theme& theme, QWidget* parent = nullptr);

    /// Puts an instrument at the end of the row. `tip` says what it is for; its shortcut, Alt and
    /// the place in the row, is added. A panel that is not the current one is hidden, and has
    /// nothing to work out.
    void add(const QString& title, const QString& tip, QWidget* panel);
    int count() const { return static_cast<int>(names_.size()); }
    QString title(int index) const;
    static QKeySequence shortcut(int index);

    int current() const;
    void setCurrent(int index);
    /// Shows the instrument of this panel, which `add` was given.
    void show(const QWidget* panel);
    using QWidget::show;

  signals:
    void currentChanged(int index);

  private:
    void restyle();

    const Theme* theme_;
    QWidget* row_;
    QStackedWidget* panels_;
    std::vector<QToolButton*> names_;
};

}  // namespace headloom
