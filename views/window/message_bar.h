#pragma once

#include "views/theme/theme.h"

#include <QFrame>

class QLabel;
class QToolButton;

namespace headloom {

/// One sentence about what could not be done, until it is closed or something works again.
class MessageBar : public QFrame {
    Q_OBJECT
  public:
    explicit MessageBar(const Theme& theme, QWidget* parent = nullptr);

    void say(const QString& sentence);
    QString text() const;

  private:
    void restyle();

    const Theme* theme_;
    QLabel* label_;
    QToolButton* close_;
};

}  // namespace headloom
