/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_world(const layout *plan, const char *path) {
    FILE *to = fopen(path, "wb");
    if (!to) return false;
    for (uint32_t i = 0; i < plan->placement_count; i++) {
        unsigned char bytes[LAYOUT_PLACEMENT_BYTES];
        layout_pack(&plan->placements[i], bytes);
        fwrite(bytes, 1, sizeof bytes, to);
    }
    bool good = !ferror(to);
    return fclose(to) == 0 && good;
}

static bool add_models(scene *s, trn_host *host, trn_world *world, const catalog *models, char error[256]) {
    for (uint32_t i = 0; i < models->count; i++) {
        trn_error why = {0};
        if (!models->entries[i].tables) continue;
        if (trn_host_open_model(host, world, models->entries[i].path, &s->models[i], &why) != TRN_OK)
            return snprintf(error, 256, "%s", why.text), false;
    }
    return true;
}

static bool add_regions(const scene *s, trn_world *world, uint32_t file, char error[256]) {
    for (uint32_t i = 0; i < s->plan.region_count; i++) {
        const layout_region *region = &s->plan.regions[i];
        trn_region_def def = {.name = region->name, .box = region->box, .authored = region->authored, .user_data = i};
        if (region->count > 0)
            def.payload = (trn_payload){.file = file,
                                        .bytes = region->count * LAYOUT_PLACEMENT_BYTES,
                                        .offset = (uint64_t)region->first * LAYOUT_PLACEMENT_BYTES};
        trn_region_id id;
        trn_result result = trn_region_create(world, &def, &id);
        if (result != TRN_OK)
            return snprintf(error, 256, "region %s: %s", region->name, trn_result_text(result)), false;
    }
    return true;
}

bool scene_make(scene *s, trn_host *host, trn_world *world, const catalog *models, const char *world_file,
                char error[256]) {
    memset(s, 0, sizeof *s);
    layout_shape shapes[CATALOG_MODELS_MAX];
    for (uint32_t i = 0; i < demo_model_count; i++) {
        const catalog_entry *entry = &models->entries[LAYOUT_FIRST_MODEL + i];
        shapes[i] = (layout_shape){.present = entry->tables != NULL, .box = entry->info.box};
    }
    uint32_t file;
    trn_error why = {0};
    if (!layout_make(shapes, &s->plan)) return snprintf(error, 256, "out of memory"), false;
    if (!(s->instances = calloc(s->plan.placement_count, sizeof *s->instances)))
        return snprintf(error, 256, "out of memory"), false;
    if (!write_world(&s->plan, world_file)) return snprintf(error, 256, "%.200s: cannot be written", world_file), false;
    if (trn_host_open_file(host, world_file, &file, &why) != TRN_OK) return snprintf(error, 256, "%s", why.text), false;
    return add_models(s, host, world, models, error) && add_regions(s, world, file, error);
}

void scene_free(scene *s) {
    layout_free(&s->plan);
    free(s->instances);
    s->instances = NULL;
}

static bool make_instances(scene *s, trn_world *world, const layout_region *region, const trn_event *event) {
    const unsigned char *bytes = event->data;
    if (event->bytes != region->count * LAYOUT_PLACEMENT_BYTES) return false;
    for (uint32_t i = 0; i < region->count; i++) {
        layout_placement placed;
        layout_unpack(bytes + (size_t)i * LAYOUT_PLACEMENT_BYTES, &placed);
        if (placed.model >= CATALOG_MODELS_MAX) return false;
        trn_instance_def def = {.region = event->region, .model = s->models[placed.model], .scale = placed.scale};
        for (int axis = 0; axis < 3; axis++) def.pose.position[axis] = placed.position[axis];
        memcpy(def.pose.rotation, placed.rotation, sizeof placed.rotation);
        if (trn_instance_create(world, &def, &s->instances[region->first + i]) != TRN_OK) return false;
    }
    return true;
}

static void remove_instances(scene *s, trn_world *world, const layout_region *region) {
    for (uint32_t i = region->first; i < region->first + region->count; i++) {
        trn_instance_destroy(world, s->instances[i]);
        s->instances[i] = (trn_instance_id){0};
    }
}

static bool is_loaded(trn_state state) { return state == TRN_STATE_RESIDENT || state == TRN_STATE_ACTIVE; }

static void count_region(scene *s, const layout_region *region, const trn_event *event) {
    bool before = is_loaded(event->from), after = is_loaded(event->to);
    for (uint32_t i = region->first; i < region->first + region->count && before != after; i++) {
        uint32_t model = s->plan.placements[i].model;
        if (after)
            s->arriving[model]++;
        else
            s->placed[model]--;
    }
}

bool scene_answer(scene *s, trn_world *world) {
    const trn_event *events;
    uint32_t count = trn_world_events(world, &events);
    trn_region_id zero = trn_world_region_zero(world);
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        const trn_event *event = &events[i];
        bool is_zero = event->region.index1 == zero.index1;
        const layout_region *region = is_zero ? NULL : &s->plan.regions[event->user_data];
        if (event->type == TRN_EVENT_REGION_LOAD) {
            bool made = is_zero || make_instances(s, world, region, event);
            good = good && made;
            trn_region_confirm(world, event->region, event->ticket, made ? TRN_OK : TRN_ERROR_FORMAT);
        } else if (event->type == TRN_EVENT_REGION_UNLOAD) {
            if (!is_zero) remove_instances(s, world, region);
            trn_region_confirm(world, event->region, event->ticket, TRN_OK);
        } else if (event->type == TRN_EVENT_REGION_STATE && !is_zero) {
            count_region(s, region, event);
        }
    }
    return good;
}

void scene_settle(scene *s, const catalog *models) {
    for (uint32_t i = 0; i < models->count; i++) {
        s->placed[i] += s->arriving[i];
        s->arriving[i] = 0;
    }
}
