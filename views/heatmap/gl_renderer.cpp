#include "views/heatmap/gl_renderer.h"

#include <QColor>
#include <QFile>
#include <QPainter>
#include <QVector2D>
#include <QVector4D>

#include <algorithm>

namespace headloom {
namespace {

/// Floats of one instance: place (4), store (4), extra (2); see assets/shaders/map.vert.
constexpr int instanceFloats = 10;

QByteArray shaderText(const char* name) {
    QFile file(QStringLiteral(":/shaders/") + QLatin1String(name));
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);
    return opened ? file.readAll() : QByteArray();
}

QVector4D toVector(QRgb colour) {
    return QVector4D(qRed(colour), qGreen(colour), qBlue(colour), 255) / 255.0f;
}

}  // namespace

GlRenderer::~GlRenderer() {
    if (values_ != 0) glDeleteTextures(1, &values_);
    if (table_ != 0) glDeleteTextures(1, &table_);
}

bool GlRenderer::initialise() {
    if (!initializeOpenGLFunctions()) return false;
    if (!program_.addShaderFromSourceCode(QOpenGLShader::Vertex, shaderText("map.vert")) ||
        !program_.addShaderFromSourceCode(QOpenGLShader::Fragment, shaderText("map.frag")) ||
        !program_.link()) {
        return false;
    }
    if (!corners_.create() || !instances_.create()) return false;
    corners_.bind();
    instances_.bind();
    instances_.setUsagePattern(QOpenGLBuffer::DynamicDraw);
    const int sizes[] = {4, 4, 2};
    int offset = 0;
    for (unsigned location = 0; location < 3; ++location) {
        glEnableVertexAttribArray(location);
        glVertexAttribPointer(location, sizes[location], GL_FLOAT, GL_FALSE,
                              instanceFloats * sizeof(float),
                              reinterpret_cast<const void*>(offset * sizeof(float)));
        glVertexAttribDivisor(location, 1);
        offset += sizes[location];
    }
    corners_.release();
    instances_.release();
    glGenTextures(1, &table_);
    return true;
}

void GlRenderer::draw(QPainter& painter, const MapScene& scene) {
    const QPaintDevice* device = painter.device();
    const QSize surface(qRound(device->width() * device->devicePixelRatioF()),
                        qRound(device->height() * device->devicePixelRatioF()));
    painter.beginNativePainting();
    const bool fits = store(scene);
    if (fits && !scene.sheet.isEmpty()) {
        const QRect area = scene.mapping.area;
        glDisable(GL_BLEND);
        glDisable(GL_DEPTH_TEST);
        glDisable(GL_STENCIL_TEST);
        glEnable(GL_SCISSOR_TEST);
        glScissor(area.left(), surface.height() - area.bottom() - 1, area.width(), area.height());
        const QVector4D ground = toVector(scene.colours.ground);
        glClearColor(ground.x(), ground.y(), ground.z(), 1);
        glClear(GL_COLOR_BUFFER_BIT);
        program_.bind();
        setUniforms(scene, surface);
        const int count = setInstances(scene);
        glActiveTexture(GL_TEXTURE1);
        glBindTexture(GL_TEXTURE_2D, table_);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D_ARRAY, values_);
        corners_.bind();
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
        corners_.release();
        glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
        program_.release();
        glDisable(GL_SCISSOR_TEST);
    }
    painter.endNativePainting();
    if (!fits) fallback_.draw(painter, scene);
}

bool GlRenderer::reserve(const MapSheet& sheet) {
    if (sheet.queries == queries_ && sheet.keys == keys_ && sheet.tileCount() == tiles_) {
        return values_ != 0;
    }
    if (values_ != 0) glDeleteTextures(1, &values_);
    values_ = 0;
    queries_ = sheet.queries;
    keys_ = sheet.keys;
    tiles_ = sheet.tileCount();
    contents_.assign(static_cast<std::size_t>(tiles_), {});
    GLint largestSide = 0, mostLayers = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largestSide);
    glGetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &mostLayers);
    // a driver may have as few as 256 layers, so several tiles may share one
    tilesPerLayer_ = (tiles_ + mostLayers - 1) / mostLayers;
    const std::int64_t height = std::int64_t{queries_} * tilesPerLayer_;
    if (keys_ > largestSide || height > largestSide) return false;
    const int layers = (tiles_ + tilesPerLayer_ - 1) / tilesPerLayer_;
    while (glGetError() != GL_NO_ERROR) {
    }
    glGenTextures(1, &values_);
    glBindTexture(GL_TEXTURE_2D_ARRAY, values_);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R32F, keys_, static_cast<GLsizei>(height), layers, 0,
                 GL_RED, GL_FLOAT, nullptr);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    if (glGetError() == GL_NO_ERROR) return true;
    glDeleteTextures(1, &values_);  // out of memory
    values_ = 0;
    return false;
}

bool GlRenderer::store(const MapScene& scene) {
    const MapSheet& sheet = scene.sheet;
    if (generation_ == scene.generation && generation_ != 0) return values_ != 0;
    generation_ = scene.generation;
    if (sheet.isEmpty()) return true;
    if (!reserve(sheet)) return false;
    storeTable(scene.colours.table);
    glBindTexture(GL_TEXTURE_2D_ARRAY, values_);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    for (int tile = 0; tile < tiles_; ++tile) {
        const MapTile& data = sheet.tiles[static_cast<std::size_t>(tile)];
        Stored& stored = contents_[static_cast<std::size_t>(tile)];
        const bool same = stored.values == data.values && stored.rowStride == data.rowStride;
        const int from = same ? stored.rows : 0, to = sheet.knownRows();
        if (!data.values || from >= to) {
            if (!same) stored = {data.values, data.rowStride, 0};
            continue;
        }
        glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(data.rowStride));
        glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, tile % tilesPerLayer_ * queries_ + from,
                        tile / tilesPerLayer_, keys_, to - from, 1, GL_RED, GL_FLOAT,
                        data.values.get() + from * data.rowStride);
        stored = {data.values, data.rowStride, to};
    }
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    return true;
}

void GlRenderer::storeTable(const ColourTable& table) {
    std::vector<unsigned char> bytes;
    for (QRgb colour : table.entries) {
        for (int channel : {qRed(colour), qGreen(colour), qBlue(colour), 255}) {
            bytes.push_back(static_cast<unsigned char>(channel));
        }
    }
    glBindTexture(GL_TEXTURE_2D, table_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
}

void GlRenderer::setUniforms(const MapScene& scene, const QSize& surface) {
    const CellColours& colours = scene.colours;
    program_.setUniformValue("surface", QVector2D(surface.width(), surface.height()));
    program_.setUniformValue("values", 0);
    program_.setUniformValue("table", 1);
    glUniform2i(program_.uniformLocation("cells"), keys_, queries_);
    program_.setUniformValue("cell", static_cast<float>(scene.mapping.cell));
    program_.setUniformValue("block", scene.block());
    program_.setUniformValue("knownRows", scene.sheet.knownRows());
    program_.setUniformValue("lineWidth", scene.cellLineWidth());
    program_.setUniformValue("hatchPeriod", scene.hatchPeriod());
    program_.setUniformValue("hatchWidth", scene.hatchWidth());
    program_.setUniformValue("curve", static_cast<int>(scene.scale.curve));
    program_.setUniformValue("logDecades", ValueMapping::logDecades);
    program_.setUniformValue("isSigned", scene.sheet.isSigned);
    program_.setUniformValue("hideSink", scene.scale.hideSink);
    program_.setUniformValue("masked", toVector(colours.masked));
    program_.setUniformValue("sink", toVector(colours.sink));
    program_.setUniformValue("notFinite", toVector(colours.notFinite));
    program_.setUniformValue("hatchGround", toVector(colours.hatchGround));
    program_.setUniformValue("hatchLine", toVector(colours.hatchLine));
    program_.setUniformValue("cellLine", toVector(colours.cellLine));
}

int GlRenderer::setInstances(const MapScene& scene) {
    std::vector<float> floats;
    int count = 0;
    for (int tile = 0; tile < tiles_; ++tile) {
        const QRect place = scene.mapping.tileRect(tile);
        if (!place.intersects(scene.mapping.area)) continue;
        const MapTile& data = scene.sheet.tiles[static_cast<std::size_t>(tile)];
        for (int value : {place.left(), place.top(), place.width(), place.height(),
                          tile / tilesPerLayer_, tile % tilesPerLayer_ * queries_}) {
            floats.push_back(static_cast<float>(value));
        }
        floats.push_back(scene.mappings[static_cast<std::size_t>(tile)].maximum);
        // a float has room for every offset that can occur, not for the largest int
        floats.push_back(static_cast<float>(std::min(data.maskedFrom, 1 << 23)));
        floats.push_back(static_cast<float>(data.window));
        floats.push_back(data.values ? 1.0f : 0.0f);
        ++count;
    }
    instances_.bind();
    instances_.allocate(floats.data(), static_cast<int>(floats.size() * sizeof(float)));
    instances_.release();
    return count;
}

}  // namespace headloom
