/* SPDX-License-Identifier: MIT */
/* Instances of a world: a table with generations, and a list for each region. */
#include <string.h>

#include "world_internal.h"

static trni_instance *find_instance(const trn_world *world, trn_instance_id id) {
    if (id.index1 == 0 || id.index1 > world->instance_end) return NULL;
    trni_instance *instance = &world->instances[id.index1 - 1];
    return instance->used && instance->generation == id.generation ? instance : NULL;
}

static bool scale_valid(float scale) { return scale > 1e-20f && scale < 1e20f; }

static void link_to_region(trn_world *world, uint32_t index) {
    trni_instance *instance = &world->instances[index];
    uint32_t *first = &world->region_first[instance->region];
    instance->previous_in_region = TRNI_NOBODY;
    instance->next_in_region = *first;
    if (*first != TRNI_NOBODY) world->instances[*first].previous_in_region = index;
    *first = index;
    trni_region_count_instances(world->regions, instance->region, 1);
}

static void unlink_from_region(trn_world *world, uint32_t index) {
    const trni_instance *instance = &world->instances[index];
    uint32_t next = instance->next_in_region, previous = instance->previous_in_region;
    if (next != TRNI_NOBODY) world->instances[next].previous_in_region = previous;
    if (previous != TRNI_NOBODY)
        world->instances[previous].next_in_region = next;
    else
        world->region_first[instance->region] = next;
}

/* A free place, or a new one at the end. False: no memory. */
static bool take_place(trn_world *world, uint32_t *index) {
    if (world->free_instance != TRNI_NOBODY) {
        *index = world->free_instance;
        world->free_instance = world->instances[*index].next_in_region;
        return true;
    }
    void *instances = world->instances;
    if (!trni_grow(&world->allocator, &instances, &world->instance_capacity, world->instance_end + 1,
                   sizeof *world->instances))
        return false;
    world->instances = instances;
    world->instance_end++;
    if (!trni_world_grow_outputs(world)) {
        world->instance_end--;
        return false;
    }
    *index = world->instance_end - 1;
    return true;
}

trn_result trn_instance_create_sized(trn_world *world, const trn_instance_def *given, size_t def_size,
                                     trn_instance_id *id) {
    trn_instance_def def;
    trn_pose pose;
    if (!world || !id || !given || !trni_def_read(&def, sizeof def, given, def_size)) return TRN_ERROR_ARGUMENT;
    if (def.scale == 0.0f) def.scale = 1.0f;
    trni_world_model *model = trni_world_find_model(world, def.model);
    if (!model || !trni_region_is_valid(world->regions, def.region)) return TRN_ERROR_STALE_ID;
    if (!scale_valid(def.scale) || !trni_pose_make(&pose, &def.pose)) return TRN_ERROR_ARGUMENT;
    uint32_t index;
    if (!take_place(world, &index)) return TRN_ERROR_OUT_OF_MEMORY;
    trni_instance *instance = &world->instances[index];
    *instance = (trni_instance){.used = true,
                                .generation = instance->generation + 1,
                                .hidden = def.hidden,
                                .region = def.region.index1 - 1,
                                .model = def.model.index1 - 1,
                                .scale = def.scale,
                                .flags = def.flags,
                                .pose = pose};
    link_to_region(world, index);
    model->instance_count++;
    world->instance_count++;
    *id = (trn_instance_id){index + 1, instance->generation};
    return TRN_OK;
}

static void destroy_instance(trn_world *world, uint32_t index) {
    trni_instance *instance = &world->instances[index];
    unlink_from_region(world, index);
    world->models[instance->model].instance_count--;
    world->instance_count--;
    instance->used = false;
    instance->next_in_region = world->free_instance;
    world->free_instance = index;
}

trn_result trn_instance_destroy(trn_world *world, trn_instance_id id) {
    if (!world) return TRN_ERROR_ARGUMENT;
    const trni_instance *instance = find_instance(world, id);
    if (!instance) return TRN_ERROR_STALE_ID;
    trni_region_count_instances(world->regions, instance->region, -1);
    destroy_instance(world, id.index1 - 1);
    return TRN_OK;
}

void trni_world_destroy_instances_of(trn_world *world, uint32_t region) {
    while (world->region_first[region] != TRNI_NOBODY) destroy_instance(world, world->region_first[region]);
}

trn_result trn_instance_set_pose(trn_world *world, trn_instance_id id, const trn_pose *given, float scale) {
    trn_pose pose;
    if (!world || !given) return TRN_ERROR_ARGUMENT;
    trni_instance *instance = find_instance(world, id);
    if (!instance) return TRN_ERROR_STALE_ID;
    if (scale == 0.0f) scale = 1.0f;
    if (!scale_valid(scale) || !trni_pose_make(&pose, given)) return TRN_ERROR_ARGUMENT;
    instance->pose = pose;
    instance->scale = scale;
    return TRN_OK;
}

trn_result trn_instance_set_hidden(trn_world *world, trn_instance_id id, bool hidden) {
    if (!world) return TRN_ERROR_ARGUMENT;
    trni_instance *instance = find_instance(world, id);
    if (!instance) return TRN_ERROR_STALE_ID;
    instance->hidden = hidden;
    return TRN_OK;
}

bool trn_instance_is_valid(const trn_world *world, trn_instance_id id) {
    return world && find_instance(world, id) != NULL;
}
