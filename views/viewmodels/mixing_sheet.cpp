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

}  // namespace

std::vector<MixingSheet> mixingSheets(const ColumnRun& column, int layer, int head) {
    if (!column.iha(layer) || head < 0 || head >= column.heads()) return {};
    const Weights& weights = column.run->model->weights;
    const std::string prefix = "blocks." + std::to_string(column.clampedLayer(layer)) + ".attn.";
    std::vector<MixingSheet> sheets;
    if (const Tensor alpha = weights.find(prefix + "alpha_Q"))
        sheets.push_back(alphaSheet(MixingMatrix::alphaQ, alpha, head));
    if (const Tensor alpha = weights.find(prefix + "alpha_K"))
        sheets.push_back(alphaSheet(MixingMatrix::alphaK, alpha, head));
    if (const Tensor alpha = weights.find(prefix + "alpha_V"))
        sheets.push_back(alphaSheet(MixingMatrix::alphaV, alpha, head));
    if (const Tensor r = weights.find(prefix + "R"))
        sheets.push_back(collapseSheet(r, head, column.pseudos(layer)));
    return sheets;
}

}  // namespace headloom
