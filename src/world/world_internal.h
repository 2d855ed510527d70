/* SPDX-License-Identifier: MIT */
/* The world's own state. world.c makes and frees it, world_update.c runs the frame, world_models.c and world_instances.c
 * hold the tables, world_regions.c passes calls on, world_outputs.c answers questions. */
#ifndef TRNI_WORLD_INTERNAL_H
#define TRNI_WORLD_INTERNAL_H

#include <terrane/world.h>

#include "lod/lod_internal.h"
#include "output_array.h"
#include "region/region_internal.h"
#include "stream/stream_internal.h"

#define TRNI_NAME_BYTES 64u
#define TRNI_NOBODY UINT32_MAX

/* A registered model: what the level choice reads, and where its pages are streamed. */
typedef struct trni_world_model {
    uint32_t generation;
    bool used;
    uint32_t resource; /* of the streamer */
    uint32_t instance_count;
    uint64_t user_data;
    uint64_t touched; /* update in which the needs were last gathered */
    trni_lod_model lod;
    trni_lod_page *pages;
    uint32_t *first_dependency; /* page_count + 1 */
    uint32_t *dependencies;
    uint32_t dependency_count;
    uint8_t *needs;
    float priority;
    char name[TRNI_NAME_BYTES];
} trni_world_model;

/* A placed model. */
typedef struct trni_instance {
    uint32_t generation;
    bool used;
    bool hidden;
    uint32_t region; /* place */
    uint32_t model;  /* place */
    uint32_t next_in_region, previous_in_region;
    float scale;
    uint32_t flags;
    trn_pose pose;
} trni_instance;

/* What one update hands out; two of these alternate, so that each lives until the update after the next. */
typedef struct trni_world_outputs {
    trni_output_array events, reads, cancels, writes, write_chunks, copies, changes, entries;
    trni_output_array draws[TRN_MAX_VIEWS];
    uint32_t event_count, read_count, cancel_count, write_count, copy_count, change_count, entry_count;
    uint32_t draw_count[TRN_MAX_VIEWS];
    uint32_t dirty_first, dirty_end; /* entries that differ from the other one's */
} trni_world_outputs;

struct trn_world {
    trn_allocator base;      /* the host's */
    trn_allocator allocator; /* the same, counted */
    uint64_t cpu_bytes;
    trn_world_def def; /* every default filled in */
    uint64_t update, submit;
    trni_regions *regions;
    trni_stream stream;

    trni_world_model *models;
    uint32_t model_capacity, model_count;
    uint32_t *touched; /* models needed in this update; model_capacity places */
    uint32_t touched_count;

    trni_instance *instances;
    uint32_t instance_capacity, instance_end, instance_count, free_instance;
    uint32_t *region_first; /* first instance of each region, by place */
    uint8_t *region_loaded; /* 0, or the trn_state resident or active, by place */
    uint32_t region_end;    /* places that were ever used */
    uint32_t region_capacity, region_loaded_capacity;

    trni_world_outputs outputs[2];
    uint32_t views_prepared; /* draws[0 .. views_prepared) have memory */
    uint32_t draws_by_level[TRN_STATS_LEVELS];
    uint32_t draw_total;
};

static inline trni_world_outputs *trni_world_current(trn_world *world) { return &world->outputs[world->update & 1]; }

/* Output arrays for what exists now; called by everything that adds. False: no memory. */
bool trni_world_grow_outputs(trn_world *world);
/* Draw lists for that many views. */
bool trni_world_prepare_views(trn_world *world, uint32_t view_count);

trni_world_model *trni_world_find_model(const trn_world *world, trn_model_id id);
void trni_world_free_models(trn_world *world);
void trni_world_destroy_instances_of(trn_world *world, uint32_t region);
/* Room for what the world keeps for each region. */
bool trni_world_grow_regions(trn_world *world, uint32_t region_end);

#endif
