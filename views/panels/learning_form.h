#pragma once

#include "views/theme/theme.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QGridLayout;
class QLineEdit;

namespace headloom {

class ComparisonSetup;
struct LearningChanges;

/// How all arms learn: learning rate, batch, start of the mixing, goal. An empty field leaves each
/// arm its own. Hidden while a comparison stands.
class LearningForm : public QWidget {
    Q_OBJECT
  public:
    LearningForm(ComparisonSetup& model, const Theme& theme, QWidget* parent = nullptr);

  private:
    struct Field {
        QLineEdit* line;
        std::optional<double> LearningChanges::*number;
    };
    void place(const QString& title, const QString& tip, QWidget* editor);
    void addNumber(const QString& title, const QString& tip,
                   std::optional<double> LearningChanges::*number);
    void write();
    void refresh();
    void restyle();

    ComparisonSetup* model_;
    const Theme* theme_;
    QGridLayout* grid_;
    std::vector<Field> fields_;
    QComboBox* start_;
};

}  // namespace headloom
