#pragma once

#include "views/theme/theme.h"

#include <QScrollArea>

#include <array>

class QDoubleSpinBox;
class QLabel;

namespace headloom {

class ComparisonPanel;
class ElidedLabel;
class ExploreViewModel;

/// What the step means in numbers: the example, the answer, the evidence, the open maps, the cost.
class SidePanel : public QScrollArea {
    Q_OBJECT
  public:
    SidePanel(ExploreViewModel& model, const Theme& theme, QWidget* parent = nullptr);

    enum Section { answer, evidence, tile, cost, sectionCount };
    ComparisonPanel& section(Section section) { return *sections_[section]; }
    void setSectionOpen(Section section, bool open);
    bool isSectionOpen(Section section) const;
    QSize sizeHint() const override;

  private:
    void refresh();
    void restyle();

    ExploreViewModel* model_;
    const Theme* theme_;
    QLabel *title_, *look_;
    ElidedLabel *leftName_, *rightName_;
    QWidget* names_;
    QDoubleSpinBox* temperature_;
    std::array<ComparisonPanel*, sectionCount> sections_{};
};

}  // namespace headloom
