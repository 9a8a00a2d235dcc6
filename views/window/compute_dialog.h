#pragma once

namespace headloom {

class ComputeModel;
class MainWindow;

/// Compares two backends on the model in view, tensor by tensor.
void showComputeDialog(MainWindow& window, ComputeModel& model);

}  // namespace headloom
