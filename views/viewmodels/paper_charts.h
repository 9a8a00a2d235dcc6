#pragma once

#include <QStringList>

#include <vector>

namespace headloom {

/// A table of results that the paper prints, ready to be drawn.
struct PaperChart {
    struct Row {
        QString name;
        std::vector<double> values;      ///< one a column
        std::vector<double> deviations;  ///< standard errors, ours; 0: the problems are not counted
    };
    QString title, unit;
    QStringList columns;
    std::vector<Row> rows;
    QString source;
    QStringList caveats;
};

/// Every table of core's paperTables, in their order.
std::vector<PaperChart> paperCharts();

}  // namespace headloom
