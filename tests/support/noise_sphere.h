/* SPDX-License-Identifier: MIT */
/* A closed test mesh: a sphere of quads with a seeded bumpy surface, cooked into a model file in memory. */
#ifndef TEST_NOISE_SPHERE_H
#define TEST_NOISE_SPHERE_H

#include <math.h>
#include <stdlib.h>

#include <terrane_cook/cook.h>

typedef struct noise_sphere {
    float *positions;
    uint32_t *indices;
    uint32_t vertex_count;
    uint64_t index_count;
} noise_sphere;

/* A cube of 6 faces with n x n quads each, blown up to a sphere of radius about 1: 12 n^2 triangles. */
static inline noise_sphere noise_sphere_make(uint32_t n, uint32_t seed) {
    noise_sphere mesh = {0};
    uint32_t side = n + 1;
    mesh.vertex_count = 6 * side * side; /* faces meet in equal positions; the cook welds them */
    mesh.index_count = (uint64_t)36 * n * n;
    mesh.positions = malloc(mesh.vertex_count * 3 * sizeof(float));
    mesh.indices = malloc((size_t)mesh.index_count * sizeof(uint32_t));
    if (!mesh.positions || !mesh.indices) abort();
    uint32_t v = 0;
    uint64_t i = 0;
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u_axis = (axis + 1) % 3, v_axis = (axis + 2) % 3;
        float sign = face % 2 ? 1.0f : -1.0f;
        for (uint32_t y = 0; y < side; y++)
            for (uint32_t x = 0; x < side; x++, v++) {
                double p[3], length = 0.0;
                p[axis] = sign;
                p[u_axis] = 2.0 * x / n - 1.0;
                p[v_axis] = 2.0 * y / n - 1.0;
                for (int k = 0; k < 3; k++) length += p[k] * p[k];
                length = sqrt(length);
                double bump = 1.0;
                for (int k = 0; k < 3; k++) bump += 0.06 * sin(p[k] / length * (7.0 + seed % 5) + seed * 1.7 + k);
                for (int k = 0; k < 3; k++)
                    mesh.positions[3 * v + (uint32_t)k] = (float)(round(p[k] / length * bump * 4096.0) / 4096.0);
            }
        uint32_t first = v - side * side;
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++) {
                uint32_t a = first + y * side + x, b = a + 1, c = a + side, d = c + 1;
                uint32_t quad[6] = {a, b, d, a, d, c}, flipped[6] = {a, d, b, a, c, d};
                for (int k = 0; k < 6; k++) mesh.indices[i++] = sign > 0 ? quad[k] : flipped[k];
            }
    }
    return mesh;
}

static inline void noise_sphere_free(noise_sphere *mesh) {
    free(mesh->positions);
    free(mesh->indices);
}

/* The same, cooked with all its levels. */
static inline trn_cooked noise_sphere_cook(uint32_t n, uint32_t seed) {
    noise_sphere mesh = noise_sphere_make(n, seed);
    trn_cook_mesh input = {.positions = mesh.positions,
                           .vertex_count = mesh.vertex_count,
                           .indices = mesh.indices,
                           .index_count = mesh.index_count};
    trn_cook_def def = {.levels = TRN_COOK_LEVELS_AUTO};
    trn_cooked cooked = {0};
    if (trn_cook(&def, &input, &cooked, NULL) != TRN_OK) abort();
    noise_sphere_free(&mesh);
    return cooked;
}

#endif
