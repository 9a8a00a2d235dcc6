#pragma once

#include "views/theme/theme.h"

#include <QWidget>

#include <vector>

namespace headloom {

/// The masses of a head's P x P tiles, laid out like the tiles: as numbers, or where these do not
/// fit as bars beside the largest of them.
class MassGrid : public QWidget {
    Q_OBJECT
  public:
    explicit MassGrid(const Theme& theme, QWidget* parent = nullptr);

    /// masses[p * pseudos + r]; `marked`: index of the open tile, or -1.
    void setMasses(std::vector<double> masses, int pseudos, int marked);
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void drawBar(QPainter& painter, const QRectF& box, double mass, QColor colour) const;

    const Theme* theme_;
    std::vector<double> masses_;
    int pseudos_ = 0, marked_ = -1;
};

}  // namespace headloom
