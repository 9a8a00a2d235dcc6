#pragma once

#include "core/session/prompt_question.h"
#include "views/viewmodels/exportable.h"

#include <QStringList>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headloom {

/// How alike the patterns of a layer are, as a matrix in which clusters stand together.
struct SimilarityShown {
    int layer = 0;
    std::vector<Pattern> patterns;        ///< of the rows, and of the columns
    QStringList names;                    ///< of the same
    std::shared_ptr<const float> values;  ///< cosines, row by row; null: nothing to show
    std::vector<double> deviations;       ///< of the same cells, over prompts; empty: of one prompt
    bool isSigned = false;                ///< some cosine is negative
    QString sentence;                     ///< "64 tiles, 11 distinct"
    QString note;                         ///< where the lines are drawn, effective rank
    QString hint;                         ///< why there is nothing to show

    /// "L0H0.q0k1 and L0H1.q1k0: 0.813 ± 0.020".
    QString cellText(int row, int column) const;
};

/// "64 tiles", "1 head", "16 effective maps".
QString countOf(const std::vector<Pattern>& patterns);

/// The matrix of a layer's patterns in the order of their clusters.
SimilarityShown similarityOf(int layer, const std::vector<Pattern>& patterns,
                             const Redundancy& redundancy, const PatternClusters& clusters);
/// The same of averages (askSimilarity): means, in the order of clusters of their own.
SimilarityShown averagedSimilarity(const AveragedTable& pairs, const ModelConfig& config,
                                   int layer);

/// The matrix as a figure or its numbers. `provenance`, of Figure, is asked on the worker.
Exportable exportableOf(const SimilarityShown& shown,
                        std::function<std::vector<std::string>()> provenance);

}  // namespace headloom
