#include "views/panels/theory_containment_words.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

struct ContainmentWords {
    Q_DECLARE_TR_FUNCTIONS(ContainmentWords)
};

QString whyItIs(const ContainmentCase& asked) {
    if (asked.nPseudo == 1) return ContainmentWords::tr("One copy of a head is the head.");
    if (asked.score == ScoreKind::linear)
        return ContainmentWords::tr(
            "Linear scores of the copies add up, and 1/P takes one of them.");
    if (asked.mask == MaskKind::flat && asked.score == ScoreKind::hard)
        return ContainmentWords::tr(
            "Hard scores take all from the largest, however many copies of it are seen; where two "
            "tokens tie, only the last copy is MHA.");
    if (asked.mask == MaskKind::flat)
        return ContainmentWords::tr(
            "The last copy sees as many copies of its own token as of every earlier one.");
    return ContainmentWords::tr(
        "Every token is seen in all its copies, so that their shares add up to MHA's.");
}

MapTile mapOf(const Tensor& maps, int head, const ContainmentCase& asked) {
    const auto kept = std::make_shared<const Tensor>(maps.at(head));
    MapTile tile;
    tile.values = {kept, kept->data<float>()};
    tile.rowStride = containmentTokens;
    if (asked.mask != MaskKind::none) tile.maskedFrom = 1;
    return tile;
}

MapSheet emptySheet(int rows) {
    MapSheet sheet;
    sheet.captions = CaptionPlacement::above;
    sheet.tileRows = rows;
    sheet.tileColumns = containmentHeads;
    sheet.queries = sheet.keys = containmentTokens;
    return sheet;
}

PlotSeries seriesOf(const QString& name, const QColor& colour, Qt::PenStyle dash,
                    const std::vector<double>& s, const std::vector<double>& y) {
    PlotSeries series{name, colour, dash, {}};
    for (std::size_t i = 0; i < s.size(); ++i) series.points.push_back({s[i], y[i], y[i], y[i]});
    return series;
}

}  // namespace

QString containmentVerdict(const ContainmentRun& run) {
    return (run.same ? ContainmentWords::tr("IHA is MHA here: outputs differ by %1 of the largest, "
                                            "which is rounding.")
                     : ContainmentWords::tr("IHA is not MHA here: outputs differ by %1 of the "
                                            "largest."))
        .arg(run.difference, 0, 'g', 2);
}

QString containmentReason(const ContainmentCase& asked) {
    switch (whyNotMha(asked)) {
        case NotMha::itIs:
            return whyItIs(asked);
        case NotMha::virtualPositions:
            return ContainmentWords::tr(
                "Copy p of token n turns by position n P + p, so that tokens are P times as far "
                "apart as in MHA. These are the paper's defaults.");
        case NotMha::ownTokenSeenLess:
            return ContainmentWords::tr(
                       "Under the flat mask copy %1 sees %2 of the %3 copies of its own token, but "
                       "all of every earlier one.")
                .arg(asked.selected)
                .arg(asked.selected + 1)
                .arg(asked.nPseudo);
        case NotMha::wrongWeight:
            break;
    }
    return asked.score == ScoreKind::linear
               ? ContainmentWords::tr(
                     "Linear scores of P copies add up to P times MHA: R must "
                     "read one with weight 1/P.")
               : ContainmentWords::tr(
                     "These scores share their weight among the copies: R must "
                     "read one with weight 1.");
}

MatrixSheet containmentTable(const TheoryContainmentModel& model) {
    const std::vector<ContainmentRun>& runs = model.table();
    MatrixSheet sheet;
    if (runs.empty()) return sheet;
    sheet.columns = runs.front().asked.nPseudo;
    sheet.rows = static_cast<int>(runs.size()) / sheet.columns;
    sheet.title = ContainmentWords::tr("Differences: mask and positions down, copy p across");
    const QStringList masks = TheoryContainmentModel::maskNames(),
                      positions = TheoryContainmentModel::positionNames();
    for (int p = 0; p < sheet.columns; ++p)
        sheet.columnLabels << ContainmentWords::tr("p %1").arg(p);
    for (const ContainmentRun& run : runs) {
        sheet.values.push_back(static_cast<float>(run.difference));
        if (run.asked.selected == 0)
            sheet.rowLabels << ContainmentWords::tr("%1, %2").arg(
                masks[static_cast<int>(run.asked.mask)],
                positions[static_cast<int>(run.asked.positions)]);
    }
    if (model.run()) sheet.highlightedCells = {{model.row(), model.shownCase().selected}};
    return sheet;
}

MapSheet containmentMaps(const ContainmentRun& run) {
    MapSheet sheet = emptySheet(2);
    sheet.isSigned = run.asked.score == ScoreKind::linear;
    for (const bool interleaved : {false, true})
        for (int head = 0; head < containmentHeads; ++head) {
            MapTile tile = mapOf(interleaved ? run.ihaMaps : run.mhaMaps, head, run.asked);
            tile.caption = interleaved ? ContainmentWords::tr("IHA") : ContainmentWords::tr("MHA");
            tile.corner = ContainmentWords::tr("h%1").arg(head);
            tile.toolTip = interleaved ? ContainmentWords::tr(
                                             "What head %1 reads once R has read its copy "
                                             "(M[%1, %1])")
                                             .arg(head)
                                       : ContainmentWords::tr("The map of head %1").arg(head);
            sheet.tiles.push_back(std::move(tile));
        }
    return sheet;
}

MapSheet containmentDifference(const TheoryContainmentModel& model) {
    MapSheet sheet = emptySheet(1);
    sheet.isSigned = true;
    const Tensor difference = Tensor::of<float>(
        {containmentHeads, containmentTokens, containmentTokens}, model.mapDifference());
    for (int head = 0; head < containmentHeads; ++head) {
        MapTile tile = mapOf(difference, head, model.shownCase());
        tile.caption = ContainmentWords::tr("IHA − MHA");
        tile.corner = ContainmentWords::tr("h%1").arg(head);
        sheet.tiles.push_back(std::move(tile));
    }
    return sheet;
}

PlotContent witnessCurve(const TheoryContainmentModel& model, const Theme& theme) {
    PlotContent content;
    content.title = ContainmentWords::tr(
        "Three equal tokens (s, 1, v): IHA with αV = (1, −1) (curved), as printed (1, 1) (dashed) "
        "on "
        "MHA");
    content.xTitle = QStringLiteral("s");
    const Witness* witness = model.witness();
    const double most = 1.1 * (witness && witness->v != 0 ? std::abs(witness->v) : 1);
    content.yLow = -most;
    content.yHigh = most;
    if (!witness) return content;
    content.marks = {model.witnessPlace().s};
    content.chosen = model.witnessPlace().s;
    content.series = {seriesOf(ContainmentWords::tr("MHA"), theme.colours().mha, Qt::SolidLine,
                               witness->s, witness->mha),
                      seriesOf(ContainmentWords::tr("printed"), theme.colours().text, Qt::DashLine,
                               witness->s, witness->printed),
                      seriesOf(ContainmentWords::tr("corrected"), theme.colours().iha,
                               Qt::SolidLine, witness->s, witness->corrected)};
    return content;
}

QString witnessReading(const TheoryContainmentModel& model) {
    const Witness* witness = model.witness();
    if (!witness) return {};
    const auto at = std::lower_bound(witness->s.begin(), witness->s.end(), model.witnessPlace().s);
    if (at == witness->s.end()) return {};  // another curve is on its way
    const auto place = static_cast<std::size_t>(at - witness->s.begin());
    return ContainmentWords::tr(
               "s = %1, v = %2: IHA %3, which is v tanh(s) but for %4; as printed %5; MHA %6")
        .arg(*at, 0, 'f', 2)
        .arg(witness->v, 0, 'f', 2)
        .arg(witness->corrected[place], 0, 'f', 4)
        .arg(std::abs(witness->corrected[place] - witness->v * std::tanh(*at)), 0, 'g', 1)
        .arg(witness->printed[place], 0, 'f', 4)
        .arg(witness->mha[place], 0, 'f', 4);
}

}  // namespace headloom
