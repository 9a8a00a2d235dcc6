#pragma once

#include "views/theme/theme.h"

#include <QWidget>

#include <vector>

class QGridLayout;

namespace headloom {

class ComparisonSetup;

/// A field for everything that can be set in the task: how hard it is. Two fields a line; locked
/// and out of the way while a comparison stands.
class TaskSettingsForm : public QWidget {
    Q_OBJECT
  public:
    TaskSettingsForm(ComparisonSetup& model, const Theme& theme, QWidget* parent = nullptr);

  private:
    void rebuild();
    void refresh();
    QWidget* makeField(const QString& name);
    void restyle();

    ComparisonSetup* model_;
    const Theme* theme_;
    QString task_;  ///< whose fields stand here
    QGridLayout* grid_;
    struct Field {
        QString name;
        QWidget* editor;
    };
    std::vector<Field> fields_;
    bool refreshing_ = false;
};

}  // namespace headloom
