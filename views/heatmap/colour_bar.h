#pragma once

#include "views/heatmap/colour_scale.h"
#include "views/theme/theme.h"

#include <QWidget>

namespace headloom {

/// The colour table of a scale with tick numbers, lying on its side.
class ColourBar : public QWidget {
    Q_OBJECT
  public:
    explicit ColourBar(const Theme& theme, QWidget* parent = nullptr);
    /// See HeatmapView::valueMapping.
    void setMapping(const ValueMapping& mapping);
    /// Words in front of the bar, such as "attention" or "shared, sqrt"; may be empty.
    void setCaption(const QString& caption);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    const Theme& theme_;
    ValueMapping mapping_;
    QString caption_;
};

}  // namespace headloom
