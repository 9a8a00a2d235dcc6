#pragma once

#include "views/theme/theme.h"

#include <QStringList>
#include <QWidget>

#include <vector>

class QLabel;
class QToolButton;

namespace headloom {

/// One of a few names to choose, side by side behind a caption.
class TheoryChoice : public QWidget {
    Q_OBJECT
  public:
    TheoryChoice(const QString& title, const QString& tip, const QStringList& names,
                 const Theme& theme, QWidget* parent = nullptr);

    QString title() const;
    int value() const;
    QString valueText() const;
    void setValue(int index);  ///< emits nothing

  signals:
    void changed(int index);

  private:
    void restyle();

    const Theme* theme_;
    QLabel* caption_;
    std::vector<QToolButton*> names_;
};

}  // namespace headloom
