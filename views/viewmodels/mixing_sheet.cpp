#include "views/viewmodels/mixing_sheet.h"

#include "views/viewmodels/column_run.h"

#include <string>

namespace headloom {

namespace {

MixingSheet alphaSheet(MixingMatrix matrix, const Tensor& alpha, int head) {
    MixingSheet sheet;
    sheet.matrix = matrix;
    sheet.rows = static_cast<int>(alpha.size(0));
    sheet.cols = static_cast<int>(alpha.size(2));
    const auto targets = static_cast<int>(alpha.size(1));
    const float* values = alpha.data<float>();
    for (int source = 0; source < sheet.rows; ++source)
        for (int pseudo = 0; pseudo < sheet.cols; ++pseudo)
            sheet.values.push_back(values[(source * targets + head) * sheet.cols + pseudo]);
    return sheet;
}

MixingSheet collapseSheet(const Tensor& r, int head, int pseudos) {
    MixingSheet sheet;
    sheet.matrix = MixingMatrix::collapse;
    sheet.cols = pseudos;
    const auto columns = static_cast<int>(r.size(1));
    sheet.rows = columns / pseudos;
    sheet.firstSource = sheet.rows == 1 && r.size(0) > 1 ? head : 0;
    const float* row = r.data<float>() + static_cast<std::ptrdiff_t>(head) * columns;
    sheet.values.assign(row, row + columns);
    return sheet;
}

/// A matrix [source, target], or [source, target, 1].
MixingSheet wholeSheet(MixingMatrix matrix, const Tensor& mixing) {
    MixingSheet sheet;
    sheet.matrix = matrix;
    sheet.rows = static_cast<int>(mixing.size(0));
    sheet.cols = static_cast<int>(mixing.size(1));
    sheet.targetsAcross = true;
    sheet.values.assign(mixing.data<float>(), mixing.data<float>() + mixing.count());
    return sheet;
}

struct Named {
    MixingMatrix matrix;
    const char* name;
};

}  // namespace

std::vector<MixingSheet> mixingSheets(const ColumnRun& column, int layer, int head) {
    if (head < 0 || head >= column.heads()) return {};
    const Weights& weights = column.run->model->weights;
    const std::string prefix = "blocks." + std::to_string(column.clampedLayer(layer)) + ".attn.";
    std::vector<MixingSheet> sheets;
    for (const auto& [matrix, name] :
         {Named{MixingMatrix::alphaQ, "alpha_Q"}, Named{MixingMatrix::alphaK, "alpha_K"},
          Named{MixingMatrix::alphaV, "alpha_V"}, Named{MixingMatrix::logits, "mix_L"},
          Named{MixingMatrix::weights, "mix_W"}})
        if (const Tensor mixing = weights.find(prefix + name))
            sheets.push_back(column.iha(layer) ? alphaSheet(matrix, mixing, head)
                                               : wholeSheet(matrix, mixing));
    if (const Tensor r = weights.find(prefix + "R"))
        sheets.push_back(collapseSheet(r, head, column.pseudos(layer)));
    return sheets;
}

}  // namespace headloom
