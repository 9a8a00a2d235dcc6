#version 330 core
// Follows views/heatmap/raster_renderer.cpp step by step: that one is the reference.
flat in vec2 origin;
flat in vec4 tile;
flat in vec2 more;

uniform vec2 surface;
uniform sampler2DArray values;  // [layer, row, key]
uniform sampler2D table;        // 256 colours
uniform ivec2 cells;            // keys, queries
uniform float cell;             // pixels to a cell's side
uniform int block, knownRows, lineWidth, hatchPeriod, hatchWidth;
uniform int curve;  // 0 linear, 1 square root, 2 logarithmic
uniform float logDecades;
uniform bool isSigned, hideSink;
uniform vec4 masked, sink, notFinite, hatchGround, hatchLine, cellLine;

out vec4 colour;

const int maskedCode = 0, pendingCode = 1, sinkCode = 2, firstValueCode = 3;
const int notFiniteCode = firstValueCode + 256;

float fractionOf(float value) {
    if (!(tile.z > 0.0)) return 0.0;
    float share = clamp((isSigned ? abs(value) : value) / tile.z, 0.0, 1.0);
    if (curve == 0) return share;
    if (curve == 1) return sqrt(share);
    return share > 0.0 ? max(0.0, 1.0 + log(share) / log(10.0) / logDecades) : 0.0;
}

int codeOf(int query, int key) {
    if (more.y == 0.0) return maskedCode;
    if (float(key - query) >= tile.w) return maskedCode;
    if (more.x > 0.0 && float(query - key) >= more.x) return maskedCode;
    if (query >= knownRows) return pendingCode;
    if (hideSink && key == 0) return sinkCode;
    float value = texelFetch(values, ivec3(key, int(tile.y) + query, int(tile.x)), 0).r;
    // by its bits, because a compiler may take isnan for false
    if ((floatBitsToUint(value) & 0x7f800000u) == 0x7f800000u) return notFiniteCode;
    if (!isSigned) return firstValueCode + int(fractionOf(value) * 255.0 + 0.5);
    int steps = int(fractionOf(value) * 127.0 + 0.5);
    return firstValueCode + 2 * steps + (value < 0.0 && steps > 0 ? 1 : 0);
}

vec4 colourOf(int code, ivec2 pixel) {
    if (code == maskedCode) return masked;
    if (code == pendingCode) {
        return (pixel.x + pixel.y) % hatchPeriod < hatchWidth ? hatchLine : hatchGround;
    }
    if (code == sinkCode) return sink;
    if (code == notFiniteCode) return notFinite;
    int index = code - firstValueCode;
    if (isSigned) index = index % 2 == 0 ? 128 + index / 2 : 128 - index / 2;
    return texelFetch(table, ivec2(clamp(index, 0, 255), 0), 0);
}

void main() {
    vec2 centre = vec2(gl_FragCoord.x, surface.y - gl_FragCoord.y) - origin;
    ivec2 pixel = ivec2(floor(centre));
    ivec2 last = cells - 1;
    if (cell >= 1.0) {
        ivec2 at = min(ivec2(centre / cell), last);
        ivec2 first = ivec2(ceil(vec2(at) * cell - 0.5));
        bvec2 onLine = bvec2(at.x > 0 && pixel.x - first.x < lineWidth,
                             at.y > 0 && pixel.y - first.y < lineWidth);
        colour = any(onLine) ? cellLine : colourOf(codeOf(at.y, at.x), pixel);
        return;
    }
    ivec2 from = min(ivec2(vec2(pixel) / cell), last) / block * block;
    ivec2 to = min(min(ivec2(ceil(vec2(pixel + 1) / cell)) - 1, last) / block * block + block, cells);
    int strongest = maskedCode;
    for (int query = from.y; query < to.y; ++query) {
        for (int key = from.x; key < to.x; ++key) strongest = max(strongest, codeOf(query, key));
    }
    colour = colourOf(strongest, pixel);
}
