#pragma once

#include "views/heatmap/colour_scale.h"
#include "views/theme/theme.h"
#include "views/viewmodels/map_ref.h"

#include <QScrollArea>

#include <vector>

namespace headloom {

class ExploreViewModel;
class HeadCard;

/// Every head of an IHA layer in small, one under the other.
class HeadStrip : public QScrollArea {
    Q_OBJECT
  public:
    HeadStrip(ExploreViewModel& model, Side side, const Theme& theme, QWidget* parent = nullptr);

    void refresh();
    void setScale(const ColourScale& scale);
    /// The largest value on any card.
    float largest(bool hideSink) const;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fit();

    ExploreViewModel* model_;
    Side side_;
    const Theme* theme_;
    QWidget* inside_;
    std::vector<HeadCard*> cards_;
};

}  // namespace headloom
