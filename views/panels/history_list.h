#pragma once

#include "views/theme/theme.h"

#include <QWidget>

class QListWidget;

namespace headloom {

class ExploreViewModel;

/// Every edit by its name, what is undone in faint; a click goes to the moment after it.
class HistoryList : public QWidget {
    Q_OBJECT
  public:
    HistoryList(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

  private:
    void refresh();

    ExploreViewModel* model_;
    const Theme* theme_;
    QListWidget* list_;
};

}  // namespace headloom
