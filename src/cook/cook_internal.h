/* SPDX-License-Identifier: MIT */
/* What the steps of a cook share. A cook goes through them in one direction:
 *
 *   prepare    the host's mesh  ->  positions on the grid, wedges, triangles with a part each
 *   cluster    triangles        ->  clusters of level 0
 *   dag        per level: group -> simplify (collapse where that fails) -> cluster
 *   write      clusters, groups ->  the bytes of the file
 *
 * Words: a `position` is a place of the grid; a `wedge` is a whole vertex (32 packed bytes) at a position; a `part` is
 * what clusters never mix: material, flags and bounds inflation. */
#ifndef TRNI_COOK_INTERNAL_H
#define TRNI_COOK_INTERNAL_H

#include <terrane_cook/cook.h>

#include "base/base_internal.h"

#define TRNI_NONE 0xffffffffu
#define TRNI_MAX_LEVELS 64u
#define TRNI_CLUSTER_VERTICES 64u
#define TRNI_CLUSTER_TRIANGLES 124u /* of 126: library versions before 1.0 want a multiple of 4 */
#define TRNI_WEDGE_BYTES 32u
#define TRNI_WEDGE_FLOATS 5u /* normal, first UV: what steers collapses */

/* ---- arrays that grow (cook_memory.c) ---- */

typedef struct trni_array {
    void *data;
    size_t capacity; /* elements */
    size_t size;     /* bytes of one */
} trni_array;

/* Room for `count` elements of `size` bytes; old ones stay, new ones are not initialised. False: no memory. */
bool trni_array_reserve(const trn_allocator *allocator, trni_array *array, size_t count, size_t size);
void trni_array_free(const trn_allocator *allocator, trni_array *array);

/* An allocator in front of the host's that knows the highest sum lent. */
typedef struct trni_counter {
    trn_allocator inner;
    uint64_t live;
    uint64_t peak;
} trni_counter;
trn_allocator trni_counter_hook(trni_counter *counter);

/* Sorts keys (and the values with them) upwards; equal keys keep their order. The second pair is scratch. */
void trni_sort_u64(uint64_t *keys, uint32_t *values, uint64_t *scratch_keys, uint32_t *scratch_values, size_t count);

static inline uint64_t trni_mix_u64(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}
/* Smallest power of two that leaves a hash table of `count` keys at most half full. */
size_t trni_table_size(size_t count);

/* ---- the cook ---- */

typedef struct trni_cook_part {
    uint32_t material;
    uint32_t flags;
    float inflation;
} trni_cook_part;

typedef struct trni_cook_cluster {
    uint32_t part;
    uint32_t born; /* level that made it */
    uint32_t last; /* coarsest level that it belongs to: where it is stored */
    uint32_t own_group;
    uint32_t parent_group;
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t cone;       /* 4 x s8: axis, cutoff */
    size_t first_vertex; /* in cluster_vertices */
    size_t first_corner; /* in cluster_corners */
    trn_sphere sphere;   /* around its vertices, without inflation */
} trni_cook_cluster;

typedef struct trni_cook_group {
    double raw_error; /* without quantisation */
    float error;      /* as stored */
    trn_sphere sphere;
    uint32_t level; /* of its members */
    uint32_t member_count;
    uint32_t product_count;
} trni_cook_group;

typedef struct trni_cook {
    trn_cook_def def;
    trn_allocator allocator;
    const char *name;
    trn_cook_stats stats;
    uint32_t attributes; /* TRN_ATTRIBUTE_ bits of the source */

    double grid_origin[3];
    double grid_step;
    float quantisation_error;

    uint32_t position_count;
    trni_array positions;    /* 3 float each: exact decoded coordinates */
    trni_array cells;        /* 3 u16 each */
    trni_array border_locks; /* u8 each: 1 on a real border that must stay */

    uint32_t wedge_count;
    trni_array wedges;           /* TRNI_WEDGE_BYTES each: as the file holds them */
    trni_array wedge_positions;  /* u32 each */
    trni_array wedge_attributes; /* TRNI_WEDGE_FLOATS each */

    uint32_t part_count;
    trni_array parts;

    size_t triangle_count;     /* of the source, without what was dropped */
    trni_array corners;        /* 3 wedges a triangle */
    trni_array triangle_parts; /* u32 each */
    trn_box box;

    uint32_t cluster_count;
    trni_array clusters;
    size_t cluster_vertex_count;
    trni_array cluster_vertices; /* u32: wedge */
    size_t cluster_corner_count;
    trni_array cluster_corners; /* u8: vertex within the cluster */

    uint32_t group_count;
    trni_array groups;
    uint32_t level_count;
    uint32_t level_first_group[TRNI_MAX_LEVELS + 1]; /* groups of level l: [l, l + 1) */
} trni_cook;

/* Tells the progress hook. False: cancelled. */
bool trni_cook_progress(trni_cook *cook, const char *phase, double done);

/* ---- prepare.c, attributes.c ---- */

trn_result trni_cook_prepare(trni_cook *cook, const trn_cook_mesh *mesh, trn_error *error);

/* What prepare has when it asks for attributes. */
typedef struct trni_source {
    const trn_cook_mesh *mesh;
    const uint32_t *vertex_positions; /* a source vertex: position, TRNI_NONE where unused */
    const uint32_t *triangles;        /* 3 source vertices each */
    size_t triangle_count;
} trni_source;

/* Packs each source vertex, welds them into wedges and rewrites cook->corners from source vertices to wedges. */
trn_result trni_cook_make_wedges(trni_cook *cook, const trni_source *source);

/* ---- sphere.c ---- */

/* A sphere around spheres (x, y, z, radius each), so much larger than the smallest one that
 * distance + radius <= radius also holds in float arithmetic. */
void trni_sphere_enclose(const double *spheres, size_t count, trn_sphere *to);

/* ---- meshopt_adapter.c: the only place that knows the library ---- */

typedef struct trni_meshlet {
    uint32_t vertex_offset;
    uint32_t corner_offset;
    uint32_t vertex_count;
    uint32_t triangle_count;
} trni_meshlet;

typedef struct trni_meshlets {
    size_t count;
    trni_array meshlets; /* trni_meshlet */
    trni_array vertices; /* u32 */
    trni_array corners;  /* u8 */
    trni_array scratch;
} trni_meshlets;

uint32_t trni_meshopt_version(void);
trn_result trni_meshopt_build(const trn_allocator *allocator, trni_meshlets *to, const uint32_t *indices, size_t index_count,
                              const float *positions, size_t vertex_count);
uint32_t trni_meshopt_cone(const uint32_t *vertices, const uint8_t *corners, size_t triangle_count, const float *positions,
                           size_t vertex_count);
/* Returns the number of indices. `error` is in the units of the positions: with no attributes a length, else a length mixed
 * with how far attributes are off. */
size_t trni_meshopt_simplify(uint32_t *to, const uint32_t *indices, size_t index_count, const float *positions,
                             size_t vertex_count, const float *attributes, size_t attribute_stride, const float *weights,
                             size_t attribute_count, const uint8_t *locks, size_t target_index_count, float *error);

/* ---- cluster.c ---- */

typedef struct trni_cluster_scratch {
    trni_array table;     /* u32: local vertex + 1 */
    trni_array local;     /* u32: local vertex -> wedge */
    trni_array indices;   /* u32 */
    trni_array positions; /* 3 float */
    trni_meshlets meshlets;
} trni_cluster_scratch;
void trni_cluster_scratch_free(const trn_allocator *allocator, trni_cluster_scratch *scratch);

/* Splits triangles of one part (3 wedges each) into clusters and appends them. */
trn_result trni_cluster_build(trni_cook *cook, trni_cluster_scratch *scratch, const uint32_t *corners, size_t triangle_count,
                              uint32_t part, uint32_t level, uint32_t own_group);
/* Clusters of level 0. */
trn_result trni_cluster_source(trni_cook *cook);

/* ---- group.c ---- */

typedef struct trni_grouping {
    uint32_t group_count;
    trni_array first;   /* u32, group_count + 1: where its members start */
    trni_array members; /* u32: index into the active list */
} trni_grouping;
void trni_grouping_free(const trn_allocator *allocator, trni_grouping *grouping);
trn_result trni_group_clusters(const trni_cook *cook, const uint32_t *active, uint32_t count, uint32_t group_size,
                               trni_grouping *to);

/* ---- simplify.c, collapse.c ---- */

/* Which edges more than one group uses; made once a level. */
typedef struct trni_shared_edges {
    size_t mask;
    trni_array keys;   /* u64: position pair + 1, 0 empty */
    trni_array owners; /* u32: group, or TRNI_NONE: several */
} trni_shared_edges;

/* The triangles of one group with numbers of their own. A `place` is a position of the group. */
typedef struct trni_patch {
    size_t triangle_count;
    uint32_t vertex_count; /* (wedge, part) pairs */
    uint32_t place_count;
    trni_array corners;         /* u32, 3 a triangle: vertex */
    trni_array triangle_parts;  /* u32 */
    trni_array vertex_wedges;   /* u32 */
    trni_array vertex_parts;    /* u32 */
    trni_array vertex_places;   /* u32 */
    trni_array vertex_xyz;      /* 3 float */
    trni_array vertex_features; /* TRNI_WEDGE_FLOATS float */
    trni_array vertex_locks;    /* u8 */
    trni_array place_positions; /* u32 */
    trni_array place_locks;     /* u8 */
    trni_array place_borders;   /* u8: on a real border of the mesh */
    size_t edge_mask;
    trni_array edge_keys;  /* u32 */
    trni_array edge_flags; /* u8 */
    trni_array vertex_table;
    trni_array place_table;
    size_t out_count;
    trni_array out_corners; /* u32, 3 a triangle: vertex */
    trni_array out_parts;   /* u32 a triangle */
} trni_patch;

#define TRNI_EDGE_BEFORE 1u
#define TRNI_EDGE_AFTER 2u
#define TRNI_EDGE_SHARED 4u
static inline uint32_t trni_edge_key(uint32_t a, uint32_t b) { return a < b ? a << 16 | b : b << 16 | a; }

typedef struct trni_collapse_scratch {
    trni_array triangles, first_triangle, triangle_list, errors, component, component_size, edges, edge_scratch, edge_values,
        edge_value_scratch, edge_list, candidates, touched, border_first, border_list, links;
} trni_collapse_scratch;

typedef struct trni_distance_scratch {
    trni_array triangles;
    trni_array kept; /* u8 a place */
    trni_array islands; /* u32 a place */
    trni_array boxes;
} trni_distance_scratch;

typedef struct trni_simplifier {
    trni_shared_edges shared;
    trni_array position_owner; /* u32 a position: group, TRNI_NONE none, several: TRNI_NONE - 1 */
    trni_patch patch;
    trni_collapse_scratch collapse;
    trni_distance_scratch distance;
    trni_array indices; /* u32 */
} trni_simplifier;
void trni_simplifier_free(const trn_allocator *allocator, trni_simplifier *simplifier);

/* Finds what the groups of a level share. */
trn_result trni_simplify_begin(const trni_cook *cook, trni_simplifier *simplifier, const uint32_t *active,
                               const trni_grouping *grouping);

typedef enum trni_simplified { TRNI_STUCK, TRNI_REDUCED, TRNI_REDUCED_BY_FALLBACK } trni_simplified;

/* Simplifies one group (its number in the grouping) to about half into patch.out_*; the border it shares with others is
 * the same edge for edge. `step_error` is a length. */
trn_result trni_simplify_group(const trni_cook *cook, trni_simplifier *simplifier, const uint32_t *clusters, uint32_t count,
                               uint32_t group, trni_simplified *outcome, double *step_error);

/* Collapses edges of a patch until `target` triangles are left or nothing more can be done; into out_*. `relaxed` lets
 * triangles turn over. `error` is in grid steps. */
trn_result trni_collapse(const trni_cook *cook, trni_patch *patch, trni_collapse_scratch *scratch, size_t target, bool relaxed,
                         double *error);
void trni_collapse_scratch_free(const trn_allocator *allocator, trni_collapse_scratch *scratch);

/* step_distance.c, in grid steps: how far the vertices that are not in out_* any more (`all`, or only those of islands that
 * vanished whole) lie from the triangles there. */
trn_result trni_step_distance(const trni_cook *cook, const trni_patch *patch, trni_distance_scratch *scratch, bool all,
                              double *distance);
void trni_distance_scratch_free(const trn_allocator *allocator, trni_distance_scratch *scratch);

/* ---- dag.c, write.c ---- */

trn_result trni_dag_build(trni_cook *cook, trn_error *error);
trn_result trni_cook_write(trni_cook *cook, const trn_cook_mesh *mesh, void **bytes, uint64_t *size, trn_error *error);

#endif
