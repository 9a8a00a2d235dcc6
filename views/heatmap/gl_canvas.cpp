#include "views/heatmap/gl_canvas.h"

#include "views/heatmap/gl_renderer.h"

#include <QOpenGLContext>
#include <QPainter>
#include <QSurfaceFormat>

namespace headloom {

GlCanvas::GlCanvas(QWidget* parent, Paint paint, std::function<QRgb()> ground)
    : QOpenGLWidget(parent), paint_(std::move(paint)), ground_(std::move(ground)) {
    QSurfaceFormat surface = format();
    surface.setVersion(3, 3);
    surface.setProfile(QSurfaceFormat::CoreProfile);
    surface.setSamples(0);
    setFormat(surface);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
}

GlCanvas::~GlCanvas() {
    release();
    // the base destroys the context when nothing of ours is left to answer
    if (context()) disconnect(context(), nullptr, this, nullptr);
}

void GlCanvas::release() {
    if (!renderer_) return;
    makeCurrent();
    renderer_.reset();
    doneCurrent();
}

void GlCanvas::initializeGL() {
    connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, [this] { release(); });
    auto gl = std::make_unique<GlRenderer>();
    if (gl->initialise())
        renderer_ = std::move(gl);
    else
        renderer_ = std::make_unique<RasterRenderer>();
}

void GlCanvas::paintGL() {
    QPainter painter(this);
    painter.fillRect(rect(), QColor(ground_()));
    paint_(painter, *renderer_);
}

}  // namespace headloom
