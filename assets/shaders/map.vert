#version 330 core
// One instance a tile, four corners each; every length is in pixels from the surface's top left.
layout(location = 0) in vec4 place;  // left, top, width, height
layout(location = 1) in vec4 store;  // texture layer, first row in it, maximum, maskedFrom
layout(location = 2) in vec2 extra;  // window, 1 where the tile has data

uniform vec2 surface;

flat out vec2 origin;
flat out vec4 tile;
flat out vec2 more;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 at = (place.xy + corner * place.zw) / surface;
    gl_Position = vec4(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, 0.0, 1.0);
    origin = place.xy;
    tile = store;
    more = extra;
}
