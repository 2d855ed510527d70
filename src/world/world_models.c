/* SPDX-License-Identifier: MIT */
/* Models of a world: their tables for the level choice, and their place in the streamer. */
#include <stdio.h>
#include <string.h>

#include "world_internal.h"

trni_world_model *trni_world_find_model(const trn_world *world, trn_model_id id) {
    if (id.index1 == 0 || id.index1 > world->model_capacity) return NULL;
    trni_world_model *model = &world->models[id.index1 - 1];
    return model->used && model->generation == id.generation ? model : NULL;
}

static void free_tables(trn_world *world, trni_world_model *model) {
    const trn_allocator *allocator = &world->allocator;
    trni_free(allocator, model->pages, model->lod.page_count, sizeof *model->pages);
    trni_free(allocator, model->first_dependency, (size_t)model->lod.page_count + 1, sizeof *model->first_dependency);
    trni_free(allocator, model->dependencies, model->dependency_count, sizeof *model->dependencies);
    trni_free(allocator, model->needs, model->lod.page_count, 1);
    uint32_t generation = model->generation;
    memset(model, 0, sizeof *model);
    model->generation = generation;
}

void trni_world_free_models(trn_world *world) {
    for (uint32_t m = 0; m < world->model_capacity; m++)
        if (world->models[m].used) free_tables(world, &world->models[m]);
    trni_free(&world->allocator, world->models, world->model_capacity, sizeof *world->models);
    trni_free(&world->allocator, world->touched, world->model_capacity, sizeof *world->touched);
}

static bool grow_models(trn_world *world) {
    uint32_t capacity = world->model_capacity ? world->model_capacity * 2 : 16;
    trni_world_model *models = TRNI_NEW_ARRAY(&world->allocator, trni_world_model, capacity);
    uint32_t *touched = TRNI_NEW_ARRAY(&world->allocator, uint32_t, capacity);
    if (!models || !touched) {
        trni_free(&world->allocator, models, capacity, sizeof *models);
        trni_free(&world->allocator, touched, capacity, sizeof *touched);
        return false;
    }
    if (world->models) memcpy(models, world->models, world->model_capacity * sizeof *models);
    trni_free(&world->allocator, world->models, world->model_capacity, sizeof *models);
    trni_free(&world->allocator, world->touched, world->model_capacity, sizeof *touched);
    world->models = models;
    world->touched = touched;
    world->model_capacity = capacity;
    return true;
}

static bool make_tables(trn_world *world, trni_world_model *made, const trn_model *model) {
    const trn_allocator *allocator = &world->allocator;
    trn_model_info info;
    trn_model_get_info(model, &info);
    made->dependency_count = info.dependency_count;
    made->lod.page_count = info.page_count;
    made->lod.level_count = info.level_count;
    made->lod.page_a_level = info.page_count == info.level_count;
    memcpy(made->lod.sphere, info.sphere.center, sizeof info.sphere.center);
    made->lod.sphere[3] = info.sphere.radius;
    made->pages = TRNI_NEW_ARRAY(allocator, trni_lod_page, info.page_count);
    made->first_dependency = TRNI_NEW_ARRAY(allocator, uint32_t, (size_t)info.page_count + 1);
    made->dependencies = TRNI_NEW_ARRAY(allocator, uint32_t, info.dependency_count);
    made->needs = TRNI_NEW_ARRAY(allocator, uint8_t, info.page_count);
    if (!made->pages || !made->first_dependency || !made->dependencies || !made->needs) return false;
    made->lod.pages = made->pages;
    for (uint32_t p = 0; p < info.page_count; p++) {
        trn_model_page page;
        trn_model_get_page(model, p, &page);
        made->pages[p] = (trni_lod_page){.parent_error = page.parent_error, .level = page.level};
        memcpy(made->pages[p].sphere, page.sphere.center, sizeof page.sphere.center);
        made->pages[p].sphere[3] = page.sphere.radius;
        made->first_dependency[p] = page.first_dependency;
        made->lod.root_count += page.level + 1 == info.level_count;
    }
    made->first_dependency[info.page_count] = info.dependency_count;
    for (uint32_t d = 0; d < info.dependency_count; d++) trn_model_get_dependency(model, d, &made->dependencies[d]);
    return true;
}

trn_result trn_world_add_model_sized(trn_world *world, const trn_model_def *given, size_t def_size, trn_model_id *id) {
    trn_model_def def;
    if (!world || !id || !given || !trni_def_read(&def, sizeof def, given, def_size) || !def.model)
        return TRN_ERROR_ARGUMENT;
    uint32_t place = 0;
    while (place < world->model_capacity && world->models[place].used) place++;
    if (place == world->model_capacity && !grow_models(world)) return TRN_ERROR_OUT_OF_MEMORY;
    trni_world_model made = {
        .used = true, .generation = world->models[place].generation + 1, .user_data = def.user_data};
    trn_model_id made_id = {place + 1, made.generation};
    if (def.name)
        snprintf(made.name, sizeof made.name, "%.63s", def.name);
    else
        snprintf(made.name, sizeof made.name, "model %u", place);
    trn_result result = make_tables(world, &made, def.model) ? TRN_OK : TRN_ERROR_OUT_OF_MEMORY;
    trni_stream_resource_def resource = {.model = def.model, .file = def.file, .id = made_id};
    if (result == TRN_OK) result = trni_stream_add(&world->stream, &resource, &made.resource);
    if (result == TRN_OK && !trni_world_grow_outputs(world)) {
        trni_stream_remove(&world->stream, made.resource);
        result = TRN_ERROR_OUT_OF_MEMORY;
    }
    if (result != TRN_OK) {
        free_tables(world, &made);
        return result;
    }
    world->models[place] = made;
    world->model_count++;
    *id = made_id;
    return TRN_OK;
}

trn_result trn_world_remove_model(trn_world *world, trn_model_id id) {
    if (!world) return TRN_ERROR_ARGUMENT;
    trni_world_model *model = trni_world_find_model(world, id);
    if (!model) return TRN_ERROR_STALE_ID;
    if (model->instance_count > 0) return TRN_ERROR_BUSY;
    trni_stream_remove(&world->stream, model->resource);
    free_tables(world, model);
    world->model_count--;
    return TRN_OK;
}

trn_result trn_world_retry_model(trn_world *world, trn_model_id id) {
    if (!world) return TRN_ERROR_ARGUMENT;
    const trni_world_model *model = trni_world_find_model(world, id);
    if (!model) return TRN_ERROR_STALE_ID;
    trni_stream_retry(&world->stream, model->resource);
    return TRN_OK;
}

trn_result trn_model_get_status(const trn_world *world, trn_model_id id, trn_model_status *status) {
    if (!world || !status) return TRN_ERROR_ARGUMENT;
    const trni_world_model *model = trni_world_find_model(world, id);
    if (!model) return TRN_ERROR_STALE_ID;
    const trni_stream_resource *resource = &world->stream.resources[model->resource];
    const trni_lod_model *lod = &model->lod;
    bool needed = model->touched == world->update && world->update > 0;
    *status =
        (trn_model_status){.ready = resource->roots_ready == resource->root_count,
                           .failed = resource->failed,
                           .not_drawn_memory = resource->not_drawn_memory,
                           .level_count = lod->level_count,
                           .finest_resident = lod->level_count,
                           .fit = needed ? trni_lod_finest(lod, model->needs, TRNI_NEED_FIT) : lod->level_count,
                           .wanted = needed ? trni_lod_finest(lod, model->needs, TRNI_NEED_WANT) : lod->level_count,
                           .resident_bytes = resource->ready_bytes,
                           .instance_count = model->instance_count};
    for (uint32_t p = 0; p < lod->page_count; p++)
        if (world->stream.pages[resource->first_page + p].state == TRNI_PAGE_READY &&
            lod->pages[p].level < status->finest_resident)
            status->finest_resident = lod->pages[p].level;
    return TRN_OK;
}
