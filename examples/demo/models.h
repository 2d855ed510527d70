/* SPDX-License-Identifier: MIT */
/* Which meshes stand on the island, how high they are, and where each likes to be. */
#ifndef DEMO_MODELS_H
#define DEMO_MODELS_H

#include <stdint.h>

/* The axis that points up in a mesh as assimp reads it. */
typedef enum demo_up { DEMO_UP_Y = 0, DEMO_UP_Z = 1 } demo_up;

/* Kinds of ground that are strewn with models. */
typedef enum demo_ground { DEMO_BEACH, DEMO_FOREST, DEMO_MEADOW, DEMO_HEIGHTS, DEMO_TOWN, DEMO_GROUNDS } demo_ground;

typedef struct demo_model {
    const char *name;
    const char *file; /* below the folder of assimp's test models; "": from the npm package; NULL: generated here */
    demo_up up;
    float height;                 /* metres it is scaled to */
    float color[3];               /* linear; the mesh's own colours are multiplied with it */
    uint16_t share[DEMO_GROUNDS]; /* of 1000 candidate places on each ground */
} demo_model;

enum {
    DEMO_DRAGON,
    DEMO_MONKEY,
    DEMO_HOUSE,
    DEMO_TREE,
    DEMO_ROCK
}; /* the first models, which the layout knows by name */

extern const demo_model demo_models[];
extern const uint32_t demo_model_count;

#endif
