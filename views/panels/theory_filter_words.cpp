#include "views/panels/theory_filter_words.h"

#include <QCoreApplication>

namespace headloom {

namespace {

QString filterText(const char* words) {
    return QCoreApplication::translate("TheoryFilter", words);
}

QString number(double value) {
    return QString::number(value, 'g', 3);
}

/// "IHA seed 2: step 600 of 1500, 0.0123 missed".
QString runWords(const TheoryFilterModel::Run& run) {
    return filterText("%1 seed %2: step %3 of %4, %5 missed")
        .arg(run.interleaved ? filterText("IHA") : filterText("MHA"))
        .arg(run.now.seed)
        .arg(run.now.step)
        .arg(run.now.steps)
        .arg(number(run.now.relativeError));
}

int restartsOf(const TheoryFilterModel& model, bool interleaved) {
    int restarts = 0;
    for (const TheoryFilterModel::Run& run : model.runs())
        if (run.interleaved == interleaved) restarts += run.now.restarts;
    return restarts;
}

QString commandOf(const FilterAsked& asked, int pseudo) {
    QString command = QStringLiteral(
                          "headloom-cli filter --graph %1 --k %2 --nodes %3 --dim %4 --heads %5 "
                          "--restart %6 --seeds %7")
                          .arg(asked.graph)
                          .arg(asked.size.nFilters)
                          .arg(asked.size.nNodes)
                          .arg(asked.size.dNode)
                          .arg(asked.heads)
                          .arg(TheoryFilterModel::restarts)
                          .arg(TheoryFilterModel::seeds);
    return pseudo > 1 ? command + QStringLiteral(" --pseudo %1").arg(pseudo) : command;
}

}  // namespace

QString trainedWords(const TheoryFilterModel& model) {
    if (model.runs().empty())
        return model.busy() ? filterText("Training…")
                            : filterText(
                                  "Not trained yet: does learning find what the rank "
                                  "allows, and do interleaved heads go below it?");
    const RankFloor& floor = model.floor();
    const QString allowed = filterText("The rank allows MHA %1 ± %2 on 1,000 samples")
                                .arg(floor.expected, 0, 'f', 4)
                                .arg(2 * floor.deviation, 0, 'f', 4);
    const TheoryFilterModel::Run& last = model.runs().back();
    if (model.busy()) return filterText("%1. %2.").arg(runWords(last), allowed);
    const QString verdict = model.verdict();
    const QString came = verdict.isEmpty() || !last.ended
                             ? filterText("Stopped: %1.").arg(runWords(last))
                             : filterText("Trained: %1").arg(verdict);
    return filterText("%1 %2. Restarts: MHA %3, IHA %4.")
        .arg(came, allowed)
        .arg(restartsOf(model, false))
        .arg(restartsOf(model, true));
}

QString trainingTip(const TheoryFilterModel& model) {
    QString tip = filterText(
                      "Trains MHA and IHA with these heads on this bank, %1 seeds each, for 1,500 "
                      "steps. A run that misses more than %2 after three fifths of them starts "
                      "again with other weights and samples, at most %3 times, whatever its kind; "
                      "its seconds count.")
                      .arg(TheoryFilterModel::seeds)
                      .arg(FilterRecipe::restartAbove)
                      .arg(TheoryFilterModel::restarts);
    const auto mha = model.recipe(false), iha = model.recipe(true);
    if (!mha || !iha) return tip;
    return tip + filterText("\nThe same numbers:\n%1\n%2")
                     .arg(commandOf(model.asked(), mha->config.nPseudo),
                          commandOf(model.asked(), iha->config.nPseudo));
}

}  // namespace headloom
