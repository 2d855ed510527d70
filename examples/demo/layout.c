/* SPDX-License-Identifier: MIT */
/* A jittered grid of candidate places covers the island; the ground under each and the shares in demo_models decide
 * what stands there. The plaza and the village are set up by hand. Then all is sorted into the cells. */
#include "layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { candidates = 200, placements_max = 16384 }; /* the sum of all stays below half of the latter */

static const double full_turn = 6.283185307179586;

static uint32_t hash(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

static double chance(uint32_t a, uint32_t b, uint32_t c) { return hash(a, b, c) * (1.0 / 4294967296.0); }

/* ---- One placement ---- */

static void turn_by(const float q[4], const float v[3], float out[3]) {
    /* v + 2 u x (u x v + w v) for the quaternion (u, w). */
    float c[3] = {q[1] * v[2] - q[2] * v[1] + q[3] * v[0], q[2] * v[0] - q[0] * v[2] + q[3] * v[1],
                  q[0] * v[1] - q[1] * v[0] + q[3] * v[2]};
    out[0] = v[0] + 2 * (q[1] * c[2] - q[2] * c[1]);
    out[1] = v[1] + 2 * (q[2] * c[0] - q[0] * c[2]);
    out[2] = v[2] + 2 * (q[0] * c[1] - q[1] * c[0]);
}

layout_placement layout_stand(uint32_t model, const trn_box *box, demo_up up, double x, double ground, double z,
                              double turn, double height) {
    static const float upright[2][4] = {[DEMO_UP_Y] = {0, 0, 0, 1}, [DEMO_UP_Z] = {-0.70710678f, 0, 0, 0.70710678f}};
    const float *u = upright[up];
    const float s = (float)sin(turn * full_turn / 2), c = (float)cos(turn * full_turn / 2);
    layout_placement placed = {.model = model};
    /* Yaw times upright. */
    placed.rotation[0] = c * u[0] + s * u[2];
    placed.rotation[1] = c * u[1] + s * u[3];
    placed.rotation[2] = c * u[2] - s * u[0];
    placed.rotation[3] = c * u[3] - s * u[1];

    float center[3], low = INFINITY, high = -INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        float point[3], turned[3];
        for (int axis = 0; axis < 3; axis++) point[axis] = corner >> axis & 1 ? box->max[axis] : box->min[axis];
        turn_by(placed.rotation, point, turned);
        if (turned[1] < low) low = turned[1];
        if (turned[1] > high) high = turned[1];
    }
    for (int axis = 0; axis < 3; axis++) center[axis] = (box->min[axis] + box->max[axis]) / 2;
    float middle[3];
    turn_by(placed.rotation, center, middle);
    placed.scale = high > low ? (float)height / (high - low) : 1;
    placed.position[0] = (float)x - placed.scale * middle[0];
    placed.position[1] = (float)ground - placed.scale * low;
    placed.position[2] = (float)z - placed.scale * middle[2];
    return placed;
}

/* ---- Collecting ---- */

typedef struct pile {
    const layout_shape *shapes;
    layout_placement *placements; /* with the foot's place beside, which decides the cell */
    float (*feet)[2];
    uint32_t count;
} pile;

static void put(pile *to, uint32_t model, double x, double z, double turn, double height) {
    const layout_shape *shape = &to->shapes[model];
    if (!shape->present || to->count == placements_max) return;
    /* On a slope the foot goes to the lowest of the ground around it, so that nothing floats. */
    double around = height * 0.25, ground = island_height(x, z);
    for (int i = 0; i < 4; i++) {
        double other = island_height(x + (i < 2 ? around : -around), z + (i % 2 ? around : -around));
        if (other < ground) ground = other;
    }
    to->feet[to->count][0] = (float)x;
    to->feet[to->count][1] = (float)z;
    to->placements[to->count++] =
        layout_stand(LAYOUT_FIRST_MODEL + model, &shape->box, demo_models[model].up, x, ground, z, turn, height);
}

static double distance(double x, double z, double to_x, double to_z) {
    return sqrt((x - to_x) * (x - to_x) + (z - to_z) * (z - to_z));
}

/* Draws a model by its share of the ground; demo_model_count: nothing stands here. */
static uint32_t draw_lot(demo_ground ground, double lot) {
    double sum = 0;
    for (uint32_t i = 0; i < demo_model_count; i++) {
        sum += demo_models[i].share[ground] / 1000.0;
        if (lot < sum) return i;
    }
    return demo_model_count;
}

static void scatter(pile *to) {
    const double spacing = (double)ISLAND_SIZE / candidates;
    for (uint32_t row = 0; row < candidates; row++)
        for (uint32_t column = 0; column < candidates; column++) {
            double x = (column + 0.1 + 0.8 * chance(column, row, 1)) * spacing;
            double z = (row + 0.1 + 0.8 * chance(column, row, 2)) * spacing;
            double height = island_height(x, z);
            float normal[3];
            if (height < 0.5 || distance(x, z, ISLAND_PLAZA_X, ISLAND_PLAZA_Z) < ISLAND_PLAZA_RADIUS + 14 ||
                distance(x, z, ISLAND_VILLAGE_X, ISLAND_VILLAGE_Z) < ISLAND_VILLAGE_RADIUS + 14)
                continue;
            island_normal(x, z, normal);
            bool wooded = height > 6 && island_wood(x, z) > 0.48;
            demo_ground ground = height < 3.5                       ? DEMO_BEACH
                                 : height > 190 || normal[1] < 0.8f ? DEMO_HEIGHTS
                                 : wooded                           ? DEMO_FOREST
                                                                    : DEMO_MEADOW;
            uint32_t model = draw_lot(ground, chance(column, row, 3));
            if (model == demo_model_count) continue;
            bool tall = demo_models[model].height > 5 && model != DEMO_TREE;
            if (normal[1] < (model == DEMO_ROCK ? 0.68f : tall ? 0.95f : 0.75f)) continue;
            bool grows = model == DEMO_TREE || model == DEMO_ROCK;
            double vary = grows ? 0.55 + 0.9 * chance(column, row, 4) : 1;
            if (model == DEMO_ROCK && chance(column, row, 5) < 0.12) vary *= 3;
            put(to, model, x, z, chance(column, row, 6), demo_models[model].height * vary);
        }
}

/* Things of DEMO_TOWN on rings around a place. */
static void crowd(pile *to, double x, double z, double inner, double outer, uint32_t tries, uint32_t seed) {
    for (uint32_t i = 0; i < tries; i++) {
        uint32_t model = draw_lot(DEMO_TOWN, chance(i, seed, 1));
        if (model == demo_model_count) continue;
        double angle = full_turn * chance(i, seed, 2), radius = inner + (outer - inner) * sqrt(chance(i, seed, 3));
        put(to, model, x + radius * cos(angle), z + radius * sin(angle), chance(i, seed, 4), demo_models[model].height);
    }
}

static void ring(pile *to, uint32_t model, double x, double z, double radius, uint32_t count, double height) {
    for (uint32_t i = 0; i < count; i++) {
        double part = (i + 0.5) / count;
        put(to, model, x + radius * cos(full_turn * part), z + radius * sin(full_turn * part), 0.75 - part, height);
    }
}

static void build_plaza(pile *to) {
    /* Where npm was missing the monkeys stand in for the dragons. */
    uint32_t statue = to->shapes[DEMO_DRAGON].present ? DEMO_DRAGON : DEMO_MONKEY;
    put(to, statue, ISLAND_PLAZA_X, ISLAND_PLAZA_Z, 0, demo_models[DEMO_DRAGON].height);
    ring(to, statue, ISLAND_PLAZA_X, ISLAND_PLAZA_Z, 56, 10, 7);
    ring(to, DEMO_MONKEY, ISLAND_PLAZA_X, ISLAND_PLAZA_Z, 84, 24, demo_models[DEMO_MONKEY].height);
    crowd(to, ISLAND_PLAZA_X, ISLAND_PLAZA_Z, 22, 48, 130, 101);
    crowd(to, ISLAND_PLAZA_X, ISLAND_PLAZA_Z, 64, 78, 90, 102);
}

static void build_village(pile *to) {
    ring(to, DEMO_HOUSE, ISLAND_VILLAGE_X, ISLAND_VILLAGE_Z, 46, 8, demo_models[DEMO_HOUSE].height);
    ring(to, DEMO_HOUSE, ISLAND_VILLAGE_X, ISLAND_VILLAGE_Z, 96, 16, demo_models[DEMO_HOUSE].height);
    crowd(to, ISLAND_VILLAGE_X, ISLAND_VILLAGE_Z, 4, 28, 90, 103);
    crowd(to, ISLAND_VILLAGE_X, ISLAND_VILLAGE_Z, 64, 78, 190, 104);
}

/* ---- Regions ---- */

static void add_tiles(layout *out) {
    for (uint32_t i = 0; i < LAYOUT_TILES; i++) {
        double x = i % ISLAND_TILES * (double)ISLAND_TILE, z = i / ISLAND_TILES * (double)ISLAND_TILE;
        layout_region *region = &out->regions[out->region_count++];
        *region = (layout_region){.box = {{x, -200, z}, {x + ISLAND_TILE, 800, z + ISLAND_TILE}},
                                  .authored = TRN_STATE_ACTIVE,
                                  .first = out->placement_count,
                                  .count = 1};
        snprintf(region->name, sizeof region->name, "tile %u %u", i % ISLAND_TILES, i / ISLAND_TILES);
        out->placements[out->placement_count++] =
            (layout_placement){.model = i, .scale = 1, .position = {(float)x, 0, (float)z}, .rotation = {0, 0, 0, 1}};
    }
}

static uint32_t cell_of(const float foot[2]) {
    const double side = (double)ISLAND_SIZE / LAYOUT_CELLS;
    int column = (int)(foot[0] / side), row = (int)(foot[1] / side);
    column = column < 0 ? 0 : column >= LAYOUT_CELLS ? LAYOUT_CELLS - 1 : column;
    row = row < 0 ? 0 : row >= LAYOUT_CELLS ? LAYOUT_CELLS - 1 : row;
    return (uint32_t)(row * LAYOUT_CELLS + column);
}

static void add_cells(const pile *from, layout *out) {
    const double side = (double)ISLAND_SIZE / LAYOUT_CELLS;
    layout_region *cells = &out->regions[out->region_count];
    for (uint32_t i = 0; i < LAYOUT_CELLS * LAYOUT_CELLS; i++) {
        double x = i % LAYOUT_CELLS * side, z = i / LAYOUT_CELLS * side;
        cells[i] = (layout_region){.box = {{x, -200, z}, {x + side, 800, z + side}}, .authored = TRN_STATE_UNLOADED};
        snprintf(cells[i].name, sizeof cells[i].name, "cell %u %u", i % LAYOUT_CELLS, i / LAYOUT_CELLS);
    }
    /* A counting sort by cell. */
    for (uint32_t i = 0; i < from->count; i++) cells[cell_of(from->feet[i])].count++;
    for (uint32_t i = 0; i < LAYOUT_CELLS * LAYOUT_CELLS; i++) {
        cells[i].first = out->placement_count;
        out->placement_count += cells[i].count;
        cells[i].count = 0;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        layout_region *cell = &cells[cell_of(from->feet[i])];
        out->placements[cell->first + cell->count++] = from->placements[i];
    }
    out->region_count += LAYOUT_CELLS * LAYOUT_CELLS;
}

bool layout_make(const layout_shape *shapes, layout *out) {
    *out = (layout){.regions = malloc((LAYOUT_TILES + LAYOUT_CELLS * LAYOUT_CELLS) * sizeof(layout_region)),
                    .placements = malloc((LAYOUT_TILES + placements_max) * sizeof(layout_placement))};
    pile strewn = {.shapes = shapes,
                   .placements = malloc(placements_max * sizeof(layout_placement)),
                   .feet = malloc(placements_max * sizeof *strewn.feet)};
    bool made = out->regions && out->placements && strewn.placements && strewn.feet;
    if (made) {
        build_plaza(&strewn);
        build_village(&strewn);
        scatter(&strewn);
        add_tiles(out);
        add_cells(&strewn, out);
    } else {
        layout_free(out);
    }
    free(strewn.placements);
    free(strewn.feet);
    return made;
}

void layout_free(layout *out) {
    free(out->regions);
    free(out->placements);
    *out = (layout){0};
}

/* ---- Bytes ---- */

static void pack_u32(unsigned char *to, uint32_t value) {
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(value >> (8 * i));
}

static uint32_t unpack_u32(const unsigned char *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static void pack_floats(unsigned char *to, const float *values, int count) {
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        pack_u32(to + 4 * i, bits);
    }
}

static void unpack_floats(const unsigned char *from, float *values, int count) {
    for (int i = 0; i < count; i++) {
        uint32_t bits = unpack_u32(from + 4 * i);
        memcpy(&values[i], &bits, sizeof bits);
    }
}

void layout_pack(const layout_placement *from, unsigned char *to) {
    pack_u32(to, from->model);
    pack_floats(to + 4, &from->scale, 1);
    pack_floats(to + 8, from->position, 3);
    pack_floats(to + 20, from->rotation, 4);
}

void layout_unpack(const unsigned char *from, layout_placement *to) {
    to->model = unpack_u32(from);
    unpack_floats(from + 4, &to->scale, 1);
    unpack_floats(from + 8, to->position, 3);
    unpack_floats(from + 20, to->rotation, 4);
}
