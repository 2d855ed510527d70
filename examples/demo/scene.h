/* SPDX-License-Identifier: MIT */
/* The host's side of regions: writes the world's file, makes the regions, and answers their events by making and
 * removing instances. */
#ifndef DEMO_SCENE_H
#define DEMO_SCENE_H

#include <terrane_host/host.h>

#include "catalog.h"
#include "layout.h"

typedef struct scene {
    layout plan;
    trn_model_id models[CATALOG_MODELS_MAX];
    trn_instance_id *instances;            /* one for each placement of the plan, null while its region is not there */
    uint32_t placed[CATALOG_MODELS_MAX];   /* for each model: placements whose region is loaded */
    uint32_t arriving[CATALOG_MODELS_MAX]; /* those of regions that got there in this update */
} scene;

/* Plans the island for the models in the catalog, writes WORLD_FILE and tells the world of models and regions. */
bool scene_make(scene *s, trn_host *host, trn_world *world, const catalog *models, const char *world_file,
                char error[256]);
void scene_free(scene *s);

/* Answers the events of the last update. False: an instance could not be made. */
bool scene_answer(scene *s, trn_world *world);

/* Counts what arrived in this update as placed; call when the frame has been looked at. */
void scene_settle(scene *s, const catalog *models);

#endif
