/* SPDX-License-Identifier: MIT */
/* What stands where: a region for each tile of terrain and for each cell of a finer grid, and what each region holds.
 * Pure: the same shapes give the same world. Regions come with the bytes that stand for them in the world's file. */
#ifndef DEMO_LAYOUT_H
#define DEMO_LAYOUT_H

#include <stddef.h>

#include <terrane/region.h>

#include "island.h"
#include "models.h"

#define LAYOUT_CELLS 40 /* a side, for everything that stands on the ground */

/* Models are numbered: the tiles row by row, then demo_models. */
#define LAYOUT_TILES (ISLAND_TILES * ISLAND_TILES)
#define LAYOUT_FIRST_MODEL LAYOUT_TILES

/* What the layout must know of one of demo_models. */
typedef struct layout_shape {
    bool present;
    trn_box box; /* model units */
} layout_shape;

typedef struct layout_placement {
    uint32_t model;
    float scale;
    float position[3];
    float rotation[4];
} layout_placement;

typedef struct layout_region {
    char name[24];
    trn_world_box box;
    trn_state authored;
    uint32_t first; /* its placements */
    uint32_t count;
} layout_region;

typedef struct layout {
    layout_region *regions;
    layout_placement *placements;
    uint32_t region_count;
    uint32_t placement_count;
} layout;

/* `shapes`: one for each of demo_models. False: out of memory. */
bool layout_make(const layout_shape *shapes, layout *out);
void layout_free(layout *out);

/* The bytes of a placement, little-endian whatever the machine. */
#define LAYOUT_PLACEMENT_BYTES 36u
void layout_pack(const layout_placement *from, unsigned char *to);
void layout_unpack(const unsigned char *from, layout_placement *to);

/* Places a model upright with its foot in (x, ground, z), turned by `turn` (0..1 is a full turn) and `height` metres
 * high. */
layout_placement layout_stand(uint32_t model, const trn_box *box, demo_up up, double x, double ground, double z,
                              double turn, double height);

#endif
