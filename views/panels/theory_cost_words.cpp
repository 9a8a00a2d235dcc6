#include "views/panels/theory_cost_words.h"

#include "views/panels/worked_out.h"
#include "views/viewmodels/words.h"

#include <QCoreApplication>

#include <array>

namespace headloom {

namespace {

struct CostWords {
    Q_DECLARE_TR_FUNCTIONS(CostWords)
};

QString workedOut(const CostFigure& figure) {
    return headloom::workedOut(figure.formula, figure.numbers, figure.value);
}

/// Whether a formula speaks of pairs by this name, and not of another that begins like it.
bool speaksOf(const CostFigure& figure, const std::string& pairs) {
    return QString::fromStdString(figure.formula)
        .split(QLatin1Char(' '))
        .contains(QString::fromStdString(pairs));
}

/// Colour and dash of an arm: blue for plain attention, orange for interleaved; no two lines alike.
struct ArmLine {
    bool interleaved;
    Qt::PenStyle dash;
};
constexpr std::array<ArmLine, 5> armLines{{{false, Qt::SolidLine},
                                           {false, Qt::DashLine},
                                           {true, Qt::SolidLine},
                                           {true, Qt::DotLine},
                                           {true, Qt::DashDotLine}}};

}  // namespace

QString costName(CostQuantity quantity) {
    switch (quantity) {
        case CostQuantity::parameters:
            return CostWords::tr("parameters");
        case CostQuantity::mixingParameters:
            return CostWords::tr("of these mixing");
        case CostQuantity::scoreEntries:
            return CostWords::tr("score entries");
        case CostQuantity::flops:
            return CostWords::tr("FLOPs");
        case CostQuantity::cacheBytes:
            return CostWords::tr("KV cache, bytes");
        case CostQuantity::pseudoCacheBytes:
            return CostWords::tr("of pseudo-heads");
    }
    return {};
}

QString costMeaning(CostQuantity quantity) {
    switch (quantity) {
        case CostQuantity::parameters:
            return CostWords::tr("Weights of W_Q, W_K, W_V, W_O and mixing in all layers");
        case CostQuantity::mixingParameters:
            return CostWords::tr("Of these, the weights of α and R");
        case CostQuantity::scoreEntries:
            return CostWords::tr("Pairs of a query and a key, in all heads and layers");
        case CostQuantity::flops:
            return CostWords::tr(
                "One forward pass over N tokens, 2 a multiply-add, without softmax and norms");
        case CostQuantity::cacheBytes:
            return CostWords::tr(
                "Keys and values of the base heads, mixed when they are read: as large as MHA's. "
                "The paper is silent on the cache");
        case CostQuantity::pseudoCacheBytes:
            return CostWords::tr(
                "Keys and values of the pseudo-heads, mixed before they are kept: P times as "
                "large. The paper is silent on the cache");
    }
    return {};
}

QString costNumber(std::int64_t value) {
    constexpr std::int64_t allDigits = 10'000;
    if (value < allDigits) return countText(value);
    static const char* const thousands[] = {"", "k", "M", "G", "T", "P", "E"};
    auto scaled = static_cast<double>(value);
    std::size_t power = 0;
    for (; scaled >= 999.95; ++power) scaled /= 1000;
    return QStringLiteral("%1 %2").arg(QString::number(scaled, 'g', 4),
                                       QLatin1String(thousands[power]));
}

QString costFormulas(const std::vector<CostArm>& arms, CostQuantity quantity) {
    QString rows;
    for (const CostArm& arm : arms) {
        QString sums = workedOut(arm.at(quantity));
        for (const CostPairs& pairs : arm.pairs)
            if (speaksOf(arm.at(quantity), pairs.name))
                sums += CostWords::tr("<br>pairs a head: %1 = %2")
                            .arg(QString::fromStdString(pairs.name), workedOut(pairs.figure));
        rows += QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>")
                    .arg(QString::fromStdString(arm.title).toHtmlEscaped(), sums);
    }
    return QStringLiteral("<table cellspacing='0' cellpadding='3'>%1</table>").arg(rows);
}

QString costFacts(const CostSizes& sizes) {
    const std::int64_t globals = sizes.nLayers / (sizes.nWindowed + 1);
    return CostWords::tr(
               "D = H d = %1 · W = %2 tokens%3 · schedule: %4 windowed IHA layers, %5 "
               "of global MHA")
        .arg(countText(sizes.dModel()))
        .arg(countText(sizes.tokensInWindow()))
        .arg(sizes.window == 0 ? CostWords::tr(" = N/(2P²), the paper's rule") : QString())
        .arg(sizes.nLayers - globals)
        .arg(globals);
}

PlotContent costCurves(const TheoryCostModel& model, const Theme& theme) {
    PlotContent content;
    content.title = CostWords::tr("%1 over N").arg(costName(model.quantity()));
    content.title[0] = content.title[0].toUpper();
    content.xTitle = CostWords::tr("tokens N");
    content.logarithmic = content.logarithmicX = content.counts = content.legend = true;
    content.hint = CostWords::tr("Nothing is counted: see above");
    for (const TheoryCostModel::Curve& curve : model.curves()) {
        const ArmLine& drawn = armLines.at(content.series.size());
        PlotSeries series{curve.title,
                          drawn.interleaved ? theme.colours().iha : theme.colours().mha,
                          drawn.dash,
                          {}};
        for (const auto& [n, number] : curve.points) {
            const auto value = static_cast<double>(number);
            series.points.push_back({static_cast<double>(n), value, value, value});
        }
        content.series.push_back(std::move(series));
    }
    if (model.problem().isEmpty()) {
        content.chosen = static_cast<double>(model.sizes().nTokens);
        content.marks = {*content.chosen};
    }
    return content;
}

}  // namespace headloom
