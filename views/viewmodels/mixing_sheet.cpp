#include "views/viewmodels/mixing_sheet.h"

namespace headloom {

namespace {

MixingSheet alphaSheet(MixingTensor matrix, const Tensor& alpha, int head) {
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
    sheet.matrix = MixingTensor::collapse;
    sheet.cols = pseudos;
    const auto columns = static_cast<int>(r.size(1));
    sheet.rows = columns / pseudos;
    sheet.firstSource = sheet.rows == 1 && r.size(0) > 1 ? head : 0;
    const float* row = r.data<float>() + static_cast<std::ptrdiff_t>(head) * columns;
    sheet.values.assign(row, row + columns);
    return sheet;
}

/// A matrix [source, target], or [source, target, 1].
MixingSheet wholeSheet(MixingTensor matrix, const Tensor& mixing) {
    MixingSheet sheet;
    sheet.matrix = matrix;
    sheet.rows = static_cast<int>(mixing.size(0));
    sheet.cols = static_cast<int>(mixing.size(1));
    sheet.targetsAcross = true;
    sheet.values.assign(mixing.data<float>(), mixing.data<float>() + mixing.count());
    return sheet;
}

}  // namespace

std::vector<MixingSheet> mixingSheets(const Model& model, int layer, int head) {
    const ModelConfig& config = model.config;
    if (head < 0 || head >= config.nHeads || layer < 0 || layer >= config.nLayers()) return {};
    const LayerConfig& made = config.layers[static_cast<std::size_t>(layer)];
    std::vector<MixingSheet> sheets;
    for (const MixingTensor matrix : mixingTensorsOf(made)) {
        const Tensor mixing = model.weights.find(tensorNameOf(matrix, layer));
        if (!mixing) continue;
        if (matrix == MixingTensor::collapse)
            sheets.push_back(collapseSheet(mixing, head, made.nPseudo));
        else
            sheets.push_back(made.kind == AttentionKind::iha ? alphaSheet(matrix, mixing, head)
                                                             : wholeSheet(matrix, mixing));
    }
    return sheets;
}

MixingWeight weightAt(const MixingSheet& sheet, int layer, int head, int row, int column) {
    if (sheet.targetsAcross) return {layer, sheet.matrix, {row, column, 0}};
    if (sheet.matrix == MixingTensor::collapse)
        return {layer, sheet.matrix, {head, row * sheet.cols + column, 0}};
    return {layer, sheet.matrix, {row, head, column}};
}

}  // namespace headloom
