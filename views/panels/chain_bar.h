#pragma once

#include "views/theme/theme.h"

#include <QFrame>

#include <array>

class QLabel;
class QToolButton;

namespace headloom {

class ExploreViewModel;
class ChainTrack;
class ElidedLabel;

/// The chain rail: what stands in its lines, the steps, and the buttons that walk them.
class ChainBar : public QFrame {
    Q_OBJECT
  public:
    ChainBar(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

  private:
    QToolButton* button(const QString& name, const QString& tip);
    void refresh();
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    ChainTrack* track_;
    QLabel* truth_;
    ElidedLabel *left_, *right_, *note_;
    QToolButton *first_, *back_, *play_, *forward_, *last_;
    QToolButton *trueChain_, *onItsOwn_;
};

}  // namespace headloom
