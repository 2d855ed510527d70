/* SPDX-License-Identifier: MIT */
/** @file
 * The offline half: a mesh becomes a model file (a DAG of clusters), and a model file is proved to be right.
 *
 * A function here may take minutes and gigabytes; all are free of global state, and two may run on two threads.
 * meshoptimizer, which does the simplification, ends the process when it runs out of memory itself.
 */
#ifndef TERRANE_COOK_H
#define TERRANE_COOK_H

#include <terrane/base.h>
#include <terrane/model.h>

#define TRN_SUBMESH_TWO_SIDED 1u
#define TRN_SUBMESH_ALPHA_TESTED 2u

/** Part of a mesh with one material. */
typedef struct trn_cook_submesh {
    uint64_t first_index;
    uint64_t index_count;   /**< a multiple of 3 */
    uint32_t material;      /**< < material_count; several submeshes may share one */
    uint32_t flags;         /**< TRN_SUBMESH_ bits */
    float bounds_inflation; /**< metres added to cull spheres, for vertices that are animated; >= 0 */
} trn_cook_submesh;

/** An indexed triangle mesh. Arrays are only read, and only during the call. */
typedef struct trn_cook_mesh {
    const float *positions; /**< 3 a vertex, required; finite where used */
    const float *normals;   /**< 3 a vertex or NULL (then made, smooth) */
    const float *tangents;  /**< 4 a vertex, the last is the sign, or NULL (then made where there are UVs) */
    const float *uv0;       /**< 2 a vertex or NULL */
    const float *uv1;       /**< 2 a vertex or NULL */
    const uint8_t *colors;  /**< 4 a vertex or NULL (white) */
    uint32_t vertex_count;
    const uint32_t *indices; /**< 3 a triangle, each < vertex_count */
    uint64_t index_count;
    const trn_cook_submesh *submeshes; /**< NULL: one, with everything in it; else in order, without gaps or overlap */
    uint32_t submesh_count;
    const char *const *material_names; /**< NULL: "material N" */
    uint32_t material_count;           /**< 0: one */
} trn_cook_mesh;

/** Levels until one cluster a material is left. */
#define TRN_COOK_LEVELS_AUTO 0xffffffffu

/** What is cooked and how. All zero: level 0 alone, groups of 8, the additive rule, free borders. */
typedef struct trn_cook_def {
    uint32_t levels;           /**< 0: 1 (level 0 alone); 1..64; TRN_COOK_LEVELS_AUTO */
    uint32_t group_size;       /**< clusters a group, 0: 8; 2..64 */
    trn_error_rule error_rule; /**< 0: additive */
    bool lock_mesh_border;     /**< real borders keep every vertex (terrain tiles) */
    float normal_weight;       /**< how much the source's normals steer collapses; 0: 0.5; negative: not at all */
    float uv_weight;           /**< the same for UVs (of unit size); 0: 0.5; negative: not at all */
    const char *name;          /**< for error texts; NULL: "mesh" */
    /** Told how far the cook is, 0..1, from the calling thread; returns false to cancel. NULL: nobody. */
    bool (*progress)(void *user, const char *phase, float done);
    void *progress_user;
    trn_allocator allocator; /**< for everything but meshoptimizer's own scratch memory */
    trn_log log;             /**< notes on what was repaired, made or left out */
} trn_cook_def;

/** Figures of one cook. Times are not among them: a cook reads no clock. */
typedef struct trn_cook_stats {
    uint64_t source_triangles;
    uint64_t source_vertices;
    uint64_t dropped_triangles;  /**< two corners at one place of the grid, or no area (kept where they join edges) */
    uint64_t duplicate_vertices; /**< welded away */
    uint32_t level_count;
    uint32_t group_count;
    uint32_t terminal_clusters; /**< without anything coarser */
    uint32_t cluster_count;
    uint32_t fallback_groups; /**< groups that only the own simplifier could reduce */
    uint64_t stored_triangles;
    uint64_t stored_vertices;
    float coarsest_error; /**< model units */
    float uv_error;       /**< largest error of a UV as half float, in UV units */
    uint64_t peak_bytes;  /**< highest sum of what the allocator had lent */
} trn_cook_stats;

/** A finished model file in memory. */
typedef struct trn_cooked {
    void *bytes;
    uint64_t size;
    trn_cook_stats stats;
    trn_allocator allocator; /**< the one `bytes` came from */
} trn_cooked;

/** Cooks a mesh. The same mesh and definition give the same bytes, whatever the thread, compiler or optimisation level,
 * for one meshoptimizer version (it is in the file).
 * @return TRN_OK; TRN_ERROR_ARGUMENT (definition); TRN_ERROR_MESH (index out of range, non-finite position, no triangle with
 *         area, submeshes that do not fit; `error` names the place); TRN_ERROR_CANCELLED; TRN_ERROR_OUT_OF_MEMORY;
 *         TRN_ERROR_INTERNAL (the result failed its own check and is thrown away) */
TRN_API trn_result trn_cook_sized(const trn_cook_def *def, size_t def_size, const trn_cook_mesh *mesh, size_t mesh_size,
                                  trn_cooked *cooked, trn_error *error);
static inline trn_result trn_cook(const trn_cook_def *def, const trn_cook_mesh *mesh, trn_cooked *cooked,
                                  trn_error *error) {
    return trn_cook_sized(def, sizeof *def, mesh, sizeof *mesh, cooked, error);
}

/** Frees the bytes of a cooked model and zeroes it. */
TRN_API void trn_cooked_free(trn_cooked *cooked);

/* ---- A whole model in memory: what verifying and cutting need --------------------------------------------------- */

/** A model file with all its pages decoded. Read-only after loading: any thread may ask. */
typedef struct trn_model_data trn_model_data;

/** Decodes and checks a whole file.
 * @return as trn_model_open and trn_chunk_check */
TRN_API trn_result trn_model_data_load(const void *file, uint64_t size, const char *name,
                                       const trn_allocator *allocator, trn_model_data **data, trn_error *error);
TRN_API void trn_model_data_free(trn_model_data *data);
/** The tables; lives as long as the data. */
TRN_API const trn_model *trn_model_data_tables(const trn_model_data *data);

/** How a cut is chosen: by error alone, or by a camera. */
typedef struct trn_cut_def {
    bool by_camera;
    float error;            /**< by error: model units, >= 0; a group is refined when its error is larger */
    double camera[3];       /**< by camera: place in model units */
    float threshold_px;     /**< 0: 1 */
    float viewport_height;  /**< pixels, > 0 */
    float fov_y;            /**< radians, 0 < fov_y < pi */
    float near_distance;    /**< model units, 0: 1e-3 of the model's radius */
    const uint8_t *missing; /**< a byte a page, 1: not resident; closed by the call (what depends on it is missing too);
                                 page 0's level is always there; NULL: none */
} trn_cut_def;

/** Triangles that would be drawn. */
typedef struct trn_cut {
    double *positions; /**< 3 a vertex, model units; no two vertices at one place */
    uint32_t vertex_count;
    uint32_t *indices;   /**< 3 a triangle */
    uint32_t *materials; /**< one a triangle */
    uint32_t *clusters;  /**< one a triangle: number of its cluster, counted through the file in page order */
    uint64_t triangle_count;
    uint32_t cluster_count; /**< clusters drawn */
    trn_allocator allocator;
} trn_cut;

/** Makes the cut that the run time would draw.
 * @return TRN_OK, TRN_ERROR_ARGUMENT, TRN_ERROR_OUT_OF_MEMORY */
TRN_API trn_result trn_cut_make(const trn_model_data *data, const trn_cut_def *def, trn_cut *cut, trn_error *error);
TRN_API void trn_cut_free(trn_cut *cut);

/** What verify proves, one bit each. */
#define TRN_VERIFY_PROOFS(X)                                                                                   \
    X(STRUCTURE, 0, "every table, count, reference and number is in range")                                    \
    X(STAMPS, 1, "both sides of every group carry its error and sphere")                                       \
    X(MONOTONE, 2, "no group's error is smaller than that of a group it was made from")                        \
    X(NESTED, 3, "each group's sphere encloses its clusters and the spheres of the groups they came from")     \
    X(LEVELS, 4, "each level alone is the whole model")                                                        \
    X(BORDERS, 5, "each group's border is the same, edge for edge, before and after")                          \
    X(PAGES, 6, "pages depend on all that their groups made, and their errors and spheres bound their groups") \
    X(CUTS, 7, "no random cut has an open edge that the source has not")

/** Options of verify. */
typedef struct trn_verify_def {
    uint32_t cuts; /**< random cuts, half by error, half by camera, each second one with missing pages; 0: 32 */
    uint64_t seed;
    trn_allocator allocator;
    bool (*progress)(void *user, const char *phase, float done); /**< returns false to cancel; may be NULL */
    void *progress_user;
} trn_verify_def;

/** Result of verify. */
typedef struct trn_verify_report {
    uint32_t passed; /**< bit of each proof that holds */
    uint32_t failed; /**< bit of each that does not */
    uint32_t cuts_checked;
    uint64_t open_edges; /**< open edges of level 0 (real borders) */
    char text[256];      /**< the first failure: which proof, where; empty when all hold */
} trn_verify_report;

/** Tries to refute a cooked model.
 * @return TRN_OK when it ran (look at `report->failed`), TRN_ERROR_OUT_OF_MEMORY, TRN_ERROR_CANCELLED */
TRN_API trn_result trn_cook_verify_sized(const trn_model_data *data, const trn_verify_def *def, size_t def_size,
                                         trn_verify_report *report);
static inline trn_result trn_cook_verify(const trn_model_data *data, const trn_verify_def *def,
                                         trn_verify_report *report) {
    return trn_cook_verify_sized(data, def, sizeof *def, report);
}

#endif
