#pragma once

#include "views/panels/theory_part.h"
#include "views/viewmodels/theory_errata_model.h"

#include <vector>

class QTreeWidget;

namespace headloom {

/// "Errata": what the paper prints, what holds, and the numbers that show it.
class TheoryErrataPane : public TheoryPart {
    Q_OBJECT
  public:
    explicit TheoryErrataPane(const Theme& theme, QWidget* parent = nullptr);

    const std::vector<QTreeWidget*>& tables() const { return tables_; }

  protected:
    void begin() override { model_.begin(); }

  private:
    void fill();
    void add(const Erratum& erratum);
    void restyle();

    TheoryErrataModel model_;
    QLabel* waiting_;
    std::vector<QTreeWidget*> tables_;
};

}  // namespace headloom
