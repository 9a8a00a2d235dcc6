#include "views/panels/theory_results_pane.h"

#include "views/plots/grouped_bar_plot.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace headloom {

namespace {

/// IHA keeps its orange and plain attention its blue; the rest differ by how they are filled.
BarSeries barsOf(const PaperChart::Row& row, const Theme& theme) {
    const ThemeColours& colours = theme.colours();
    BarSeries bars{row.name, colours.textSoft, BarFill::hollow, row.values, row.deviations};
    if (row.name == QLatin1String("IHA")) {
        bars.colour = colours.iha;
        bars.fill = BarFill::solid;
    } else if (row.name == QLatin1String("global MHA")) {
        bars.colour = colours.mha;
        bars.fill = BarFill::rows;
    } else if (row.name == QLatin1String("global+local")) {
        bars.colour = colours.mha;
        bars.fill = BarFill::columns;
    } else if (row.name == QLatin1String("talking heads")) {
        bars.fill = BarFill::grid;
    }
    return bars;
}

GroupedBars contentOf(const PaperChart& chart, const Theme& theme) {
    GroupedBars content{chart.title, chart.unit, chart.columns, {}};
    for (const PaperChart::Row& row : chart.rows) content.series.push_back(barsOf(row, theme));
    return content;
}

/// Each a sentence of its own.
QString sentencesOf(const QStringList& remarks) {
    QString text;
    for (const QString& remark : remarks)
        text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + remark.left(1).toUpper() +
                remark.mid(1) + u'.';
    return text;
}

/// What is said of every chart, and not only of this one.
QStringList sharedCaveats(const std::vector<PaperChart>& charts) {
    QStringList shared;
    for (const QString& caveat : charts.front().caveats)
        if (std::all_of(charts.begin(), charts.end(),
                        [&](const PaperChart& chart) { return chart.caveats.contains(caveat); }))
            shared << caveat;
    return shared;
}

}  // namespace

TheoryResultsPane::TheoryResultsPane(const Theme& theme, QWidget* parent)
    : TheoryPart(tr("Paper's results"),
                 tr("What the paper reports of its 2.4B decoder: the only numbers on this page "
                    "that are quoted and not computed."),
                 theme, parent),
      charts_(paperCharts()),
      pointed_(wordsOf("small")) {
    const QStringList shared = sharedCaveats(charts_);
    QLabel* all = wordsOf("soft");
    all->setText(tr("Source: %1. %2").arg(charts_.front().source, sentencesOf(shared)));
    all->setTextInteractionFlags(Qt::TextSelectableByMouse);
    rows().addWidget(all);
    rows().addWidget(chartColumn(charts_.front(), shared), 3);
    auto* others = new QHBoxLayout;
    others->setObjectName(QStringLiteral("others"));
    for (std::size_t i = 1; i < charts_.size(); ++i)
        others->addWidget(chartColumn(charts_[i], shared), 1);
    rows().addLayout(others, 2);
    rows().addWidget(pointed_);
    connect(&theme, &Theme::changed, this, &TheoryResultsPane::restyle);
    restyle();
}

QWidget* TheoryResultsPane::chartColumn(const PaperChart& chart, const QStringList& saidAlready) {
    auto* plot = new GroupedBarPlot(theme());
    plots_.push_back(plot);
    connect(plot, &GroupedBarPlot::readoutChanged, this,
            [this, plot] { pointed_->setText(plot->readout()); });
    QStringList own;
    for (const QString& caveat : chart.caveats)
        if (!saidAlready.contains(caveat)) own << caveat;
    QLabel* words = wordsOf("small");
    words->setText(sentencesOf(own));
    auto* made = new QWidget;
    auto* column = new QVBoxLayout(made);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(plot, 1);
    column->addWidget(words);
    return made;
}

void TheoryResultsPane::restyle() {
    findChild<QHBoxLayout*>(QStringLiteral("others"))->setSpacing(theme().pixels(24));
    for (std::size_t i = 0; i < plots_.size(); ++i) {
        plots_[i]->setContent(contentOf(charts_[i], theme()));
        plots_[i]->setMinimumHeight(theme().pixels(i == 0 ? 220 : 170));
    }
}

}  // namespace headloom
