#pragma once

#include "views/heatmap/map_renderer.h"

#include <QOpenGLWidget>

#include <functional>
#include <memory>

namespace headloom {

/// The OpenGL surface of a HeatmapView. Its objects are made anew whenever the context is: moving a
/// dock to another window replaces it.
class GlCanvas : public QOpenGLWidget {
  public:
    using Paint = std::function<void(QPainter&, MapRenderer&)>;
    /// `ground` is asked for the colour behind everything.
    GlCanvas(QWidget* parent, Paint paint, std::function<QRgb()> ground);
    ~GlCanvas() override;

  protected:
    void initializeGL() override;
    void paintGL() override;

  private:
    void release();

    Paint paint_;
    std::function<QRgb()> ground_;
    std::unique_ptr<MapRenderer> renderer_;
};

}  // namespace headloom
