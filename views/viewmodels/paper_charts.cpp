#include "views/viewmodels/paper_charts.h"

#include "core/theory/paper_results.h"

namespace headloom {

namespace {

PaperChart chartOf(const PaperTable& table) {
    PaperChart chart;
    chart.title = QString::fromStdString(table.title);
    chart.unit = QString::fromStdString(table.unit);
    for (const std::string& column : table.columns) chart.columns << QString::fromStdString(column);
    for (const PaperTable::Row& row : table.rows) {
        PaperChart::Row drawn{QString::fromStdString(row.name), row.values, {}};
        for (std::size_t i = 0; i < row.values.size(); ++i)
            drawn.deviations.push_back(standardError(row.values[i], table.nProblems[i]));
        chart.rows.push_back(std::move(drawn));
    }
    chart.source = QString::fromStdString(table.source);
    for (const std::string& caveat : table.caveats) chart.caveats << QString::fromStdString(caveat);
    return chart;
}

}  // namespace

std::vector<PaperChart> paperCharts() {
    std::vector<PaperChart> charts;
    for (const PaperTable& table : paperTables()) charts.push_back(chartOf(table));
    return charts;
}

}  // namespace headloom
