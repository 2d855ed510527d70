/* SPDX-License-Identifier: MIT */
/* What views ask of models: pure functions from poses, views and page tables to needs. */
#ifndef TRNI_LOD_INTERNAL_H
#define TRNI_LOD_INTERNAL_H

#include <terrane/lod.h>

/* One page as the level choice sees it. */
typedef struct trni_lod_page {
    float parent_error;
    float sphere[4];
    uint32_t level;
} trni_lod_page;

/* A model as the level choice sees it; pages are ordered from coarse to fine, the roots first. */
typedef struct trni_lod_model {
    const trni_lod_page *pages;
    uint32_t page_count;
    uint32_t root_count;
    uint32_t level_count;
    bool page_a_level; /* then the bias counts levels; else it doubles the threshold */
    float sphere[4];
} trni_lod_model;

/* Bits of a page's need, gathered over all instances and views. */
#define TRNI_NEED_FIT 1u  /* it may be drawn now */
#define TRNI_NEED_KEEP 2u /* the same with the margin */
#define TRNI_NEED_WANT 4u /* the same with the bias */
#define TRNI_NEED_ALL 7u

/* An eye in model units: the numbers of trn_draw. */
typedef struct trni_lod_eye {
    float position[3];
    float pixels_per_error;
    float near_distance;
} trni_lod_eye;

/* How a view is seen from an instance: by the pose of the instance in the view. Done once an instance and view. */
trni_lod_eye trni_lod_eye_make(const trn_pose *pose, float scale, const trn_view *view);

/* Diameter in pixels of a sphere of the model, at the image centre. */
float trni_lod_screen_size(const trni_lod_eye *eye, const float sphere[4], float threshold_px);

/* Adds what one instance needs in one view to `needs` (a byte a page). `finest_level` is the view's floor. */
void trni_lod_add_needs(const trni_lod_model *model, const trni_lod_eye *eye, uint32_t finest_level, float keep_margin,
                        uint32_t bias, uint8_t *needs);

/* After all instances: the bias of models with a page a level, and what needed pages depend on.
 * first_dependency[p] .. first_dependency[p + 1] are entries of `dependencies`, all of them smaller than p. */
void trni_lod_close_needs(const trni_lod_model *model, const uint32_t *first_dependency, const uint32_t *dependencies,
                          uint32_t bias, uint8_t *needs);

/* Finest level with the bit; level_count when no page has it. */
uint32_t trni_lod_finest(const trni_lod_model *model, const uint8_t *needs, uint8_t bit);

/* Column-major matrix of a pose: model units to metres relative to the origin, composed in double, rounded once. */
void trni_pose_matrix(const trn_pose *pose, float scale, const double origin[3], float matrix[16]);
/* Normalises a pose's rotation (all zero: none). False: not finite, or not of unit length within 1e-3. */
bool trni_pose_make(trn_pose *to, const trn_pose *from);
/* False when a number of the view is out of its range. */
bool trni_view_valid(const trn_view *view);

#endif
