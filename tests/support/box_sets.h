/* SPDX-License-Identifier: MIT */
/* Seeded sets of boxes that tests and benchmarks share. All coordinates are multiples of 1/16 m, so that sums and squares of
 * differences are exact in doubles and every structure holds the same numbers, also in floats near the origin. */
#ifndef TEST_BOX_SETS_H
#define TEST_BOX_SETS_H

#include <math.h>
#include <terrane/math_types.h>

#include "random.h"

typedef enum box_set {
    BOX_SET_GRID,       /* a flat world of 64 m tiles with different heights */
    BOX_SET_CITIES,     /* four of five small and in one of 24 clusters, the others larger and anywhere */
    BOX_SET_OVERLAP,    /* sides from 64 to 1024 m, each place under dozens of boxes */
    BOX_SET_CONCENTRIC, /* one centre for all, all sizes */
    BOX_SET_COUNT
} box_set;

static inline const char *box_set_name(box_set set) {
    static const char *const names[BOX_SET_COUNT] = {"grid", "cities", "overlap", "concentric"};
    return names[set];
}

/* The world is a square of this many metres. */
static inline double box_set_side(box_set set, uint32_t count) {
    double root = ceil(sqrt((double)count));
    return set == BOX_SET_OVERLAP ? 48 * root : 64 * root;
}

static inline double box_set_snap(double x) { return floor(x * 16) / 16; }

/* About normally distributed, of deviation 1. */
static inline double box_set_normal(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += random_between(state, 0, 1);
    return sum;
}

static inline trn_world_box box_set_around(double x, double y, double z, double width, double height, double depth) {
    trn_world_box box;
    double center[3] = {x, y, z}, half[3] = {width / 2, height / 2, depth / 2};
    for (int a = 0; a < 3; a++) {
        box.min[a] = box_set_snap(center[a] - half[a]);
        box.max[a] = box_set_snap(center[a] + half[a]);
    }
    return box;
}

/* Fills `count` boxes, in random order. The world's corner is at `corner`, a multiple of 1/16. */
static inline void box_set_fill(box_set set, uint32_t count, const double corner[3], uint64_t seed,
                                trn_world_box *boxes) {
    uint64_t state = seed;
    double side = box_set_side(set, count);
    double city[24][2];
    for (int i = 0; i < 24; i++)
        for (int a = 0; a < 2; a++) city[i][a] = random_between(&state, 0.1 * side, 0.9 * side);
    uint32_t root = (uint32_t)ceil(sqrt((double)count));
    for (uint32_t i = 0; i < count; i++) {
        double x = random_between(&state, 0, side), z = random_between(&state, 0, side);
        double size = 64 * pow(2, random_between(&state, 0, 4));
        switch (set) {
        case BOX_SET_GRID:
            boxes[i] = box_set_around(64.0 * (i % root) + 32, 16, 64.0 * (i / root) + 32, 64,
                                      random_between(&state, 8, 128), 64);
            break;
        case BOX_SET_CITIES:
            if (random_below(&state, 5) != 0) {
                const double *at = city[random_below(&state, 24)];
                x = at[0] + 0.03 * side * box_set_normal(&state);
                z = at[1] + 0.03 * side * box_set_normal(&state);
                size = random_between(&state, 4, 32);
            } else {
                size = random_between(&state, 32, 256);
            }
            boxes[i] = box_set_around(x, 20, z, size, random_between(&state, 4, 80), size);
            break;
        case BOX_SET_OVERLAP: {
            double y = random_between(&state, 0, 200), depth = 64 * pow(2, random_between(&state, 0, 4));
            boxes[i] = box_set_around(x, y, z, size, size / 4, depth);
            break;
        }
        default: {
            /* Half sides on the 1/16 grid keep the centre exact. */
            double half = 1.0 / 16 + box_set_snap(side / 4 * pow(2, -random_between(&state, 0, 10)));
            boxes[i] = box_set_around(side / 2, 0, side / 2, 2 * half, 2 * half, 2 * half);
            break;
        }
        }
        for (int a = 0; a < 3; a++) boxes[i].min[a] += corner[a], boxes[i].max[a] += corner[a];
    }
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = random_below(&state, i);
        trn_world_box box = boxes[i - 1];
        boxes[i - 1] = boxes[j];
        boxes[j] = box;
    }
}

#endif
