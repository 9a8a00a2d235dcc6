#pragma once

#include "views/theme/theme.h"
#include "views/viewmodels/tensor_view_model.h"

#include <QWidget>

class QGridLayout;
class QLabel;

namespace headloom {

/// Facts as lines of two columns, which can be selected and copied.
class FactList : public QWidget {
    Q_OBJECT
  public:
    explicit FactList(const Theme& theme, QWidget* parent = nullptr);
    void setLines(const std::vector<FactLine>& lines);

  private:
    void restyle();

    struct Row {
        QLabel *name, *value;
    };
    const Theme* theme_;
    QGridLayout* grid_;
    std::vector<Row> rows_;
};

}  // namespace headloom
