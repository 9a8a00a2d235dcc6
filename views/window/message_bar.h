#pragma once

#include "views/theme/theme.h"

#include <QFrame>

class QLabel;
class QToolButton;

namespace headloom {

/// One sentence about what could not be done, or what was, until it is closed or something else
/// works.
class MessageBar : public QFrame {
    Q_OBJECT
  public:
    explicit MessageBar(const Theme& theme, QWidget* parent = nullptr);

    void say(const QString& sentence);   ///< a problem
    void tell(const QString& sentence);  ///< good news
    QString text() const;

  private:
    void show(const QString& sentence, const char* role);
    void restyle();

    const Theme* theme_;
    QLabel* label_;
    QToolButton* close_;
};

}  // namespace headloom
