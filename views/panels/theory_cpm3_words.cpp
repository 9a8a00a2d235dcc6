#include "views/panels/theory_cpm3_words.h"

#include "views/viewmodels/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace headloom {

namespace {

struct Cpm3Words {
    Q_DECLARE_TR_FUNCTIONS(Cpm3Words)
};

QString shiftWords(const Cpm3Run& run, int token) {
    const int n = run.task.nTokens();
    return Cpm3Words::tr(
               "Map t looks t tokens on: token %1 at %2, and so on. One head of MHA has one shift; "
               "head h of IHA has the %3 shifts h H + r, one for the keys of each head r, and its "
               "weight is shared among them.")
        .arg(token)
        .arg((token + 1) % n)
        .arg(run.iha.nHeads);
}

QString workspaceWords(const Cpm3Run& run, int token) {
    return Cpm3Words::tr(
               "The heads side by side: the row of token %1 lists all symbols from its own on. "
               "IHA's values are H = %2 times the symbol, so that the shared weights add up again; "
               "off whole numbers by at most %3.")
        .arg(token)
        .arg(run.iha.nHeads)
        .arg(std::max(run.mha.roundedBy, run.iha.roundedBy), 0, 'g', 2);
}

QString countWords(const Cpm3Run& run, int token) {
    return Cpm3Words::tr(
               "An MLP with a unit for each ordered pair: ReLU(1 − z mod M) of z = %1 + %2 x_j1 + "
               "x_j2 is 1 where %3 divides z. Token %4 has %5 of %6.")
        .arg(run.task.sequence[static_cast<std::size_t>(token)])
        .arg(run.task.g)
        .arg(run.task.m)
        .arg(token)
        .arg(run.iha.counts[static_cast<std::size_t>(token)])
        .arg(run.task.nTokens() * run.task.nTokens());
}

}  // namespace

QString cpm3Order(const Cpm3Task& task) {
    if (isOrderSensitive(task))
        return Cpm3Words::tr(
                   "G mod M = %1 mod %2 = %3, not 1: order-sensitive, the pair (j1, j2) "
                   "may count where (j2, j1) does not.")
            .arg(task.g)
            .arg(task.m)
            .arg(task.g % task.m);
    return Cpm3Words::tr(
               "<b>%1: not order-sensitive, the pair (j1, j2) counts where (j2, j1) does. "
               "The paper's condition G > 2 M does not rule this out.</b>")
        .arg(task.m == 1 ? Cpm3Words::tr("M = 1 divides every sum")
                         : Cpm3Words::tr("G mod M = %1 mod %2 = 1").arg(task.g).arg(task.m));
}

QString cpm3Facts(const Cpm3Run* run, bool interleaved, const QColor& colour) {
    if (!run)  // two lines as well, so that nothing moves
        return QStringLiteral("<b>%1</b><br>—")
            .arg(interleaved ? Cpm3Words::tr("IHA") : Cpm3Words::tr("MHA"));
    const Cpm3Arm& arm = interleaved ? run->iha : run->mha;
    const QString heads =
        interleaved
            ? Cpm3Words::tr("IHA: ⌈√N⌉ = %1 heads × %2 pseudo-heads")
                  .arg(arm.nHeads)
                  .arg(arm.nPseudo)
            : Cpm3Words::tr("MHA: N = %1 heads, the best known, not proved").arg(arm.nHeads);
    return Cpm3Words::tr("<b style='color:%1'>%2</b><br>%3 parameters · weight in each map %4")
        .arg(colour.name(), heads, countText(arm.parameters),
             interleaved ? Cpm3Words::tr("1/H = 1/%1").arg(arm.nHeads) : QStringLiteral("1"));
}

QString cpm3StageWords(const TheoryCpm3Model& model) {
    const Cpm3Run* run = model.run();
    if (!run) return {};
    const int token = std::min(model.token(), run->task.nTokens() - 1);
    if (model.stage() == Cpm3Stage::shift) return shiftWords(*run, token);
    return model.stage() == Cpm3Stage::workspace ? workspaceWords(*run, token)
                                                 : countWords(*run, token);
}

QString cpm3Agreement(const Cpm3Run& run, int token) {
    const auto at = static_cast<std::size_t>(std::min(token, run.task.nTokens() - 1));
    const bool same = run.mha.counts == run.expected && run.iha.counts == run.expected;
    return Cpm3Words::tr("%1 Token %2: MHA %3, IHA %4, one by one %5.")
        .arg(same ? Cpm3Words::tr("Both count what going through all pairs does.")
                  : Cpm3Words::tr("The counts differ."))
        .arg(at)
        .arg(run.mha.counts[at])
        .arg(run.iha.counts[at])
        .arg(run.expected[at]);
}

PlotContent cpm3HeadCurves(int nTokens, const Theme& theme) {
    PlotContent content;
    content.title = Cpm3Words::tr("Heads: MHA's best known (solid), IHA (dashed)");
    content.xTitle = Cpm3Words::tr("tokens N");
    content.logarithmic = content.logarithmicX = true;
    PlotSeries mha{Cpm3Words::tr("MHA"), theme.colours().mha, Qt::SolidLine, {}},
        iha{Cpm3Words::tr("IHA"), theme.colours().iha, Qt::DashLine, {}};
    for (int n = 1; n <= Cpm3Task::mostTokens; ++n) {
        const double heads = TheoryCpm3Model::headsFor(n, true);
        mha.points.push_back({double(n), double(n), double(n), double(n)});
        iha.points.push_back({double(n), heads, heads, heads});
    }
    content.series = {std::move(mha), std::move(iha)};
    content.marks = {double(nTokens)};
    content.chosen = nTokens;
    return content;
}

}  // namespace headloom
