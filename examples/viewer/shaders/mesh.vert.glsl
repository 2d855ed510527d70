/* SPDX-License-Identifier: MIT */
/* Vertices are pulled: an index names a visible cluster and a local vertex of it. */
layout(std430, binding = 7) readonly buffer VisibleClusters { VisibleCluster visible[]; };

layout(location = 0) out vec3 world_position; /* metres */
layout(location = 1) out vec3 normal;
layout(location = 2) out vec3 color; /* linear */
layout(location = 3) flat out uint terrain;

/* Well spread numbers from any number. */
uint hash(uint x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

vec3 from_hue(float hue, float saturation, float value) {
    vec3 full = clamp(abs(fract(hue + vec3(0.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
    return value * mix(vec3(1.0), full, saturation);
}

/* Levels run from red (finest) through the rainbow and around again; clusters differ a little in brightness. */
vec3 debug_color(uint level, uint slot) {
    float variation = float(hash(slot) & 255u) / 255.0;
    return from_hue(fract(float(level) * 0.11), 0.85, 0.50 + 0.50 * variation);
}

vec3 material_color(VisibleCluster cluster, uint vertex) {
    vec3 painted = pow(trn_vertex_color(vertex).rgb, vec3(2.2));
    uint material = trn_cluster_material(cluster.slot);
    vec3 tint = material == 0u ? vec3(1.0) : mix(vec3(1.0), from_hue(float(hash(material) & 255u) / 255.0, 0.5, 1.0), 0.6);
    return models[draws[cluster.draw].model].color * painted * tint;
}

void main() {
    VisibleCluster cluster = visible[uint(gl_VertexID) >> 6];
    mat4 matrix = draws[cluster.draw].matrix;
    uint model = draws[cluster.draw].model;
    uint vertex = trn_vertex_index(cluster.slot, cluster.vertex_base, uint(gl_VertexID) & 63u);

    vec4 position = matrix * vec4(trn_vertex_position(vertex, models[model].grid_origin, models[model].grid_step), 1.0);
    gl_Position = projection * (view * position);
    world_position = position.xyz + render_origin.xyz;
    normal = mat3(matrix) * trn_vertex_normal(vertex); /* scale is uniform; the fragment normalises */
    color = mode == MODE_DEBUG ? debug_color(trn_level(trn_cluster_counts(cluster.slot)), cluster.slot)
                               : material_color(cluster, vertex);
    terrain = models[model].flags & MODEL_TERRAIN;
}
