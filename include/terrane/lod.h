/* SPDX-License-Identifier: MIT */
/** @file
 * Models, their placements, and what views ask of them.
 *
 * A group of clusters is refined where its error covers more than the threshold in pixels, measured at the image
 * centre, at the nearest point of its sphere. The same test (trn_refine_test) decides on the CPU what is streamed and on
 * the GPU what is drawn, with the numbers of one trn_draw.
 */
#ifndef TERRANE_LOD_H
#define TERRANE_LOD_H

#include "id.h"
#include "math_types.h"
#include "model.h"
#include "region.h"

/** An eye that looks at the world in this update. */
typedef struct trn_view {
    double position[3];    /**< metres, finite */
    float fov_y;           /**< radians, 0 < fov_y < pi; ignored when orthographic */
    float ortho_height;    /**< > 0: orthographic, metres that the viewport is high */
    float near_plane;      /**< metres, > 0; 0: 0.1 */
    float viewport_height; /**< pixels, > 0 */
    float threshold_px;    /**< > 0: error in pixels that may be seen; 0: 1. Shadow and GI views use a larger one */
    uint32_t finest_level; /**< never asks for finer levels than this one; 0: no such floor */
} trn_view;

/** A model to stream. */
typedef struct trn_model_def {
    const trn_model *model; /**< its tables; what is needed of them is copied */
    uint32_t file;          /**< the host's number of the file that its chunks are read from */
    const char *name;       /**< for the log, at most 63 bytes; NULL: "model N" */
    uint64_t user_data;
} trn_model_def;

/** One placement of a model. */
typedef struct trn_instance_def {
    trn_region_id region; /**< it is drawn, and asks for levels, only while this one is loaded */
    trn_model_id model;
    trn_pose pose;
    float scale;    /**< > 0; 0: 1 */
    uint32_t flags; /**< the host's; handed on in trn_draw */
    bool hidden;
} trn_instance_def;

/** How far a model is. */
typedef struct trn_model_status {
    bool ready;            /**< its coarsest level is in memory: it is drawn */
    bool failed;           /**< its coarsest level could not be read: it is never drawn, until retried */
    bool not_drawn_memory; /**< its coarsest level has no room */
    uint32_t level_count;
    uint32_t finest_resident; /**< level; level_count when there is none */
    uint32_t fit;             /**< finest level the views may draw now; level_count: none */
    uint32_t wanted;          /**< fit, coarser by the bias */
    uint64_t resident_bytes;
    uint32_t instance_count;
} trn_model_status;

/** One instance in one view: what a GPU needs for it. 128 bytes, std430. */
typedef struct trn_draw {
    float matrix[16];       /**< column-major: model units to metres relative to the frame's render origin */
    float eye[3];           /**< the view's place in model units */
    float pixels_per_error; /**< K of trn_refine_test: pixels of one unit of error at distance 1, over the threshold */
    float sphere[4];        /**< around the model, model units */
    float near_distance;    /**< model units */
    uint32_t first_page;    /**< in the page table */
    uint32_t page_count;    /**< pages that may be drawn; a child page beyond them counts as not resident */
    uint32_t flags;         /**< of the instance */
    uint32_t instance;      /**< index1 of its id */
    uint32_t model;         /**< index1 of its id */
    uint32_t reserved[2];
} trn_draw;

/** Registers a model. Between updates; tables grow here. Its coarsest level is then kept in memory.
 * @return TRN_OK, TRN_ERROR_ARGUMENT, TRN_ERROR_OUT_OF_MEMORY */
TRN_API trn_result trn_world_add_model_sized(trn_world *world, const trn_model_def *def, size_t def_size,
                                             trn_model_id *model);
static inline trn_result trn_world_add_model(trn_world *world, const trn_model_def *def, trn_model_id *model) {
    return trn_world_add_model_sized(world, def, sizeof *def, model);
}
/** @return TRN_OK, TRN_ERROR_STALE_ID, TRN_ERROR_BUSY (instances of it exist) */
TRN_API trn_result trn_world_remove_model(trn_world *world, trn_model_id model);
TRN_API trn_result trn_model_get_status(const trn_world *world, trn_model_id model, trn_model_status *status);
/** Lets failed pages of a model be read again. */
TRN_API trn_result trn_world_retry_model(trn_world *world, trn_model_id model);

/** Places a model. Between updates.
 * @return TRN_OK, TRN_ERROR_STALE_ID, TRN_ERROR_ARGUMENT, TRN_ERROR_OUT_OF_MEMORY */
TRN_API trn_result trn_instance_create_sized(trn_world *world, const trn_instance_def *def, size_t def_size,
                                             trn_instance_id *instance);
static inline trn_result trn_instance_create(trn_world *world, const trn_instance_def *def, trn_instance_id *instance) {
    return trn_instance_create_sized(world, def, sizeof *def, instance);
}
TRN_API trn_result trn_instance_destroy(trn_world *world, trn_instance_id instance);
TRN_API trn_result trn_instance_set_pose(trn_world *world, trn_instance_id instance, const trn_pose *pose, float scale);
TRN_API trn_result trn_instance_set_hidden(trn_world *world, trn_instance_id instance, bool hidden);
TRN_API bool trn_instance_is_valid(const trn_world *world, trn_instance_id instance);

#endif
