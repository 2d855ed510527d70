/* SPDX-License-Identifier: MIT */
/* Meshes made for the tests of the cook: the same on every machine (integers, square roots, no other libm). */
#ifndef TEST_COOK_MESHES_H
#define TEST_COOK_MESHES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <terrane_cook/cook.h>

#include "support/random.h"

typedef struct made_mesh {
    trn_cook_mesh mesh;
    float *positions, *normals, *uv0;
    uint32_t *indices;
    trn_cook_submesh submeshes[16];
} made_mesh;

static inline void made_free(made_mesh *m) {
    free(m->positions);
    free(m->normals);
    free(m->uv0);
    free(m->indices);
    memset(m, 0, sizeof *m);
}

static inline void *made_alloc(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) abort();
    return memory;
}

static inline void made_reserve(made_mesh *m, uint32_t vertices, uint64_t indices, bool with_uv) {
    memset(m, 0, sizeof *m);
    m->positions = made_alloc(vertices, 3 * sizeof(float));
    m->indices = made_alloc(indices, sizeof(uint32_t));
    if (with_uv) m->uv0 = made_alloc(vertices, 2 * sizeof(float));
    m->mesh.positions = m->positions;
    m->mesh.uv0 = m->uv0;
    m->mesh.indices = m->indices;
}

/* 0 <= value < 1 from whole numbers. */
static inline double made_noise(uint64_t seed, int64_t x, int64_t y, int64_t z) {
    uint64_t state = seed ^ (uint64_t)(x * 73856093) ^ (uint64_t)(y * 19349663) ^ (uint64_t)(z * 83492791);
    return (double)(random_u64(&state) >> 11) * (1.0 / 9007199254740992.0);
}

/* A cube of n x n quads a face, blown up to a ball with bumps: closed once welded, seams along the cube's edges. */
static inline void made_ball(made_mesh *m, uint32_t n, double bumps, uint64_t seed, bool with_uv) {
    uint32_t vertices = 6 * (n + 1) * (n + 1);
    made_reserve(m, vertices, 36 * (uint64_t)n * n, with_uv);
    uint32_t v = 0;
    uint64_t i = 0;
    for (uint32_t face = 0; face < 6; face++) {
        uint32_t base = v, axis = face / 2;
        for (uint32_t y = 0; y <= n; y++)
            for (uint32_t x = 0; x <= n; x++, v++) {
                int64_t at[3];
                at[axis] = face % 2 ? (int64_t)n : -(int64_t)n;
                at[(axis + 1) % 3] = 2 * (int64_t)x - (int64_t)n;
                at[(axis + 2) % 3] = 2 * (int64_t)y - (int64_t)n;
                double length = sqrt((double)(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
                double radius = 1.0 + bumps * made_noise(seed, at[0], at[1], at[2]);
                for (int k = 0; k < 3; k++) m->positions[3 * v + (uint32_t)k] = (float)((double)at[k] / length * radius);
                if (with_uv) {
                    m->uv0[2 * v] = (float)x / (float)n + (float)face;
                    m->uv0[2 * v + 1] = (float)y / (float)n;
                }
            }
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++) {
                uint32_t a = base + y * (n + 1) + x, b = a + 1, c = a + n + 1, d = c + 1;
                uint32_t quad[6] = {a, b, d, a, d, c};
                for (int k = 0; k < 6; k++) m->indices[i++] = face % 2 ? quad[k] : quad[k / 3 * 3 + (3 - k % 3) % 3];
            }
    }
    m->mesh.vertex_count = v;
    m->mesh.index_count = i;
}

/* An open field of n x n quads with bumps. */
static inline void made_field(made_mesh *m, uint32_t n, double bumps, uint64_t seed, bool with_uv) {
    made_reserve(m, (n + 1) * (n + 1), 6 * (uint64_t)n * n, with_uv);
    uint32_t v = 0;
    uint64_t i = 0;
    for (uint32_t y = 0; y <= n; y++)
        for (uint32_t x = 0; x <= n; x++, v++) {
            m->positions[3 * v] = (float)x;
            m->positions[3 * v + 1] = (float)(bumps * made_noise(seed, x, y, 0));
            m->positions[3 * v + 2] = (float)y;
            if (with_uv) {
                m->uv0[2 * v] = (float)x / (float)n;
                m->uv0[2 * v + 1] = (float)y / (float)n;
            }
        }
    for (uint32_t y = 0; y < n; y++)
        for (uint32_t x = 0; x < n; x++) {
            uint32_t a = y * (n + 1) + x, b = a + 1, c = a + n + 1, d = c + 1;
            uint32_t quad[6] = {a, c, b, b, c, d};
            for (int k = 0; k < 6; k++) m->indices[i++] = quad[k];
        }
    m->mesh.vertex_count = v;
    m->mesh.index_count = i;
}

/* Loose quads in a cloud. */
static inline void made_leaves(made_mesh *m, uint32_t count, uint64_t seed) {
    made_reserve(m, 4 * count, 6 * (uint64_t)count, false);
    for (uint32_t q = 0; q < count; q++) {
        double center[3], u[3], w[3];
        for (int k = 0; k < 3; k++) {
            center[k] = random_between(&seed, -10, 10);
            u[k] = random_between(&seed, -0.2, 0.2);
            w[k] = random_between(&seed, -0.2, 0.2);
        }
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t k = 0; k < 3; k++)
                m->positions[12 * q + 3 * c + k] = (float)(center[k] + (c & 1 ? u[k] : -u[k]) + (c & 2 ? w[k] : -w[k]));
        uint32_t quad[6] = {0, 1, 2, 2, 1, 3};
        for (int k = 0; k < 6; k++) m->indices[6 * q + (uint32_t)k] = 4 * q + quad[k];
    }
    m->mesh.vertex_count = 4 * count;
    m->mesh.index_count = 6 * (uint64_t)count;
}

/* Random corners out of few points: edges with many triangles, folds, duplicates. */
static inline void made_tangle(made_mesh *m, uint32_t vertices, uint32_t triangles, uint64_t seed) {
    made_reserve(m, vertices, 3 * (uint64_t)triangles, false);
    for (uint32_t i = 0; i < 3 * vertices; i++) m->positions[i] = (float)random_between(&seed, -1, 1);
    for (uint32_t i = 0; i < 3 * triangles; i++) m->indices[i] = random_below(&seed, vertices);
    m->mesh.vertex_count = vertices;
    m->mesh.index_count = 3 * (uint64_t)triangles;
}

/* Every triangle gets corners of its own with its own normal. */
static inline void made_flat_shaded(made_mesh *m) {
    uint64_t corners = m->mesh.index_count;
    float *positions = made_alloc(corners, 3 * sizeof(float)), *normals = made_alloc(corners, 3 * sizeof(float));
    float *uv0 = m->uv0 ? made_alloc(corners, 2 * sizeof(float)) : NULL;
    for (uint64_t t = 0; t < corners; t += 3) {
        const float *p[3];
        float u[3], w[3];
        for (uint64_t k = 0; k < 3; k++) {
            p[k] = m->positions + 3 * (size_t)m->indices[t + k];
            memcpy(positions + 3 * (t + k), p[k], 3 * sizeof(float));
            if (uv0) memcpy(uv0 + 2 * (t + k), m->uv0 + 2 * (size_t)m->indices[t + k], 2 * sizeof(float));
        }
        for (int k = 0; k < 3; k++) {
            u[k] = p[1][k] - p[0][k];
            w[k] = p[2][k] - p[0][k];
        }
        for (uint64_t c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                normals[3 * (t + c) + (uint64_t)k] = u[(k + 1) % 3] * w[(k + 2) % 3] - u[(k + 2) % 3] * w[(k + 1) % 3];
    }
    for (uint64_t i = 0; i < corners; i++) m->indices[i] = (uint32_t)i;
    free(m->positions);
    free(m->uv0);
    m->mesh.positions = m->positions = positions;
    m->mesh.normals = m->normals = normals;
    m->mesh.uv0 = m->uv0 = uv0;
    m->mesh.vertex_count = (uint32_t)corners;
}

/* Material = slab of the first corner along x, `count` of them. */
static inline void made_materials(made_mesh *m, uint32_t count) {
    uint32_t *sorted = made_alloc(m->mesh.index_count, sizeof *sorted);
    float low = m->positions[0], high = low;
    for (uint32_t v = 0; v < m->mesh.vertex_count; v++) {
        if (m->positions[3 * v] < low) low = m->positions[3 * v];
        if (m->positions[3 * v] > high) high = m->positions[3 * v];
    }
    uint64_t at = 0;
    for (uint32_t material = 0; material < count; material++) {
        trn_cook_submesh *submesh = &m->submeshes[material];
        submesh->first_index = at;
        submesh->material = material;
        for (uint64_t t = 0; t < m->mesh.index_count; t += 3) {
            double along = ((double)m->positions[3 * (size_t)m->indices[t]] - (double)low) / ((double)high - (double)low);
            uint32_t slab = (uint32_t)(along * 0.9999 * count);
            if (slab != material) continue;
            memcpy(sorted + at, m->indices + t, 3 * sizeof *sorted);
            at += 3;
        }
        submesh->index_count = at - submesh->first_index;
    }
    free(m->indices);
    m->mesh.indices = m->indices = sorted;
    m->mesh.submeshes = m->submeshes;
    m->mesh.submesh_count = m->mesh.material_count = count;
}

#endif
