#pragma once

#include <QString>

namespace headloom {

/// What OpenGL there is, found out once a run: the platform and the driver do not change.
struct GlSupport {
    bool usable = false;    ///< a window system that shows QOpenGLWidget, and a 3.3 core context
    bool software = false;  ///< drawn by the CPU, where RasterRenderer is several times faster
    QString reason;         ///< a sentence: the renderer's name, or why OpenGL cannot be used
};

/// Needs a QGuiApplication. A shown QOpenGLWidget crashes on the offscreen, vnc and minimal
/// platforms, so never make one where this says no.
const GlSupport& glSupport();

}  // namespace headloom
