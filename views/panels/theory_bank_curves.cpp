#include "views/panels/theory_bank_curves.h"

#include "views/panels/worked_out.h"
#include "views/viewmodels/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace headloom {

namespace {

QString bankText(const char* words) {
    return QCoreApplication::translate("TheoryBankCurves", words);
}

/// Filters with k d < N, the range in which the count of heads holds.
int mostFiltersFor(const BankSize& size) {
    return std::min(BankSize::mostFilters, (size.nNodes - 1) / std::max(1, size.dNode));
}

/// The numbers of what is on screen, and which curve is whose without its colour.
QString parametersTitle(const TheoryBankModel& model) {
    if (!model.problem().isEmpty()) return bankText("Parameters");
    const BankParameters now = bankParameters(model.size());
    return bankText("Parameters: MHA %1 (solid), IHA %2 (dashed)")
        .arg(countText(now.mha), countText(now.iha));
}

/// A point an arm, the mean of its seeds so far, with their range.
void addTrained(const TheoryFilterModel& trained, const Theme& theme, PlotContent& content) {
    for (const bool interleaved : {false, true}) {
        const std::vector<double> errors = trained.errors(interleaved);
        if (errors.empty()) continue;
        const auto [least, most] = std::minmax_element(errors.begin(), errors.end());
        const double mean =
            std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
        PlotSeries series{interleaved ? bankText("trained IHA") : bankText("trained MHA"),
                          interleaved ? theme.colours().iha : theme.colours().mha,
                          Qt::DotLine,
                          {}};
        series.points.push_back({static_cast<double>(trained.asked().heads), mean, *least, *most});
        content.series.push_back(std::move(series));
    }
}

}  // namespace

PlotContent parameterCurves(const TheoryBankModel& model, const Theme& theme) {
    PlotContent content;
    content.title = parametersTitle(model);
    content.xTitle = bankText("filters k");
    content.logarithmic = content.logarithmicX = true;
    PlotSeries mha{bankText("MHA"), theme.colours().mha, Qt::SolidLine, {}},
        iha{bankText("IHA"), theme.colours().iha, Qt::DashLine, {}};
    BankSize size = model.size();
    const int most = mostFiltersFor(size);
    for (int k = 1; k <= most; ++k) {
        size.nFilters = k;
        const BankParameters parameters = bankParameters(size);
        const auto add = [k](PlotSeries& series, std::int64_t count) {
            const auto value = static_cast<double>(count);
            series.points.push_back({static_cast<double>(k), value, value, value});
        };
        add(mha, parameters.mha);
        add(iha, parameters.iha);
    }
    content.series = {std::move(mha), std::move(iha)};
    for (const int k : crossingFilters(model.size(), most)) {
        size.nFilters = k;
        const BankParameters there = bankParameters(size);
        content.places.push_back({static_cast<double>(k),
                                  (there.iha < there.mha ? bankText("IHA has fewer from k = %1 on")
                                                         : bankText("MHA has fewer from k = %1 on"))
                                      .arg(k)});
    }
    if (model.size().nFilters <= most) {
        content.marks.push_back(model.size().nFilters);
        content.chosen = model.size().nFilters;
    }
    return content;
}

QString parameterFormulas(const TheoryBankModel& model) {
    if (!model.problem().isEmpty()) return {};
    const BankSize& size = model.size();
    const BankFormulas formulas = bankFormulas(size);
    const BankParameters worth = bankParameters(size);
    const int heads = interleavedHeads(size.nFilters);
    const auto line = [](const QString& who, const CostFormula& formula, std::int64_t value) {
        return bankText("%1: %2").arg(who, workedOut(formula.names(), formula.numbers(), value));
    };
    return line(bankText("MHA, k = %1").arg(size.nFilters), formulas.mha, worth.mha) +
           QStringLiteral("<br>") +
           line(bankText("IHA, H = ⌈√%1⌉ = %2").arg(size.nFilters).arg(heads), formulas.iha,
                worth.iha);
}

QString boundWords(const FewHeads& few) {
    const QString bound = QString::number(few.bound, 'f', 4);
    return few.deviation == 0 ? bankText("%1 on every signal").arg(bound)
                              : bankText("%1 ± %2").arg(bound).arg(2 * few.deviation, 0, 'f', 4);
}

PlotContent fewHeadsCurve(const TheoryBankModel& model, const TheoryFilterModel& trained,
                          const Theme& theme) {
    PlotContent content;
    content.title = model.fitFollows()
                        ? bankText("What MHA with too few heads misses: fitting k = %1…")
                              .arg(model.size().nFilters)
                        : bankText("What MHA with too few heads misses");
    content.xTitle = bankText("heads");
    content.yLow = -0.05;  // so that a point at 0 is seen above the mark of its place
    content.yHigh = 1;
    content.hint = model.problem().isEmpty() ? QString() : bankText("There is no such bank");
    const FewHeads* few = model.few();
    if (!few) return content;
    PlotSeries bound{bankText("bound"), theme.colours().textSoft, Qt::DashLine, {}};
    for (std::size_t h = 0; h < few->boundByHead.size(); ++h)
        bound.points.push_back({static_cast<double>(h), few->boundByHead[h], few->boundByHead[h],
                                few->boundByHead[h]});
    PlotSeries fit{bankText("best fit"), theme.colours().mha, Qt::SolidLine, {}};
    fit.points.push_back({static_cast<double>(few->nHeads), few->measured,
                          few->bound - 2 * few->deviation, few->bound + 2 * few->deviation});
    content.series = {std::move(bound), std::move(fit)};
    content.marks = {static_cast<double>(few->nHeads)};
    content.chosen = few->nHeads;
    addTrained(trained, theme, content);
    const bool isTrained = !trained.runs().empty();
    const double band = 2 * (isTrained ? trained.floor().deviation : few->deviation);
    if (band > 0)
        content.levels.push_back(
            {few->bound,
             isTrained ? bankText("± 2 deviations on 1,000 samples") : bankText("± 2 deviations"),
             few->bound - band, few->bound + band});
    return content;
}

}  // namespace headloom
