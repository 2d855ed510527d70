/* SPDX-License-Identifier: MIT */
/* A valid model file made in memory without the cook: a bicone, cut like a cake into one cluster a slice. Needs INTERNAL
 * and trn_deps::xxhash.
 *
 * Every level is one page and, up to the coarsest, has one group a slice, whose one member is the slice with its rim in
 * 2m pieces and whose one product has m. A slice meets its neighbours in the four edges from the two tips to the rim,
 * which no level changes, so any cut is a closed surface and every proof of trn_cook_verify holds. */
#ifndef TEST_TINY_MODEL_H
#define TEST_TINY_MODEL_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <terrane/model.h>
#include <terrane/shader/terrane_shared.h>

#include "base/little_endian.h"
#include "model/model_format.h"

/* Zero is the default of each. */
typedef struct tiny_model_def {
    uint32_t levels;         /* 0: 3; at most 64 */
    uint32_t clusters;       /* of each level; 0: 4; at most 1000 */
    uint32_t page_vertices;  /* fewer are filled up with vertices that nothing uses, 32 bytes each; 0: none */
    uint32_t chunk_vertices; /* vertices a chunk, for pages of many chunks; 0: as many as 8 MB hold */
    float error; /* of the groups of level 0, doubled from level to level; 0: 0.01; the bicone's radius is 1 */
} tiny_model_def;

#define TINY_MODEL_STEP (1.0f / 32768.0f) /* of the grid, whose place (32768, 32768, 32768) is the centre */

/* Rim pieces of a slice in a level. Fewer than three slices need more, not to fall flat. */
static inline uint32_t tiny_model_pieces(const tiny_model_def *def, uint32_t level) {
    uint32_t halvings = def->levels - 1 - level, least = def->clusters == 1 ? 3 : def->clusters == 2 ? 2 : 1;
    return least << (halvings < 4 ? halvings : 4);
}

static inline void tiny_model_settle(tiny_model_def *def) {
    if (def->levels == 0) def->levels = 3;
    if (def->clusters == 0) def->clusters = 4;
    if (def->chunk_vertices == 0) def->chunk_vertices = TRN_CHUNK_MAX_BYTES / TRN_VERTEX_BYTES;
    if (!(def->error > 0.0f)) def->error = 0.01f;
}

static inline void tiny_model_put_sphere(uint8_t *to) { /* one for all: it encloses itself, so spheres nest */
    trni_put_f32(to + 12, 1.001f);
}

/* Vertex 0 and 1 of a slice are the tips, then its rim. */
static inline void tiny_model_put_vertex(uint8_t *to, const tiny_model_def *def, uint32_t level, uint32_t slice,
                                         uint32_t vertex) {
    double pieces = (double)tiny_model_pieces(def, level) * def->clusters, angle = 0.0;
    uint16_t place[3] = {32768, 32768, 32768};
    if (vertex < 2) {
        place[2] = vertex == 0 ? 62768 : 2768;
    } else { /* the rim ends where it began, to the bit */
        double piece = (double)tiny_model_pieces(def, level) * slice + (vertex - 2);
        angle = 6.283185307179586 * fmod(piece / pieces, 1.0);
        place[0] = (uint16_t)lrint(32768 + 30000 * cos(angle));
        place[1] = (uint16_t)lrint(32768 + 30000 * sin(angle));
    }
    for (int axis = 0; axis < 3; axis++) trni_put_u16(to + TRNI_VERTEX_POSITION + 2 * axis, place[axis]);
    memset(to + TRNI_VERTEX_COLOR, 0xff, 4);
}

static inline float tiny_model_error(const tiny_model_def *def, uint32_t level) {
    return ldexpf(def->error, (int)level);
}

/* Entry of a slice. Group numbers: page 0 has none, page p those of its slices. */
static inline void tiny_model_put_cluster(uint8_t *to, const tiny_model_def *def, uint32_t page, uint32_t slice) {
    uint32_t level = def->levels - 1 - page, pieces = tiny_model_pieces(def, level);
    uint32_t counts = (pieces + 3) | 2 * pieces << 8 | level << 16;
    bool has_own = level > 0, has_parent = page > 0;
    if (!has_own) counts |= TRN_CLUSTER_NO_OWN_GROUP;
    if (!has_parent) counts |= TRN_CLUSTER_NO_PARENT_GROUP;
    if (has_own) tiny_model_put_sphere(to + TRNI_CLUSTER_OWN_SPHERE);
    if (has_parent) tiny_model_put_sphere(to + TRNI_CLUSTER_PARENT_SPHERE);
    tiny_model_put_sphere(to + TRNI_CLUSTER_CULL_SPHERE);
    trni_put_f32(to + TRNI_CLUSTER_OWN_ERROR, has_own ? tiny_model_error(def, level - 1) : 0.0f);
    trni_put_f32(to + TRNI_CLUSTER_PARENT_ERROR, has_parent ? tiny_model_error(def, level) : TRN_ERROR_WITHOUT_PARENT);
    trni_put_u32(to + TRNI_CLUSTER_CONE, 127u << 24);
    trni_put_u32(to + TRNI_CLUSTER_COUNTS, counts);
    trni_put_u32(to + TRNI_CLUSTER_CHILD_PAGE, has_own ? page + 1 : TRN_NO_PAGE);
    trni_put_u32(to + TRNI_CLUSTER_VERTEX_BASE, slice * (pieces + 3));
    trni_put_u32(to + TRNI_CLUSTER_CLUSTER, slice);
    trni_put_u32(to + TRNI_CLUSTER_OWN_GROUP, has_own ? page * def->clusters + slice : UINT32_MAX);
    trni_put_u32(to + TRNI_CLUSTER_PARENT_GROUP, has_parent ? (page - 1) * def->clusters + slice : UINT32_MAX);
}

static inline void tiny_model_put_clusters(uint8_t *to, const tiny_model_def *def, uint32_t page) {
    uint32_t pieces = tiny_model_pieces(def, def->levels - 1 - page);
    uint8_t *at = to + (size_t)def->clusters * TRNI_CLUSTER_ENTRY_SIZE;
    for (uint32_t slice = 0; slice < def->clusters; slice++) {
        tiny_model_put_cluster(to + (size_t)slice * TRNI_CLUSTER_ENTRY_SIZE, def, page, slice);
        for (uint32_t v = 0; v < pieces + 3; v++, at += 2) trni_put_u16(at, (uint16_t)v);
    }
    for (uint32_t slice = 0; slice < def->clusters; slice++)
        for (uint32_t i = 0; i < pieces; i++) {
            uint8_t a = (uint8_t)(i + 2), b = (uint8_t)(i + 3), corners[6] = {0, a, b, 1, b, a};
            memcpy(at, corners, sizeof corners);
            at += sizeof corners;
        }
}

static inline void tiny_model_put_groups(uint8_t *to, const tiny_model_def *def, uint32_t page) {
    uint32_t level = def->levels - 1 - page;
    for (uint32_t slice = 0; slice < def->clusters; slice++, to += TRNI_GROUP_SIZE) {
        trni_put_f32(to + TRNI_GROUP_ERROR, tiny_model_error(def, level));
        tiny_model_put_sphere(to + TRNI_GROUP_SPHERE);
        trni_put_u32(to + TRNI_GROUP_LEVEL, level);
        trni_put_u32(to + TRNI_GROUP_MEMBER_COUNT, 1);
        trni_put_u32(to + TRNI_GROUP_PRODUCT_COUNT, 1);
    }
}

/* Makes both kinds of hashes right again after bytes were changed; what lies outside the file is left alone. */
static inline void tiny_model_rehash(uint8_t *bytes, size_t size) {
    if (size < TRNI_HEAD_SIZE) return;
    uint64_t head = trni_get_u64(bytes + TRNI_HEAD_HEAD_BYTES), table = trni_get_u64(bytes + TRNI_HEAD_CHUNK_TABLE);
    uint32_t chunks = trni_get_u32(bytes + TRNI_HEAD_CHUNK_COUNT);
    for (uint32_t c = 0; c < chunks && table <= size && (uint64_t)(c + 1) * TRNI_CHUNK_SIZE <= size - table; c++) {
        uint8_t *record = bytes + table + (uint64_t)c * TRNI_CHUNK_SIZE;
        uint64_t offset = trni_get_u64(record + TRNI_CHUNK_OFFSET),
                 stored = trni_get_u32(record + TRNI_CHUNK_STORED_BYTES);
        if (offset > size || stored > size - offset) continue;
        trni_put_u64(record + TRNI_CHUNK_HASH, XXH64(bytes + offset, (size_t)stored, 0));
    }
    if (head < TRNI_HEAD_SIZE || head > size) return;
    trni_put_u64(bytes + TRNI_HEAD_HASH, 0);
    trni_put_u64(bytes + TRNI_HEAD_HASH, XXH64(bytes, (size_t)head, 0));
}

/* What is where. */
typedef struct tiny_model_plan {
    uint32_t vertices[64], chunks[64]; /* by page */
    uint32_t chunk_count, dependency_count, group_count;
    uint64_t stored_vertices, stored_triangles;
    uint64_t tables[7]; /* levels, pages, dependencies, chunks, materials, strings, end */
} tiny_model_plan;

static inline tiny_model_plan tiny_model_lay_out(const tiny_model_def *def) {
    tiny_model_plan plan = {0};
    for (uint32_t p = 0; p < def->levels; p++) {
        uint32_t pieces = tiny_model_pieces(def, def->levels - 1 - p), used = def->clusters * (pieces + 3);
        plan.vertices[p] = used < def->page_vertices ? def->page_vertices : used;
        plan.chunks[p] = (plan.vertices[p] - 1) / def->chunk_vertices + 1 + (p > 0 ? 2u : 1u);
        plan.chunk_count += plan.chunks[p];
        plan.stored_vertices += plan.vertices[p];
        plan.stored_triangles += 2ull * pieces * def->clusters;
    }
    plan.dependency_count = def->levels - 1;
    plan.group_count = plan.dependency_count * def->clusters;
    uint64_t sizes[6] = {(uint64_t)def->levels * TRNI_LEVEL_SIZE,
                         (uint64_t)def->levels * TRNI_PAGE_SIZE,
                         (uint64_t)plan.dependency_count * TRNI_DEPENDENCY_SIZE,
                         (uint64_t)plan.chunk_count * TRNI_CHUNK_SIZE,
                         TRNI_MATERIAL_SIZE,
                         sizeof "tiny"};
    plan.tables[0] = TRNI_HEAD_SIZE;
    for (int t = 0; t < 6; t++) plan.tables[t + 1] = plan.tables[t] + sizes[t];
    return plan;
}

static inline void tiny_model_put_head(uint8_t *bytes, const tiny_model_def *def, const tiny_model_plan *plan,
                                       uint64_t size) {
    memcpy(bytes, TRNI_MODEL_MAGIC, 8);
    trni_put_u32(bytes + TRNI_HEAD_VERSION, TRNI_MODEL_VERSION);
    trni_put_u64(bytes + TRNI_HEAD_FILE_BYTES, size);
    trni_put_u64(bytes + TRNI_HEAD_HEAD_BYTES, plan->tables[6]);
    for (int axis = 0; axis < 3; axis++) {
        trni_put_f64(bytes + TRNI_HEAD_GRID_ORIGIN + 8 * axis, -1.0);
        trni_put_f32(bytes + TRNI_HEAD_BOX_MIN + 4 * axis, -1.0f);
        trni_put_f32(bytes + TRNI_HEAD_BOX_MAX + 4 * axis, 1.0f);
    }
    trni_put_f32(bytes + TRNI_HEAD_GRID_STEP, TINY_MODEL_STEP);
    tiny_model_put_sphere(bytes + TRNI_HEAD_SPHERE);
    trni_put_u32(bytes + TRNI_HEAD_LEVEL_COUNT, def->levels);
    trni_put_u32(bytes + TRNI_HEAD_PAGE_COUNT, def->levels);
    trni_put_u32(bytes + TRNI_HEAD_CHUNK_COUNT, plan->chunk_count);
    trni_put_u32(bytes + TRNI_HEAD_DEPENDENCY_COUNT, plan->dependency_count);
    trni_put_u32(bytes + TRNI_HEAD_MATERIAL_COUNT, 1);
    trni_put_u32(bytes + TRNI_HEAD_GROUP_COUNT, plan->group_count);
    trni_put_u32(bytes + TRNI_HEAD_CLUSTER_COUNT, def->levels * def->clusters);
    trni_put_u64(bytes + TRNI_HEAD_SOURCE_TRIANGLES, 2ull * tiny_model_pieces(def, 0) * def->clusters);
    trni_put_u64(bytes + TRNI_HEAD_STORED_TRIANGLES, plan->stored_triangles);
    trni_put_u64(bytes + TRNI_HEAD_STORED_VERTICES, plan->stored_vertices);
    trni_put_u32(bytes + TRNI_HEAD_ERROR_RULE, TRN_ERROR_RULE_ADDITIVE);
    for (int t = 0; t < 6; t++) trni_put_u64(bytes + TRNI_HEAD_LEVEL_TABLE + 8 * t, plan->tables[t]);
    trni_put_u64(bytes + TRNI_HEAD_STRING_BYTES, sizeof "tiny");
    trni_put_u32(bytes + plan->tables[4] + TRNI_MATERIAL_NAME_BYTES, 4);
    memcpy(bytes + plan->tables[5], "tiny", sizeof "tiny");
}

static inline void tiny_model_put_page(uint8_t *bytes, const tiny_model_def *def, const tiny_model_plan *plan,
                                       uint32_t p, uint32_t first_chunk) {
    uint32_t level = def->levels - 1 - p, triangles = 2 * tiny_model_pieces(def, level) * def->clusters;
    float parent_error = p > 0 ? tiny_model_error(def, level) : TRN_ERROR_WITHOUT_PARENT;
    uint8_t *at = bytes + plan->tables[0] + (uint64_t)level * TRNI_LEVEL_SIZE;
    trni_put_f32(at + TRNI_LEVEL_PARENT_ERROR, parent_error);
    tiny_model_put_sphere(at + TRNI_LEVEL_SPHERE);
    trni_put_u32(at + TRNI_LEVEL_FIRST_PAGE, p);
    trni_put_u32(at + TRNI_LEVEL_PAGE_COUNT, 1);
    trni_put_u32(at + TRNI_LEVEL_CLUSTER_COUNT, def->clusters);
    trni_put_u64(at + TRNI_LEVEL_TRIANGLE_COUNT, triangles);
    trni_put_f32(at + TRNI_LEVEL_OWN_ERROR, level > 0 ? tiny_model_error(def, level - 1) : 0.0f);
    at = bytes + plan->tables[1] + (uint64_t)p * TRNI_PAGE_SIZE;
    trni_put_f32(at + TRNI_PAGE_PARENT_ERROR, parent_error);
    tiny_model_put_sphere(at + TRNI_PAGE_SPHERE);
    trni_put_u32(at + TRNI_PAGE_LEVEL, level);
    trni_put_u32(at + TRNI_PAGE_FIRST_CHUNK, first_chunk);
    trni_put_u32(at + TRNI_PAGE_CHUNK_COUNT, plan->chunks[p]);
    trni_put_u32(at + TRNI_PAGE_FIRST_DEPENDENCY, p > 0 ? p - 1 : 0);
    trni_put_u32(at + TRNI_PAGE_DEPENDENCY_COUNT, p > 0);
    trni_put_u32(at + TRNI_PAGE_VERTEX_COUNT, plan->vertices[p]);
    trni_put_u32(at + TRNI_PAGE_CLUSTER_COUNT, def->clusters);
    trni_put_u32(at + TRNI_PAGE_TRIANGLE_COUNT, triangles);
    trni_put_u32(at + TRNI_PAGE_FIRST_GROUP, p > 0 ? (p - 1) * def->clusters : 0);
    trni_put_u32(at + TRNI_PAGE_GROUP_COUNT, p > 0 ? def->clusters : 0);
    if (p > 0) trni_put_u32(bytes + plan->tables[2] + 4ull * (p - 1), p - 1);
}

/* Elements of one chunk; `bytes` NULL: only the size. */
static inline uint32_t tiny_model_put_chunk(uint8_t *to, const tiny_model_def *def, const tiny_model_plan *plan,
                                            uint32_t p, uint32_t kind, uint32_t first, uint32_t count) {
    uint32_t level = def->levels - 1 - p, pieces = tiny_model_pieces(def, level), used = def->clusters * (pieces + 3);
    (void)plan;
    if (kind == TRN_CHUNK_VERTICES) {
        for (uint32_t v = first; to && v < first + count; v++) {
            uint32_t like = v < used ? v : used - 1;
            tiny_model_put_vertex(to + (size_t)(v - first) * TRNI_VERTEX_SIZE, def, level, like / (pieces + 3),
                                  like % (pieces + 3));
        }
        return count * TRNI_VERTEX_SIZE;
    }
    if (kind == TRN_CHUNK_GROUPS) {
        if (to) tiny_model_put_groups(to, def, p);
        return count * TRNI_GROUP_SIZE;
    }
    if (to) tiny_model_put_clusters(to, def, p);
    return count * (TRNI_CLUSTER_ENTRY_SIZE + 2 * (pieces + 3) + 6 * pieces);
}

/* All chunks and their records; returns the file's size. `bytes` NULL: only that. */
static inline uint64_t tiny_model_put_chunks(uint8_t *bytes, const tiny_model_def *def, const tiny_model_plan *plan) {
    uint64_t end = plan->tables[6];
    uint8_t *record = bytes ? bytes + plan->tables[3] : NULL;
    for (uint32_t p = 0; p < def->levels; p++) {
        uint32_t totals[3] = {plan->vertices[p], def->clusters, p > 0 ? def->clusters : 0};
        for (uint32_t kind = 0; kind < 3; kind++)
            for (uint32_t first = 0, count; first < totals[kind]; first += count) {
                count = totals[kind] - first;
                if (kind == TRN_CHUNK_VERTICES && count > def->chunk_vertices) count = def->chunk_vertices;
                uint64_t offset = (end + 15) / 16 * 16;
                uint32_t size = tiny_model_put_chunk(bytes ? bytes + offset : NULL, def, plan, p, kind, first, count);
                end = offset + size;
                if (!bytes) continue;
                trni_put_u64(record + TRNI_CHUNK_OFFSET, offset);
                trni_put_u32(record + TRNI_CHUNK_STORED_BYTES, size);
                trni_put_u32(record + TRNI_CHUNK_DECODED_BYTES, size);
                trni_put_u32(record + TRNI_CHUNK_KIND, kind);
                trni_put_u32(record + TRNI_CHUNK_FIRST, first);
                trni_put_u32(record + TRNI_CHUNK_COUNT, count);
                record += TRNI_CHUNK_SIZE;
            }
    }
    return end;
}

/* Makes the file; free() it. Returns its size. `def` NULL: the defaults. */
static inline size_t tiny_model_make(const tiny_model_def *wanted, uint8_t **bytes) {
    tiny_model_def def = {0};
    if (wanted) def = *wanted;
    tiny_model_settle(&def);
    tiny_model_plan plan = tiny_model_lay_out(&def);
    size_t size = (size_t)tiny_model_put_chunks(NULL, &def, &plan);
    uint8_t *file = (uint8_t *)calloc(1, size);
    if (!file) abort();
    tiny_model_put_head(file, &def, &plan, size);
    for (uint32_t p = 0, chunk = 0; p < def.levels; chunk += plan.chunks[p++])
        tiny_model_put_page(file, &def, &plan, p, chunk);
    tiny_model_put_chunks(file, &def, &plan);
    tiny_model_rehash(file, size);
    *bytes = file;
    return size;
}

#endif
