/* SPDX-License-Identifier: MIT */
/* A model made without the cook, straight in the form it has in mesh memory: a sphere of square patches, 7 x 7 quads a
 * cluster. Each level is one page and one group over the whole model, so the cut is one whole level. */
#ifndef TEST_PATCH_MODEL_H
#define TEST_PATCH_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <terrane/shader/terrane_shared.h>

#define PATCH_LEVELS 4u
#define PATCH_QUADS 7u
#define PATCH_VERTICES 64u
#define PATCH_TRIANGLES 98u
#define PATCH_GRID_ORIGIN (-1.5f)
#define PATCH_GRID_STEP (1.0f / 16384.0f)

typedef struct patch_model {
    uint32_t *vertices; /* words of the arena */
    uint32_t *clusters;
    uint32_t vertex_count;
    uint32_t cluster_count;
    trn_page_entry pages[PATCH_LEVELS]; /* bases from the start of the two arrays */
    float errors[PATCH_LEVELS];         /* of the group that made a level; 0: the finest */
    uint32_t clusters_of_level[PATCH_LEVELS];
} patch_model;

static inline uint32_t patch_float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* u, v in 0..1 on one of the six sides of a cube, pressed onto the unit sphere; faces outward, counter-clockwise. */
static inline void patch_sphere_point(uint32_t side, double u, double v, double point[3]) {
    double a = tan((u - 0.5) * 1.5707963267948966), b = tan((v - 0.5) * 1.5707963267948966);
    double length = sqrt(1 + a * a + b * b);
    uint32_t axis = side % 3;
    double up = side < 3 ? 1 : -1;
    point[axis] = up / length;
    point[(axis + 1) % 3] = a * up / length;
    point[(axis + 2) % 3] = b / length;
}

static inline uint32_t patch_octahedral(const double n[3]) {
    double sum = fabs(n[0]) + fabs(n[1]) + fabs(n[2]), x = n[0] / sum, y = n[1] / sum;
    if (n[2] < 0) {
        double folded = (1 - fabs(y)) * (x >= 0 ? 1 : -1);
        y = (1 - fabs(x)) * (y >= 0 ? 1 : -1);
        x = folded;
    }
    return ((uint32_t)lrint(x * 32767) & 0xffffu) | (uint32_t)lrint(y * 32767) << 16;
}

static inline void patch_write_cluster(patch_model *model, uint32_t level, uint32_t page_vertex_base, uint32_t side,
                                       double u, double v, double size, uint32_t extra_flags) {
    uint32_t *words = model->clusters + (size_t)model->cluster_count * TRN_CLUSTER_WORDS;
    uint32_t vertex_base = model->vertex_count - page_vertex_base;
    double middle[3];
    patch_sphere_point(side, u + size / 2, v + size / 2, middle);
    double radius = 0;
    for (uint32_t j = 0; j <= PATCH_QUADS; j++) {
        for (uint32_t i = 0; i <= PATCH_QUADS; i++) {
            double p[3], away = 0;
            patch_sphere_point(side, u + size * i / PATCH_QUADS, v + size * j / PATCH_QUADS, p);
            uint32_t *vertex = model->vertices + (size_t)model->vertex_count++ * TRN_VERTEX_WORDS;
            uint32_t grid[3];
            for (int k = 0; k < 3; k++) {
                grid[k] = (uint32_t)lrint((p[k] - (double)PATCH_GRID_ORIGIN) / (double)PATCH_GRID_STEP);
                away += (p[k] - middle[k]) * (p[k] - middle[k]);
            }
            radius = fmax(radius, sqrt(away) + 2 * (double)PATCH_GRID_STEP);
            vertex[0] = grid[0] | grid[1] << 16;
            vertex[1] = grid[2];
            vertex[2] = patch_octahedral(p);
            vertex[6] = 0xffffffffu;
        }
    }
    trn_cluster_record record = {.own_error = model->errors[level],
                                 .parent_error = TRN_ERROR_WITHOUT_PARENT,
                                 .counts = PATCH_VERTICES | PATCH_TRIANGLES << 8 | level << 16 | extra_flags,
                                 .child_page = TRN_NO_PAGE,
                                 .vertex_base = vertex_base,
                                 .cluster = model->cluster_count};
    /* Normals of a patch lie within the angle of its radius: cutoff = sin of it, rounded up; the axis' own rounding too. */
    double cutoff = radius * 127 + 4;
    record.cone = (uint32_t)(cutoff < 127 && !(extra_flags & TRN_CLUSTER_TWO_SIDED) ? cutoff : 127) << 24;
    for (int k = 0; k < 3; k++) {
        record.cull_sphere[k] = (float)middle[k];
        record.cone |= ((uint32_t)lrint(middle[k] * 127) & 255u) << 8 * k;
    }
    record.cull_sphere[3] = (float)radius;
    record.own_sphere[3] = record.parent_sphere[3] = 1.01f;
    if (level == 0)
        record.counts |= TRN_CLUSTER_NO_OWN_GROUP;
    else
        record.child_page = PATCH_LEVELS - level;
    if (level + 1 == PATCH_LEVELS)
        record.counts |= TRN_CLUSTER_NO_PARENT_GROUP;
    else
        record.parent_error = model->errors[level + 1];
    memcpy(words, &record, sizeof record);
    for (uint32_t i = 0; i < PATCH_VERTICES; i++) words[TRN_CLUSTER_REFERENCE_WORD + i / 2] |= i << 16 * (i & 1);
    uint32_t corner = 0;
    for (uint32_t j = 0; j < PATCH_QUADS; j++) {
        for (uint32_t i = 0; i < PATCH_QUADS; i++) {
            uint32_t a = j * (PATCH_QUADS + 1) + i, b = a + 1, c = a + PATCH_QUADS + 1, d = c + 1;
            uint32_t corners[6] = {a, b, d, a, d, c};
            for (int k = 0; k < 6; k++, corner++)
                words[TRN_CLUSTER_CORNER_WORD + corner / 4] |= corners[k] << 8 * (corner & 3);
        }
    }
    model->cluster_count++;
}

/* `sides`: how many of the six sides are made. False: out of memory. */
static inline bool patch_model_make(patch_model *model, uint32_t sides, uint32_t extra_flags) {
    memset(model, 0, sizeof *model);
    uint32_t total = 0;
    for (uint32_t level = 0; level < PATCH_LEVELS; level++) {
        uint32_t across = 8u >> level;
        double half_diagonal = 1.4142 * 0.5 * 1.5708 / (PATCH_QUADS * across);
        model->errors[level] = level == 0 ? 0 : (float)(1.5 * (1 - cos(half_diagonal)));
        model->clusters_of_level[level] = sides * across * across;
        total += sides * across * across;
    }
    model->vertices = calloc((size_t)total * PATCH_VERTICES, TRN_VERTEX_BYTES);
    model->clusters = calloc(total, TRN_CLUSTER_BYTES);
    if (model->vertices == NULL || model->clusters == NULL) return false;
    for (uint32_t page = 0; page < PATCH_LEVELS; page++) {
        uint32_t level = PATCH_LEVELS - 1 - page, across = 8u >> level;
        trn_page_entry *entry = &model->pages[page];
        *entry =
            (trn_page_entry){model->vertex_count, model->cluster_count, sides * across * across, TRN_PAGE_RESIDENT};
        for (uint32_t i = 0; i < sides * across * across; i++) {
            uint32_t side = i / (across * across), u = i % across, v = i / across % across;
            patch_write_cluster(model, level, entry->vertex_base, side, (double)u / across, (double)v / across,
                                1.0 / across, extra_flags);
        }
    }
    return true;
}

static inline void patch_model_free(patch_model *model) {
    free(model->vertices);
    free(model->clusters);
}

#endif
