#include "views/heatmap/gl_support.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QSurfaceFormat>

namespace headloom {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("GlSupport", text);
}

GlSupport probe() {
    const QString platform = QGuiApplication::platformName();
    // only where a QOpenGLWidget is known to work: on other platforms showing one may crash
    const QStringList known{"xcb", "wayland", "wayland-egl", "windows", "cocoa"};
    if (!known.contains(platform)) {
        return {false, false, tr("OpenGL is not used on the platform “%1”.").arg(platform)};
    }
    QSurfaceFormat format;
    format.setVersion(3, 3);
    format.setProfile(QSurfaceFormat::CoreProfile);
    QOpenGLContext context;
    context.setFormat(format);
    QOffscreenSurface surface;
    surface.setFormat(format);
    surface.create();
    if (!context.create() || !surface.isValid() || !context.makeCurrent(&surface)) {
        return {false, false, tr("No OpenGL context could be made.")};
    }
    const auto* name = context.functions()->glGetString(GL_RENDERER);
    const QString renderer = name ? QString::fromLatin1(reinterpret_cast<const char*>(name)) : "";
    const bool enough = context.format().version() >= qMakePair(3, 3);
    context.doneCurrent();
    if (!enough) return {false, false, tr("OpenGL 3.3 is needed, %1 has less.").arg(renderer)};
    bool software = false;
    for (const char* soft : {"llvmpipe", "softpipe", "swrast", "software"}) {
        software |= renderer.contains(QLatin1String(soft), Qt::CaseInsensitive);
    }
    return {true, software, renderer};
}

}  // namespace

const GlSupport& glSupport() {
    static const GlSupport support = probe();
    return support;
}

}  // namespace headloom
