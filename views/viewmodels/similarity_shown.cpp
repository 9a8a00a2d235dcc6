#include "views/viewmodels/similarity_shown.h"

#include "core/session/bundled.h"
#include "core/session/figure.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headloom {

namespace {

struct SimilarityText {
    Q_DECLARE_TR_FUNCTIONS(SimilarityText)
};

Result<QByteArray> figureOf(const SimilarityShown& shown, std::vector<std::string> provenance,
                            ExportFormat format) {
    const auto assets = assetsFolder();
    if (!assets) return tl::unexpected(assets.error());
    Figure figure;
    figure.title =
        SimilarityText::tr("Layer %1: %2").arg(shown.layer).arg(shown.sentence).toStdString();
    figure.provenance = std::move(provenance);
    figure.rowAxis = figure.columnAxis = "pattern";
    for (const QString& name : shown.names) figure.rowLabels.push_back(name.toStdString());
    figure.columnLabels = figure.rowLabels;
    const auto count = static_cast<std::ptrdiff_t>(shown.names.size());
    figure.panels = {{"", {shown.values.get(), shown.values.get() + count * count}}};
    figure.isSigned = shown.isSigned;
    figure.quantity = "cosine";
    auto palette = readPalette(*assets, figure.isSigned ? "prgn-light" : "inferno");
    if (!palette) return tl::unexpected(palette.error());
    figure.palette = std::move(*palette);
    return QByteArray::fromStdString(format == ExportFormat::svg ? figureAsSvg(figure)
                                                                 : figureAsCsv(figure));
}

}  // namespace

QString SimilarityShown::cellText(int row, int column) const {
    const int count = static_cast<int>(names.size());
    if (!values || row < 0 || column < 0 || row >= count || column >= count) return {};
    const auto cell = static_cast<std::size_t>(row * count + column);
    QString text = SimilarityText::tr("%1 and %2: %3")
                       .arg(names[row], names[column])
                       .arg(double{values.get()[cell]}, 0, 'f', 3);
    if (!deviations.empty() && std::isfinite(deviations[cell]))
        text += QStringLiteral(" ± %1").arg(deviations[cell], 0, 'f', 3);
    return text;
}

QString countOf(const std::vector<Pattern>& patterns) {
    const auto count = patterns.size();
    const bool one = count == 1;
    if (patterns.front().source >= 0)
        return one ? SimilarityText::tr("1 effective map")
                   : SimilarityText::tr("%1 effective maps").arg(count);
    // without pseudo-heads a head is its one tile
    if (patterns.front().p >= 0)
        return one ? SimilarityText::tr("1 tile") : SimilarityText::tr("%1 tiles").arg(count);
    return one ? SimilarityText::tr("1 head") : SimilarityText::tr("%1 heads").arg(count);
}

SimilarityShown similarityOf(int layer, const std::vector<Pattern>& patterns,
                             const Redundancy& redundancy, const PatternClusters& clusters) {
    SimilarityShown shown;
    shown.layer = layer;
    auto values = std::make_shared<std::vector<float>>();
    values->reserve(redundancy.cosines.size());
    for (const int row : clusters.order) {
        const Pattern& pattern = patterns[static_cast<std::size_t>(row)];
        shown.patterns.push_back(pattern);
        shown.names << QString::fromStdString(nameOf(layer, pattern));
        for (const int column : clusters.order)
            values->push_back(static_cast<float>(redundancy.cosine(row, column)));
    }
    // beyond the rounding of a cosine of shares that have nothing in common
    shown.isSigned =
        std::any_of(values->begin(), values->end(), [](float v) { return v < -1e-6F; });
    shown.values = std::shared_ptr<const float>(values, values->data());
    shown.sentence =
        SimilarityText::tr("%1, %2 distinct").arg(countOf(patterns)).arg(clusters.distinct);
    if (clusters.dead > 0) shown.sentence += SimilarityText::tr(", %1 dead").arg(clusters.dead);
    return shown;
}

SimilarityShown averagedSimilarity(const AveragedTable& pairs, const ModelConfig& config,
                                   int layer) {
    const std::vector<Pattern> patterns = patternsOf(config, layer, PatternKind::tiles);
    const std::size_t count = patterns.size();
    Redundancy means;
    means.count = static_cast<int>(count);
    means.cosines.assign(count * count, 1);
    means.mass.assign(count, 1);  // a pattern of none is like no other
    std::vector<double> deviations(count * count, 0);
    auto line = static_cast<std::size_t>(
        std::find_if(pairs.lines.begin(), pairs.lines.end(),
                     [layer](const AveragedLine& each) { return each.layer == layer; }) -
        pairs.lines.begin());
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a + 1; b < count; ++b, ++line) {
            const Spread& cosine = pairs.at(line, 0);
            for (const std::size_t cell : {a * count + b, b * count + a}) {
                means.cosines[cell] = cosine.mean();
                deviations[cell] = cosine.deviation();
            }
        }
    const RedundancyThresholds thresholds;
    const PatternClusters clusters = clustersOf(means, thresholds);
    SimilarityShown shown = similarityOf(layer, patterns, means, clusters);
    for (const int row : clusters.order)
        for (const int column : clusters.order)
            shown.deviations.push_back(deviations[static_cast<std::size_t>(row) * count +
                                                  static_cast<std::size_t>(column)]);
    shown.note = SimilarityText::tr("layer %1 · one: mean cosine above %2")
                     .arg(layer)
                     .arg(thresholds.similar);
    return shown;
}

Exportable exportableOf(const SimilarityShown& shown,
                        std::function<std::vector<std::string>()> provenance) {
    return {
        SimilarityText::tr("The similarity"), SimilarityText::tr("similarity L%1").arg(shown.layer),
        [shown, provenance = std::move(provenance)](ExportFormat format) -> Exportable::Bytes {
            return [shown, provenance, format] { return figureOf(shown, provenance(), format); };
        }};
}

}  // namespace headloom
