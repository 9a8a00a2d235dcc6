#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QLabel;
class QTreeWidget;

namespace headloom {

class ChangeEffect;
class ExploreViewModel;

/// What the changes do to the answers: the current step token by token, and the chain in a
/// sentence; below, how far the model is from MHA.
class EffectTable : public QWidget {
    Q_OBJECT
  public:
    EffectTable(ChangeEffect& effect, ExploreViewModel& model, const Theme& theme,
                QWidget* parent = nullptr);

  private:
    void refresh();
    void restyle();

    ChangeEffect* effect_;
    const Theme* theme_;
    QLabel *chain_, *mha_;
    QTreeWidget* tokens_;
};

}  // namespace headloom
