/* SPDX-License-Identifier: MIT */
/* The buffers of a frame; renderer.c fills and binds them by these numbers. */

/* A trn_draw (terrane/lod.h). */
struct Draw {
    mat4 matrix;
    vec3 eye;
    float pixels_per_error;
    vec4 sphere;
    float near_distance;
    uint first_page;
    uint page_count;
    uint flags;
    uint instance;
    uint model;
    uint reserved[2];
};

/* A renderer_model (renderer.h). */
struct Model {
    vec3 grid_origin;
    float grid_step;
    vec3 color;
    uint flags;
};
#define MODEL_TERRAIN 1u

/* A renderer_visible_cluster (renderer.h). */
struct VisibleCluster {
    uint draw;
    uint slot;
    uint vertex_base;
    uint first_index; /* where its corners begin in the index buffer; they run backwards for two-sided clusters */
};

layout(std430, binding = 0) readonly buffer VertexArena { uint vertex_words[]; };
layout(std430, binding = 1) readonly buffer ClusterArena { uint cluster_words[]; };
layout(std430, binding = 2) readonly buffer PageTable { trn_page_entry pages[]; };
layout(std430, binding = 3) readonly buffer DrawList { Draw draws[]; };
layout(std430, binding = 4) readonly buffer ModelTable { Model models[]; };
#define TRN_VERTEX_WORD(index) vertex_words[index]
#define TRN_CLUSTER_WORD(index) cluster_words[index]

#define MODE_SHADED 0u
#define MODE_DEBUG 1u

layout(std140, binding = 0) uniform Frame {
    mat4 view;                   /* render-relative metres to eye */
    mat4 projection;             /* reversed: depth 1 at the near plane, 0 at infinity */
    mat4 eye_to_world;           /* inverse of view: columns are the camera's axes and place */
    vec4 planes[5];              /* unit normals that point inside, render-relative; left, right, bottom, top, near */
    vec4 render_origin;          /* world place of the render origin */
    vec4 light;                  /* direction to the light */
    vec2 tangent;                /* of half the field of view, x and y */
    vec2 viewport;               /* pixels */
    float near_plane;
    float haze_distance;         /* metres at which haze covers 63 % */
    float water_height;          /* world metres */
    uint mode;
    uint draw_count;
    uint cull;                   /* 0: frustum and cone tests are off */
    uint water;
    uint page_pair_capacity;
    uint cluster_capacity;
    uint index_capacity;
};
