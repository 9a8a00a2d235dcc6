#pragma once

#include "views/theme/theme.h"

#include <QFrame>

#include <array>

class QComboBox;
class QGridLayout;
class QLabel;
class QSpinBox;
class QToolButton;

namespace headloom {

class LearningForm;
class LineSample;
class TaskSettingsForm;
class ComparisonSetup;

/// What is trained: the task, up to four arms with their sizes, how many seeds and steps. Locked
/// while a comparison stands.
class TrainSetup : public QFrame {
    Q_OBJECT
  public:
    TrainSetup(ComparisonSetup& model, const Theme& theme, QWidget* parent = nullptr);

  private:
    static constexpr int arms = 4;
    /// H, P, layers, D, MLP.
    static constexpr int sizes = 5;
    struct Line {
        LineSample* mark;
        QComboBox* base;
        std::array<QSpinBox*, sizes> size;
        QToolButton* remove;
    };

    Line makeLine(int arm);
    void fillTasks();
    void refresh();
    void refreshLine(int arm);
    void writeSize(int arm, int which, int value);
    void restyle();

    ComparisonSetup* model_;
    const Theme* theme_;
    QComboBox* task_;
    TaskSettingsForm* settings_;
    QLabel *look_, *problem_;
    QGridLayout* grid_;
    std::array<Line, arms> lines_;
    QToolButton *add_, *more_;
    LearningForm* learning_;
    QWidget* counts_;  ///< how many arms, seeds and steps
    QSpinBox *seeds_, *steps_;
    bool refreshing_ = false;
};

}  // namespace headloom
