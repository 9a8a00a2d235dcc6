#pragma once

#include "views/panels/theory_part.h"
#include "views/viewmodels/paper_charts.h"

#include <vector>

namespace headloom {

class GroupedBarPlot;

/// "Paper's results": what the paper says its model does, quoted as charts with source and caveats.
class TheoryResultsPane : public TheoryPart {
    Q_OBJECT
  public:
    explicit TheoryResultsPane(const Theme& theme, QWidget* parent = nullptr);

    const std::vector<GroupedBarPlot*>& charts() const { return plots_; }

  private:
    QWidget* chartColumn(const PaperChart& chart, const QStringList& saidAlready);
    void restyle();

    std::vector<PaperChart> charts_;
    std::vector<GroupedBarPlot*> plots_;
    QLabel* pointed_;
};

}  // namespace headloom
