/* SPDX-License-Identifier: MIT */
/* The generated island: a height for every place, and meshes of its tiles, of a tree and of a rock.
 *
 * One square of 3,072 m, x and z horizontal, y up, the sea at y = 0; its rim lies below the sea and is an open border.
 * Only additions, multiplications, divisions, square roots and floor are used, so every machine makes the same island.
 *
 * Neighbouring tiles meet without cracks, at any pair of levels, because
 * - their border vertices are the same points: coordinates are multiples of ISLAND_GRAIN, tiles begin at whole metres;
 * - they are on both tiles' 16-bit grids exactly: a grid's step is a power of two that is no coarser than the grain
 *   (a tile is 256 m wide and less than 1,023 m high, so 65,535 steps of 1/64 m reach over it), and its origin is a
 *   multiple of the step;
 * - every tile is cooked with lock_mesh_border, so that no level moves or drops a border vertex;
 * - the render origin is a whole number of metres, so that placing a border vertex rounds nothing (island_origin). */
#ifndef DEMO_ISLAND_H
#define DEMO_ISLAND_H

#include <stdbool.h>
#include <stdint.h>

#define ISLAND_SIZE 3072 /* metres a side */
#define ISLAND_TILES 12  /* tiles a side */
#define ISLAND_TILE (ISLAND_SIZE / ISLAND_TILES)
#define ISLAND_TILE_QUADS 64 /* a side: one vertex every 4 m */
#define ISLAND_GRAIN (1.0 / 64.0)

/* Where people built something: flat places, in metres. */
#define ISLAND_PLAZA_X 1984.0
#define ISLAND_PLAZA_Z 1248.0
#define ISLAND_PLAZA_RADIUS 105.0
#define ISLAND_VILLAGE_X 1216.0
#define ISLAND_VILLAGE_Z 2048.0
#define ISLAND_VILLAGE_RADIUS 120.0

/* A triangle mesh; free it with island_mesh_free. */
typedef struct island_mesh {
    float *positions;
    float *normals;
    uint8_t *colors;
    uint32_t *indices;
    uint32_t vertex_count;
    uint32_t index_count;
} island_mesh;

/* Height above the sea in metres, a multiple of ISLAND_GRAIN. */
double island_height(double x, double z);

/* Upward unit normal of the surface, by differences over 2 m. */
void island_normal(double x, double z, float normal[3]);

/* Value noise of several octaves, 0..1; `seed` chooses one of many. */
double island_noise(double x, double z, uint32_t octaves, uint32_t seed);

/* Where woods stand: above about a half, 0..1. */
double island_wood(double x, double z);

/* Tile (column, row) in coordinates that begin at its corner (column, row) x ISLAND_TILE. False: out of memory. */
bool island_tile(uint32_t column, uint32_t row, island_mesh *mesh);

/* A conifer 1 m high, and a boulder about 1 m across; base at y = 0. */
bool island_tree(island_mesh *mesh);
bool island_rock(island_mesh *mesh);

void island_mesh_free(island_mesh *mesh);

/* The whole metres below a position: the render origin. */
void island_origin(const double position[3], double origin[3]);

#endif
