#pragma once

#include "views/heatmap/raster_renderer.h"

#include <QOpenGLBuffer>
#include <QOpenGLFunctions_3_3_Core>
#include <QOpenGLShaderProgram>
#include <QOpenGLVertexArrayObject>

namespace headloom {

/// Draws all tiles of a sheet in one instanced call: values in an R32F texture array, colours in a
/// table texture (assets/shaders). Make, use and destroy it with its context current.
class GlRenderer : public MapRenderer, private QOpenGLFunctions_3_3_Core {
  public:
    GlRenderer() = default;
    ~GlRenderer() override;
    GlRenderer(const GlRenderer&) = delete;
    GlRenderer& operator=(const GlRenderer&) = delete;

    /// Makes the objects of the current context. False where the driver refuses.
    bool initialise();
    /// The painter's device must be the current OpenGL surface. A sheet too large for the textures
    /// is drawn by a RasterRenderer instead.
    void draw(QPainter& painter, const MapScene& scene) override;

  private:
    struct Stored {
        std::shared_ptr<const float> values;
        std::ptrdiff_t rowStride = 0;
        int rows = 0;  // uploaded
    };
    bool store(const MapScene& scene);
    bool reserve(const MapSheet& sheet);
    void storeTable(const ColourTable& table);
    void setUniforms(const MapScene& scene, const QSize& surface);
    int setInstances(const MapScene& scene);

    QOpenGLShaderProgram program_;
    QOpenGLVertexArrayObject corners_;
    QOpenGLBuffer instances_;
    unsigned values_ = 0, table_ = 0;
    int queries_ = 0, keys_ = 0, tiles_ = 0, tilesPerLayer_ = 1;
    ColourTable stored_;
    std::vector<Stored> contents_;
    std::uint64_t generation_ = 0;
    RasterRenderer fallback_;
};

}  // namespace headloom
