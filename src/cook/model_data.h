/* SPDX-License-Identifier: MIT */
/* A whole model as plain arrays: what cutting and verifying work on. */
#ifndef TRNI_MODEL_DATA_H
#define TRNI_MODEL_DATA_H

#include <terrane_cook/cook.h>

#include "base/base_internal.h"

#define TRNI_NO_GROUP UINT32_MAX

typedef struct data_cluster {
    float own_sphere[4], parent_sphere[4], cull_sphere[4];
    float own_error, parent_error;
    uint32_t flags;  /* TRN_CLUSTER_ bits */
    uint32_t born;   /* level that made it */
    uint32_t stored; /* level it lies in: the coarsest it belongs to */
    uint32_t page, child_page;
    uint32_t own_group, parent_group;
    uint32_t material;
    uint32_t first_triangle, triangle_count;
} data_cluster;

typedef struct data_group {
    float error;
    float sphere[4];
    uint32_t level;
    uint32_t page; /* of its members */
    uint32_t member_count, product_count;
} data_group;

struct trn_model_data {
    trn_allocator allocator;
    trn_model *tables;
    trn_model_info info;
    data_cluster *clusters;
    data_group *groups;
    uint32_t *corners;     /* 3 a triangle: position ids */
    uint32_t triangle_end; /* info.stored_triangles */
    uint16_t *positions;   /* 3 a position id: places on the grid, each once */
    uint32_t position_count;
};

/* Place of a position in model units. */
static inline double data_coordinate(const trn_model_data *data, uint32_t position, int axis) {
    return data->info.grid_origin[axis] +
           (double)data->info.grid_step * data->positions[3 * (size_t)position + (size_t)axis];
}

/* ---- cut.c ---- */

/* What decides whether a group is refined. */
typedef struct trni_cut_eye {
    bool by_camera;
    float error;
    float eye[3];
    float pixels_per_error, near_distance;
} trni_cut_eye;

/* @return TRN_OK or TRN_ERROR_ARGUMENT */
trn_result trni_cut_eye_make(const trn_model_data *data, const trn_cut_def *def, trni_cut_eye *eye, trn_error *error);
/* Whether something finer than a group is wanted. */
bool trni_cut_refined(const trni_cut_eye *eye, float error, const float sphere[4]);
/* Residency by page from a list of missing ones, closed: what depends on a missing page is missing; the coarsest level
 * never is. `missing` may be NULL. */
void trni_cut_close(const trn_model_data *data, const uint8_t *missing, uint8_t *resident);
/* Marks the clusters that a cut draws, a byte each. */
void trni_cut_select(const trn_model_data *data, const trni_cut_eye *eye, const uint8_t *resident, uint8_t *drawn);

#endif
