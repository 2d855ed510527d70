/* SPDX-License-Identifier: MIT */
/* An off-screen renderer for what a Terrane world says is to be drawn: OpenGL 4.5 through EGL, without display or window.
 *
 * It owns what a host's renderer owns: the two mesh memory arenas, the page table, the draw list. The host fills them from
 * the outputs of trn_world_update; the GPU chooses the clusters (three compute passes) and draws them. Plain software OpenGL
 * will do. One thread at a time uses a renderer, the one that created it: its context is current there.
 *
 *     renderer *r = renderer_create(&(renderer_def){.width = 1280, ...}, text);
 *     each frame: renderer_copy ... renderer_set_pages, renderer_set_draws, renderer_draw
 *     now and then: renderer_read_pixels, png_write
 */
#ifndef VIEWER_RENDERER_H
#define VIEWER_RENDERER_H

#include <terrane/lod.h>
#include <terrane/shader/terrane_shared.h>
#include <terrane/stream.h>

#define RENDERER_ERROR_BYTES 512

typedef struct renderer renderer;

typedef struct renderer_def {
    uint32_t width; /* pixels, > 0 */
    uint32_t height;
    uint32_t supersample; /* 1: one sample a pixel; 2: four, averaged (smooth edges, four times the fill work); 0: 1 */
    uint64_t vertex_memory_bytes; /* sizes of the arenas, > 0; trn_world_arena_bytes */
    uint64_t cluster_memory_bytes;
} renderer_def;

/* Returns NULL and a line of text when this machine cannot do it (no EGL, no OpenGL 4.5, arenas too large). */
renderer *renderer_create(const renderer_def *def, char error[RENDERER_ERROR_BYTES]);
void renderer_destroy(renderer *r);

/* The driver's name for what draws. */
const char *renderer_device(const renderer *r);

/* ---- What is in memory ------------------------------------------------------------------------------------------- */

/* A piece of a page goes into mesh memory: `to`, `bytes` within the arena. Later draws see it, earlier ones do not. */
void renderer_copy(renderer *r, trn_arena arena, uint64_t to, const void *from, uint64_t bytes);

/* Replaces entries [first, first + count) of the page table; it grows as needed. */
void renderer_set_pages(renderer *r, const trn_page_entry *entries, uint32_t first, uint32_t count);

#define RENDERER_MODEL_TERRAIN 1u /* sand, grass, rock and snow by height and slope, times the colours */

/* What the mesh memory does not say about a model. */
typedef struct renderer_model {
    float grid_origin[3]; /* trn_model_info */
    float grid_step;
    float color[3]; /* linear; the vertices' colours are multiplied with it */
    uint32_t flags; /* RENDERER_MODEL_ bits */
} renderer_model;

/* Tells about the model that draws call `model`, < 65,536. */
void renderer_set_model(renderer *r, uint32_t model, const renderer_model *info);

/* ---- A frame ----------------------------------------------------------------------------------------------------- */

typedef enum renderer_mode {
    RENDERER_SHADED = 0,
    RENDERER_DEBUG = 1 /* a hue a level, a brightness a cluster, on a dark background */
} renderer_mode;

typedef struct renderer_frame {
    float view[16];   /* column-major, rigid: metres relative to the render origin to eye space (looks along -z) */
    float fov_y;      /* radians; the width follows from the size of the picture */
    float near_plane; /* metres, > 0 */
    double render_origin[3];
    float light[3];      /* direction to the light; all zero: a morning sun */
    float haze_distance; /* metres at which haze covers 63 %; 0: 10,000 */
    bool water;          /* a sea at water_height */
    float water_height;  /* metres in the world; snow lines and shores of terrain count from here too */
    renderer_mode mode;
    bool keep_all; /* no frustum and no cone test: the whole cut is drawn */
} renderer_frame;

typedef struct renderer_stats {
    uint32_t draws; /* given */
    uint32_t draws_in_view;
    uint32_t page_pairs;     /* resident pages of these, looked through cluster by cluster */
    uint32_t clusters;       /* drawn */
    uint64_t triangles;      /* drawn, without fill */
    double cut_milliseconds; /* GPU time of choosing, of drawing the meshes, and of all the rest */
    double mesh_milliseconds;
    double composite_milliseconds;
} renderer_stats;

/* Replaces the draw list (trn_world_draws). */
void renderer_set_draws(renderer *r, const trn_draw *draws, uint32_t count);

/* Draws one picture and waits for the numbers. False when there are more clusters in view than a buffer can name; the
 * picture is then empty. */
bool renderer_draw(renderer *r, const renderer_frame *frame, renderer_stats *stats);

/* Results of the last draw, rows from top to bottom. `rgba`: width x height x 4 bytes. */
void renderer_read_pixels(const renderer *r, uint8_t *rgba);
/* Distance along the view axis in metres, infinite where there is no mesh; width x height floats x supersample squared. */
void renderer_read_distance(const renderer *r, float *distance);

/* A cluster that the last draw chose; order is arbitrary. */
typedef struct renderer_visible_cluster {
    uint32_t draw;        /* index into the draw list */
    uint32_t slot;        /* cluster in the arena */
    uint32_t vertex_base; /* of its vertex references, from the arena's start */
    uint32_t first_index;
} renderer_visible_cluster;

/* Returns the number of clusters; writes at most `capacity`. */
uint32_t renderer_read_visible(const renderer *r, renderer_visible_cluster *clusters, uint32_t capacity);

#endif
