/* SPDX-License-Identifier: MIT */
/* A slow second reading of a cooked file, for the tests of the cook: straight from the bytes, sharing no code with the
 * library's reader, and the properties every cooked model must have. Each check returns NULL or what is wrong. */
#ifndef TEST_COOK_ORACLE_H
#define TEST_COOK_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrane_cook/cook.h>

#include "base/little_endian.h"
#include "model/model_format.h"
#include "support/random.h"

#define ORACLE_NONE 0xffffffffu

typedef struct oracle_cluster {
    float own_sphere[4], parent_sphere[4], cull_sphere[4];
    float own_error, parent_error;
    uint32_t cone, counts, material, child_page, vertex_base, number, own_group, parent_group;
    uint32_t page, level; /* where it is stored */
    uint32_t vertex_count, triangle_count, born;
    uint64_t *corners; /* 3 a triangle: position as 3 x 16 bits */
} oracle_cluster;

typedef struct oracle_group {
    float error, sphere[4];
    uint32_t level, member_count, product_count, page;
} oracle_group;

typedef struct oracle_model {
    uint32_t level_count, page_count, cluster_count, group_count, material_count;
    double origin[3];
    float step;
    oracle_cluster *clusters;
    oracle_group *groups;
    uint64_t *border; /* sorted positions on open edges of level 0 */
    size_t border_count;
    uint64_t *edges; /* scratch */
    size_t edge_capacity;
} oracle_model;

static inline void oracle_free(oracle_model *m) {
    for (uint32_t i = 0; i < m->cluster_count && m->clusters; i++) free(m->clusters[i].corners);
    free(m->clusters);
    free(m->groups);
    free(m->border);
    free(m->edges);
    memset(m, 0, sizeof *m);
}

static inline void *oracle_alloc(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) abort();
    return memory;
}

static inline void oracle_floats(const unsigned char *at, float *to, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] = trni_get_f32(at + 4 * i);
}

static inline const char *oracle_clusters(oracle_model *m, uint32_t page, uint32_t level, const unsigned char *chunk,
                                          uint32_t bytes, uint32_t count, const unsigned char *const *vertices,
                                          uint32_t vertex_count, uint32_t *next) {
    size_t at_references = (size_t)count * TRNI_CLUSTER_ENTRY_SIZE, at_corners = at_references, end;
    for (uint32_t i = 0; i < count; i++)
        at_corners += 2 * (trni_get_u32(chunk + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE + TRNI_CLUSTER_COUNTS) & 255u);
    end = at_corners;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *at = chunk + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE;
        if (*next >= m->cluster_count) return "more clusters than the header says";
        oracle_cluster *c = &m->clusters[(*next)++];
        oracle_floats(at + TRNI_CLUSTER_OWN_SPHERE, c->own_sphere, 4);
        oracle_floats(at + TRNI_CLUSTER_PARENT_SPHERE, c->parent_sphere, 4);
        oracle_floats(at + TRNI_CLUSTER_CULL_SPHERE, c->cull_sphere, 4);
        oracle_floats(at + TRNI_CLUSTER_OWN_ERROR, &c->own_error, 1);
        oracle_floats(at + TRNI_CLUSTER_PARENT_ERROR, &c->parent_error, 1);
        c->cone = trni_get_u32(at + TRNI_CLUSTER_CONE);
        c->counts = trni_get_u32(at + TRNI_CLUSTER_COUNTS);
        c->material = trni_get_u32(at + TRNI_CLUSTER_MATERIAL);
        c->child_page = trni_get_u32(at + TRNI_CLUSTER_CHILD_PAGE);
        c->vertex_base = trni_get_u32(at + TRNI_CLUSTER_VERTEX_BASE);
        c->number = trni_get_u32(at + TRNI_CLUSTER_CLUSTER);
        c->own_group = trni_get_u32(at + TRNI_CLUSTER_OWN_GROUP);
        c->parent_group = trni_get_u32(at + TRNI_CLUSTER_PARENT_GROUP);
        c->page = page;
        c->level = level;
        c->vertex_count = c->counts & 255u;
        c->triangle_count = c->counts >> 8 & 255u;
        c->born = c->counts >> 16 & 255u;
        if (c->vertex_count < 3 || c->vertex_count > 64) return "a cluster's vertex count";
        if (c->triangle_count < 1 || c->triangle_count > 126) return "a cluster's triangle count";
        end += 3 * (size_t)c->triangle_count;
        if (end > bytes) return "a cluster chunk is too short";
        c->corners = oracle_alloc(3 * (size_t)c->triangle_count, sizeof *c->corners);
        for (uint32_t k = 0; k < 3 * c->triangle_count; k++) {
            uint32_t corner = chunk[at_corners + k];
            if (corner >= c->vertex_count) return "a corner beyond its cluster's vertices";
            uint32_t vertex = c->vertex_base + trni_get_u16(chunk + at_references + 2 * corner);
            if (vertex >= vertex_count) return "a reference beyond its page's vertices";
            const unsigned char *v = vertices[vertex / 262144] + (size_t)(vertex % 262144) * TRNI_VERTEX_SIZE;
            c->corners[k] = (uint64_t)trni_get_u16(v) | (uint64_t)trni_get_u16(v + 2) << 16 | (uint64_t)trni_get_u16(v + 4) << 32;
        }
        at_references += 2 * c->vertex_count;
        at_corners += 3 * c->triangle_count;
    }
    return end == bytes ? NULL : "a cluster chunk has bytes left";
}

static inline const char *oracle_read(oracle_model *m, const void *file, uint64_t size) {
    const unsigned char *b = file;
    memset(m, 0, sizeof *m);
    if (size < TRNI_HEAD_SIZE || memcmp(b, TRNI_MODEL_MAGIC, 8) != 0) return "no magic";
    if (trni_get_u64(b + TRNI_HEAD_FILE_BYTES) != size) return "file size";
    m->level_count = trni_get_u32(b + TRNI_HEAD_LEVEL_COUNT);
    m->page_count = trni_get_u32(b + TRNI_HEAD_PAGE_COUNT);
    m->cluster_count = trni_get_u32(b + TRNI_HEAD_CLUSTER_COUNT);
    m->group_count = trni_get_u32(b + TRNI_HEAD_GROUP_COUNT);
    m->material_count = trni_get_u32(b + TRNI_HEAD_MATERIAL_COUNT);
    for (int k = 0; k < 3; k++) m->origin[k] = trni_get_f64(b + TRNI_HEAD_GRID_ORIGIN + 8 * k);
    m->step = trni_get_f32(b + TRNI_HEAD_GRID_STEP);
    m->clusters = oracle_alloc(m->cluster_count, sizeof *m->clusters);
    m->groups = oracle_alloc(m->group_count, sizeof *m->groups);
    const unsigned char *pages = b + trni_get_u64(b + TRNI_HEAD_PAGE_TABLE);
    const unsigned char *chunks = b + trni_get_u64(b + TRNI_HEAD_CHUNK_TABLE);
    uint32_t next_cluster = 0, next_group = 0;
    uint64_t next_byte = trni_get_u64(b + TRNI_HEAD_HEAD_BYTES);
    for (uint32_t p = 0; p < m->page_count; p++) {
        const unsigned char *page = pages + (size_t)p * TRNI_PAGE_SIZE, *vertices[4096];
        uint32_t level = trni_get_u32(page + TRNI_PAGE_LEVEL), vertex_chunks = 0;
        uint32_t first = trni_get_u32(page + TRNI_PAGE_FIRST_CHUNK), count = trni_get_u32(page + TRNI_PAGE_CHUNK_COUNT);
        for (uint32_t i = first; i < first + count; i++) {
            const unsigned char *chunk = chunks + (size_t)i * TRNI_CHUNK_SIZE;
            uint64_t offset = trni_get_u64(chunk + TRNI_CHUNK_OFFSET);
            uint32_t bytes = trni_get_u32(chunk + TRNI_CHUNK_STORED_BYTES), kind = trni_get_u32(chunk + TRNI_CHUNK_KIND);
            uint32_t elements = trni_get_u32(chunk + TRNI_CHUNK_COUNT);
            if (offset % 16 != 0 || offset < next_byte || offset - next_byte >= 16) return "a chunk's offset";
            if (offset + bytes > size || bytes > TRN_CHUNK_MAX_BYTES) return "a chunk's size";
            next_byte = offset + bytes;
            const char *wrong = NULL;
            if (kind == TRN_CHUNK_VERTICES) vertices[vertex_chunks++] = b + offset;
            if (kind == TRN_CHUNK_CLUSTERS) {
                if ((uint64_t)elements * 592 > TRN_CHUNK_MAX_BYTES) return "a chunk's size when placed";
                wrong = oracle_clusters(m, p, level, b + offset, bytes, elements, vertices,
                                        trni_get_u32(page + TRNI_PAGE_VERTEX_COUNT), &next_cluster);
            }
            for (uint32_t g = 0; kind == TRN_CHUNK_GROUPS && g < elements; g++) {
                const unsigned char *at = b + offset + (size_t)g * TRNI_GROUP_SIZE;
                if (next_group >= m->group_count) return "more groups than the header says";
                oracle_group *group = &m->groups[next_group++];
                oracle_floats(at + TRNI_GROUP_ERROR, &group->error, 1);
                oracle_floats(at + TRNI_GROUP_SPHERE, group->sphere, 4);
                group->level = trni_get_u32(at + TRNI_GROUP_LEVEL);
                group->member_count = trni_get_u32(at + TRNI_GROUP_MEMBER_COUNT);
                group->product_count = trni_get_u32(at + TRNI_GROUP_PRODUCT_COUNT);
                group->page = p;
            }
            if (wrong) return wrong;
        }
    }
    if (next_byte != size) return "bytes after the last chunk";
    if (next_cluster != m->cluster_count || next_group != m->group_count) return "fewer clusters or groups than the header says";
    return NULL;
}

/* ---- edges ---- */

typedef bool oracle_draws(const oracle_cluster *cluster, const void *choice);

static inline int oracle_compare_pairs(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}
static inline int oracle_compare(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Edges used an odd number of times by the clusters chosen; their ends go to `ends` when it is given. */
static inline size_t oracle_open_edges(oracle_model *m, oracle_draws *draws, const void *choice, uint64_t **ends,
                                       uint64_t *triangles) {
    size_t count = 0, open = 0;
    *triangles = 0;
    for (uint32_t i = 0; i < m->cluster_count; i++) {
        const oracle_cluster *c = &m->clusters[i];
        if (!draws(c, choice)) continue;
        *triangles += c->triangle_count;
        if (count + 3 * c->triangle_count > m->edge_capacity) {
            m->edge_capacity = 2 * (count + 3 * c->triangle_count);
            m->edges = realloc(m->edges, m->edge_capacity * 2 * sizeof *m->edges);
            if (!m->edges) abort();
        }
        for (uint32_t k = 0; k < 3 * c->triangle_count; k++, count++) {
            uint64_t a = c->corners[k], b = c->corners[k % 3 == 2 ? k - 2 : k + 1];
            m->edges[2 * count] = a < b ? a : b;
            m->edges[2 * count + 1] = a < b ? b : a;
        }
    }
    if (count) qsort(m->edges, count, 2 * sizeof *m->edges, oracle_compare_pairs);
    for (size_t i = 0; i < count;) {
        size_t j = i + 1;
        while (j < count && oracle_compare_pairs(m->edges + 2 * i, m->edges + 2 * j) == 0) j++;
        if ((j - i) % 2) {
            m->edges[2 * open] = m->edges[2 * i];
            m->edges[2 * open++ + 1] = m->edges[2 * i + 1];
        }
        i = j;
    }
    if (ends) {
        *ends = oracle_alloc(2 * open, sizeof **ends);
        memcpy(*ends, m->edges, 2 * open * sizeof **ends);
    }
    return open;
}

static inline bool oracle_draws_level(const oracle_cluster *c, const void *level) {
    uint32_t wanted = *(const uint32_t *)level;
    return c->born <= wanted && wanted <= c->level;
}
static inline bool oracle_draws_error(const oracle_cluster *c, const void *threshold) {
    float t = *(const float *)threshold;
    return (c->own_group == ORACLE_NONE || !(c->own_error > t)) && (c->parent_group == ORACLE_NONE || c->parent_error > t);
}
typedef struct oracle_camera {
    float eye[3], pixels_per_error, near_distance;
} oracle_camera;
static inline bool oracle_refine(float error, const float *sphere, const oracle_camera *camera) {
    float x = camera->eye[0] - sphere[0], y = camera->eye[1] - sphere[1], z = camera->eye[2] - sphere[2];
    float xx = x * x, yy = y * y, zz = z * z, xy = xx + yy, squared = xy + zz;
    float t = error * camera->pixels_per_error, reach = t + sphere[3], reach_squared = reach * reach;
    return t > camera->near_distance && reach_squared > squared;
}
static inline bool oracle_draws_camera(const oracle_cluster *c, const void *camera) {
    return (c->own_group == ORACLE_NONE || !oracle_refine(c->own_error, c->own_sphere, camera)) &&
           (c->parent_group == ORACLE_NONE || oracle_refine(c->parent_error, c->parent_sphere, camera));
}

static inline const char *oracle_check_cut(oracle_model *m, oracle_draws *draws, const void *choice, uint64_t *triangles) {
    uint64_t *ends;
    size_t open = oracle_open_edges(m, draws, choice, &ends, triangles);
    const char *wrong = *triangles == 0 ? "a cut is empty" : NULL;
    for (size_t i = 0; i < 2 * open && !wrong; i++)
        if (!bsearch(ends + i, m->border, m->border_count, sizeof *m->border, oracle_compare))
            wrong = "a cut has an open edge away from the border of the source";
    free(ends);
    return wrong;
}

/* ---- the properties ---- */

static inline bool oracle_inside(const float *outer, const float *inner) {
    float x = inner[0] - outer[0], y = inner[1] - outer[1], z = inner[2] - outer[2];
    return sqrtf(x * x + y * y + z * z) + inner[3] <= outer[3];
}

static inline const char *oracle_check_stamps(const oracle_model *m) {
    uint32_t *members = oracle_alloc(m->group_count, sizeof *members), *products = oracle_alloc(m->group_count, sizeof *products);
    const char *wrong = NULL;
    for (uint32_t i = 0; i < m->cluster_count && !wrong; i++) {
        const oracle_cluster *c = &m->clusters[i];
        const oracle_group *own = c->own_group == ORACLE_NONE ? NULL : &m->groups[c->own_group];
        const oracle_group *parent = c->parent_group == ORACLE_NONE ? NULL : &m->groups[c->parent_group];
        if (own) {
            products[c->own_group]++;
            if (memcmp(&own->error, &c->own_error, 4) != 0 || memcmp(own->sphere, c->own_sphere, 16) != 0) wrong = "an own stamp differs";
            if (c->born != own->level + 1) wrong = "a cluster's level is not that of its group";
            if (c->child_page != own->page) wrong = "a child page is not that of the group's members";
            if (c->page >= own->page) wrong = "a product does not lie in an earlier page than its members";
        } else if (c->born != 0 || c->own_error > 0) wrong = "a cluster without own group";
        if (parent) {
            members[c->parent_group]++;
            if (memcmp(&parent->error, &c->parent_error, 4) != 0 || memcmp(parent->sphere, c->parent_sphere, 16) != 0)
                wrong = "a parent stamp differs";
            if (parent->page != c->page || parent->level != c->level) wrong = "a group is not in the page of its members";
        }
        if (own && parent && own->error > parent->error) wrong = "an error gets smaller towards the coarse";
        if (own && parent && !oracle_inside(parent->sphere, own->sphere)) wrong = "a sphere is not inside its parent's";
        for (uint32_t k = 0; k < 3 * c->triangle_count && !wrong; k++) {
            float point[4] = {0, 0, 0, 0};
            for (int axis = 0; axis < 3; axis++)
                point[axis] = (float)(m->origin[axis] + (double)(c->corners[k] >> (16 * axis) & 65535u) * (double)m->step);
            if (parent && !oracle_inside(parent->sphere, point)) wrong = "a corner is outside its parent's sphere";
            if (own && !oracle_inside(own->sphere, point)) wrong = "a corner is outside its own group's sphere";
            if (!oracle_inside(c->cull_sphere, point)) wrong = "a corner is outside its cull sphere";
        }
    }
    for (uint32_t g = 0; g < m->group_count && !wrong; g++)
        if (members[g] != m->groups[g].member_count || products[g] != m->groups[g].product_count) wrong = "a group's counts";
    free(members);
    free(products);
    return wrong;
}

/* All properties, with `cuts` random cuts of each kind. */
static inline const char *oracle_check(oracle_model *m, uint32_t cuts, uint64_t seed) {
    const char *wrong = oracle_check_stamps(m);
    if (wrong) return wrong;
    uint64_t triangles, finest = 0, previous = 0;
    uint32_t level = 0;
    uint64_t *ends;
    size_t open = oracle_open_edges(m, oracle_draws_level, &level, &ends, &finest);
    free(m->border);
    m->border = ends;
    m->border_count = 2 * open;
    if (open) qsort(m->border, m->border_count, sizeof *m->border, oracle_compare);
    for (level = 0; level < m->level_count; level++) {
        if ((wrong = oracle_check_cut(m, oracle_draws_level, &level, &triangles)) != NULL) return wrong;
        if (level > 0 && triangles >= previous) return "a level has no fewer triangles than the one before";
        previous = triangles;
    }
    float largest = 0, reach = 0;
    for (uint32_t g = 0; g < m->group_count; g++) {
        if (m->groups[g].error > largest) largest = m->groups[g].error;
        if (m->groups[g].sphere[3] > reach) reach = m->groups[g].sphere[3];
    }
    for (uint32_t i = 0; i < cuts && m->group_count > 0; i++) {
        float threshold = m->groups[random_below(&seed, m->group_count)].error;
        if (i % 3 == 0) threshold = (float)((double)largest * pow(random_between(&seed, 0, 1), 3));
        if ((wrong = oracle_check_cut(m, oracle_draws_error, &threshold, &triangles)) != NULL) return wrong;
        oracle_camera camera;
        const oracle_group *near_group = &m->groups[random_below(&seed, m->group_count)];
        for (int k = 0; k < 3; k++)
            camera.eye[k] = (float)((double)near_group->sphere[k] + random_between(&seed, -1, 1) * 2.0 * (double)reach);
        camera.near_distance = 1e-3f * reach;
        camera.pixels_per_error = reach / largest * (float)pow(10, random_between(&seed, -2, 3));
        if (!(largest > 0)) continue;
        if ((wrong = oracle_check_cut(m, oracle_draws_camera, &camera, &triangles)) != NULL) return wrong;
    }
    return NULL;
}

#endif
