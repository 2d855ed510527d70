/* SPDX-License-Identifier: MIT */
/* Meshes of the island: tiles of its surface, a conifer, a boulder. Colours are painted on the vertices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "island.h"

static const float pi = 3.14159265f;

static bool mesh_make(island_mesh *mesh, uint32_t vertex_count, uint32_t index_count) {
    memset(mesh, 0, sizeof *mesh);
    mesh->positions = malloc((size_t)vertex_count * 3 * sizeof(float));
    mesh->normals = malloc((size_t)vertex_count * 3 * sizeof(float));
    mesh->colors = malloc((size_t)vertex_count * 4);
    mesh->indices = malloc((size_t)index_count * sizeof(uint32_t));
    mesh->vertex_count = vertex_count;
    mesh->index_count = index_count;
    if (mesh->positions && mesh->normals && mesh->colors && mesh->indices) return true;
    island_mesh_free(mesh);
    return false;
}

void island_mesh_free(island_mesh *mesh) {
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->colors);
    free(mesh->indices);
    memset(mesh, 0, sizeof *mesh);
}

static void paint(uint8_t *color, const float rgb[3], float light) {
    for (int i = 0; i < 3; i++) {
        float value = rgb[i] * light;
        color[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
    color[3] = 255;
}

static void blend(float to[3], const float from[3], double part) {
    float t = part < 0 ? 0 : part > 1 ? 1 : (float)part;
    for (int i = 0; i < 3; i++) to[i] += (from[i] - to[i]) * t;
}

/* Tints of the ground; the renderer's terrain material (sand, grass, rock, snow) is multiplied with them. The forest
 * floor is dark, the plaza and the village are paved, the rest is mottled. */
static void ground_color(double x, double z, double height, uint8_t *color) {
    static const float plain[3] = {236, 236, 236}, wood[3] = {158, 186, 150}, paving[3] = {250, 206, 190};
    float rgb[3];
    memcpy(rgb, plain, sizeof rgb);
    blend(rgb, wood, height > 6 && height < 120 ? (island_wood(x, z) - 0.47) * 9 * (120 - height) / 60 : 0);
    double px = x - ISLAND_PLAZA_X, pz = z - ISLAND_PLAZA_Z, vx = x - ISLAND_VILLAGE_X, vz = z - ISLAND_VILLAGE_Z;
    blend(rgb, paving, (ISLAND_PLAZA_RADIUS - 12 - sqrt(px * px + pz * pz)) / 4);
    blend(rgb, paving, (36 - fabs(sqrt(vx * vx + vz * vz) - 36)) / 40 - 0.4);
    paint(color, rgb, (float)(1 + 0.28 * (island_noise(x / 37, z / 37, 3, 71) - 0.5)));
}

/* Indices of a grid of quads, split along the diagonal that alternates, so that no direction is preferred. */
static void grid_indices(uint32_t *to, uint32_t columns, uint32_t rows) {
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++, to += 6) {
            uint32_t a = row * (columns + 1) + column, b = a + 1, c = a + columns + 1, d = c + 1;
            const uint32_t even[6] = {a, c, d, a, d, b}, odd[6] = {a, c, b, b, c, d};
            memcpy(to, (row + column) % 2 ? odd : even, sizeof even);
        }
}

bool island_tile(uint32_t column, uint32_t row, island_mesh *mesh) {
    const uint32_t side = ISLAND_TILE_QUADS + 1;
    if (!mesh_make(mesh, side * side, ISLAND_TILE_QUADS * ISLAND_TILE_QUADS * 6)) return false;
    const double spacing = (double)ISLAND_TILE / ISLAND_TILE_QUADS;
    for (uint32_t j = 0, v = 0; j < side; j++)
        for (uint32_t i = 0; i < side; i++, v++) {
            double x = (double)column * ISLAND_TILE + i * spacing, z = (double)row * ISLAND_TILE + j * spacing;
            double height = island_height(x, z);
            mesh->positions[v * 3] = (float)(i * spacing);
            mesh->positions[v * 3 + 1] = (float)height;
            mesh->positions[v * 3 + 2] = (float)(j * spacing);
            island_normal(x, z, &mesh->normals[v * 3]);
            ground_color(x, z, height, &mesh->colors[v * 4]);
        }
    grid_indices(mesh->indices, ISLAND_TILE_QUADS, ISLAND_TILE_QUADS);
    return true;
}

/* A surface of revolution with one closing point at each end: rings x sides vertices and two more. `shape` gives the
 * height, radius and colour of a vertex. */
typedef void shape_fn(uint32_t ring, uint32_t side, float *y, float *radius, float rgb[3]);

static bool revolve(island_mesh *mesh, uint32_t rings, uint32_t sides, shape_fn *shape) {
    uint32_t bottom = rings * sides, top = bottom + 1;
    if (!mesh_make(mesh, rings * sides + 2, (rings - 1) * sides * 6 + sides * 6)) return false;
    for (uint32_t ring = 0; ring < rings; ring++)
        for (uint32_t side = 0; side < sides; side++) {
            uint32_t v = ring * sides + side;
            float angle = 2 * pi * (float)side / (float)sides, y, radius, rgb[3];
            shape(ring, side, &y, &radius, rgb);
            mesh->positions[v * 3] = radius * cosf(angle);
            mesh->positions[v * 3 + 1] = y;
            mesh->positions[v * 3 + 2] = radius * sinf(angle);
            paint(&mesh->colors[v * 4], rgb, 1);
        }
    for (uint32_t end = 0; end < 2; end++) {
        uint32_t v = end ? top : bottom, near = end ? (rings - 1) * sides : 0;
        mesh->positions[v * 3] = mesh->positions[v * 3 + 2] = 0;
        mesh->positions[v * 3 + 1] = mesh->positions[near * 3 + 1];
        memcpy(&mesh->colors[v * 4], &mesh->colors[near * 4], 4);
    }
    uint32_t *to = mesh->indices;
    for (uint32_t side = 0; side < sides; side++) {
        uint32_t next = (side + 1) % sides, last = (rings - 1) * sides;
        for (uint32_t ring = 0; ring + 1 < rings; ring++, to += 6) {
            uint32_t a = ring * sides + side, b = ring * sides + next, c = a + sides, d = b + sides;
            const uint32_t quad[6] = {a, c, d, a, d, b};
            memcpy(to, quad, sizeof quad);
        }
        const uint32_t caps[6] = {bottom, side, next, top, last + next, last + side};
        memcpy(to, caps, sizeof caps);
        to += 6;
    }
    /* Smooth normals, weighted by area. */
    memset(mesh->normals, 0, (size_t)mesh->vertex_count * 3 * sizeof(float));
    for (uint32_t i = 0; i < mesh->index_count; i += 3) {
        const float *p = &mesh->positions[mesh->indices[i] * 3], *q = &mesh->positions[mesh->indices[i + 1] * 3],
                    *r = &mesh->positions[mesh->indices[i + 2] * 3];
        float a[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, b[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
        float n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        for (int corner = 0; corner < 3; corner++)
            for (int axis = 0; axis < 3; axis++)
                mesh->normals[mesh->indices[i + (uint32_t)corner] * 3 + (uint32_t)axis] += n[axis];
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float *n = &mesh->normals[v * 3], length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int axis = 0; axis < 3; axis++) n[axis] = length > 0 ? n[axis] / length : (axis == 1 ? 1.0f : 0.0f);
    }
    return true;
}

enum {
    tree_layers = 7,
    tree_rings_a_layer = 5,
    tree_trunk_rings = 3,
    tree_sides = 32,
    rock_rings = 25,
    rock_sides = 40
};

/* A trunk, then skirts of branches, each narrower than the one below, their hems in tips. */
static void tree_shape(uint32_t ring, uint32_t side, float *y, float *radius, float rgb[3]) {
    static const float bark[3] = {92, 70, 50}, dark[3] = {34, 62, 36}, light[3] = {70, 112, 56};
    if (ring < tree_trunk_rings) {
        *y = 0.07f * (float)ring;
        *radius = 0.03f - 0.004f * (float)ring;
        memcpy(rgb, bark, sizeof bark);
        return;
    }
    uint32_t layer = (ring - tree_trunk_rings) / tree_rings_a_layer,
             step = (ring - tree_trunk_rings) % tree_rings_a_layer;
    float up = (float)layer / tree_layers, along = (float)step / (tree_rings_a_layer - 1); /* 0 at the hem, 1 inside */
    float wide = 0.21f * (1 - up) + 0.03f;
    float tip = side % 4 == 0 ? 1.0f : side % 2 == 0 ? 0.74f : 0.86f;
    float wobble = (float)island_noise(layer * 3.1 + side * 0.37, layer * 1.7, 1, 91) - 0.5f;
    *radius = wide * (1 - 0.80f * along) * (1 + (tip - 1) * (1 - along) + 0.35f * wobble * (1 - along));
    *y = 0.14f + 0.86f * (up + along * along * 0.5f / tree_layers + along * 0.62f / tree_layers) -
         0.03f * (1 - along) * tip;
    if (layer + 1 == tree_layers && step + 1 == tree_rings_a_layer) *radius = 0.004f, *y = 1;
    memcpy(rgb, light, sizeof light);
    blend(rgb, dark, 0.2 + 0.9 * (double)along + 0.8 * (double)wobble);
}

static void rock_shape(uint32_t ring, uint32_t side, float *y, float *radius, float rgb[3]) {
    static const float gray[3] = {128, 120, 110}, moss[3] = {92, 104, 66};
    float angle = pi * (float)(ring + 1) / (rock_rings + 1), turn = 2 * pi * (float)side / rock_sides;
    double px = (double)(cosf(turn) * sinf(angle)), pz = (double)(sinf(turn) * sinf(angle)), py = (double)-cosf(angle);
    double bump = island_noise(px * 1.7 + py + 9, pz * 1.7 - py + 5, 4, 83) +
                  0.5 * island_noise(px * 5 + py * 3, pz * 5 - py * 3, 2, 89);
    *radius = sinf(angle) * (float)(0.30 + 0.32 * bump);
    *y = 0.36f - cosf(angle) * 0.36f;
    memcpy(rgb, gray, sizeof gray);
    blend(rgb, moss, (py - 0.2) * 2 + bump - 0.8);
    for (int i = 0; i < 3; i++) rgb[i] *= (float)(0.65 + 0.5 * bump);
}

bool island_tree(island_mesh *mesh) {
    return revolve(mesh, tree_trunk_rings + tree_layers * tree_rings_a_layer, tree_sides, tree_shape);
}

bool island_rock(island_mesh *mesh) { return revolve(mesh, rock_rings, rock_sides, rock_shape); }
