/* SPDX-License-Identifier: MIT */
/* The frame. trn_world_update checks its input, then runs the phases one after the other; each phase is one function, and
 * data flows only forward. docs/frame.md has the picture. */
#include <string.h>

#include "world_internal.h"

/* ---- before the phases: nothing has changed yet ---- */

static bool is_finite_number(double value) { return value - value == 0.0; }

static bool frame_valid(const trn_world *world, const trn_frame *frame) {
    if ((frame->source_count > 0 && !frame->sources) || (frame->view_count > 0 && !frame->views)) return false;
    if (frame->source_count > TRN_MAX_SOURCES || frame->view_count > TRN_MAX_VIEWS) return false;
    for (int axis = 0; axis < 3; axis++)
        if (!is_finite_number(frame->render_origin[axis])) return false;
    for (uint32_t v = 0; v < frame->view_count; v++)
        if (!trni_view_valid(&frame->views[v])) return false;
    if (frame->submit != 0 && frame->submit <= world->submit) return false;
    return trni_sources_valid(frame->sources, frame->source_count);
}

/* The outputs of the update before the last are refilled: arrays that grew meanwhile are taken into use. */
static void open_outputs(trn_world *world) {
    trni_world_outputs *outputs = trni_world_current(world);
    trni_output_adopt(&outputs->events);
    trni_output_adopt(&outputs->reads);
    trni_output_adopt(&outputs->cancels);
    trni_output_adopt(&outputs->writes);
    trni_output_adopt(&outputs->write_chunks);
    trni_output_adopt(&outputs->copies);
    trni_output_adopt(&outputs->changes);
    for (uint32_t v = 0; v < world->views_prepared; v++) trni_output_adopt(&outputs->draws[v]);
    if (trni_output_adopt(&outputs->entries)) outputs->entry_count = 0; /* then all of it is copied */
    memset(outputs->draw_count, 0, sizeof outputs->draw_count);
}

static trni_stream_outputs stream_outputs(trni_world_outputs *outputs) {
    return (trni_stream_outputs){.reads = outputs->reads.data,
                                 .read_capacity = outputs->reads.capacity,
                                 .cancels = outputs->cancels.data,
                                 .cancel_capacity = outputs->cancels.capacity,
                                 .writes = outputs->writes.data,
                                 .write_chunks = outputs->write_chunks.data,
                                 .copies = outputs->copies.data,
                                 .changes = outputs->changes.data,
                                 .change_capacity = outputs->changes.capacity};
}

/* ---- phase 1: completions ---- */

static void take_completions(trn_world *world, uint64_t retired, trni_stream_outputs *outputs) {
    trni_regions_take(world->regions);
    trni_stream_begin(&world->stream, world->update, world->submit, retired, outputs);
}

/* ---- phase 5: regions ---- */

static void step_regions(trn_world *world, const trn_frame *frame, trni_stream_outputs *reads) {
    trni_world_outputs *outputs = trni_world_current(world);
    trni_region_outputs regions = {.events = outputs->events.data,
                                   .event_capacity = outputs->events.capacity,
                                   .reads = outputs->reads.data,
                                   .read_capacity = outputs->reads.capacity - world->def.reads,
                                   .cancels = outputs->cancels.data,
                                   .cancel_capacity = outputs->cancels.capacity - world->def.reads};
    trni_regions_step(world->regions, frame->sources, frame->source_count, &regions);
    reads->read_count = regions.read_count;
    reads->cancel_count = regions.cancel_count;
    outputs->event_count = regions.event_count;
    const uint32_t *changed;
    for (uint32_t i = 0, count = trni_regions_changed(world->regions, &changed); i < count; i++) {
        trn_state state = trni_region_actual(world->regions, changed[i]);
        bool loaded = state == TRN_STATE_RESIDENT || state == TRN_STATE_ACTIVE;
        world->region_loaded[changed[i]] = loaded ? (uint8_t)state : 0;
    }
    const trn_event *events = outputs->events.data;
    for (uint32_t i = 0; i < outputs->event_count; i++) {
        if (events[i].type != TRN_EVENT_REGION_DELETED) continue;
        trni_world_destroy_instances_of(world, events[i].region.index1 - 1);
        world->region_loaded[events[i].region.index1 - 1] = 0;
    }
}

/* ---- phase 6: levels ---- */

static trni_world_model *touch_model(trn_world *world, uint32_t index) {
    trni_world_model *model = &world->models[index];
    if (model->touched == world->update) return model;
    model->touched = world->update;
    model->priority = 0.0f;
    memset(model->needs, 0, model->lod.page_count);
    world->touched[world->touched_count++] = index;
    return model;
}

/* Finest level that an instance can use now: fits the view, and is in memory with all that is coarser. */
static uint32_t drawn_level(const trn_world *world, const trni_world_model *model, const trni_lod_eye *eye) {
    const trni_lod_model *lod = &model->lod;
    const trni_stream_page *pages = &world->stream.pages[world->stream.resources[model->resource].first_page];
    for (uint32_t p = lod->page_count; p-- > lod->root_count;) {
        const trni_lod_page *page = &lod->pages[p];
        if (pages[p].state != TRNI_PAGE_READY) continue;
        if (trn_refine_test(page->parent_error, page->sphere[0], page->sphere[1], page->sphere[2], page->sphere[3],
                            eye->position[0], eye->position[1], eye->position[2], eye->pixels_per_error,
                            eye->near_distance))
            return page->level;
    }
    return lod->level_count - 1;
}

static void add_draw(trn_world *world, const trn_frame *frame, uint32_t view, uint32_t index, const trni_lod_eye *eye) {
    const trni_instance *instance = &world->instances[index];
    const trni_world_model *model = &world->models[instance->model];
    const trni_stream_resource *resource = &world->stream.resources[model->resource];
    trni_world_outputs *outputs = trni_world_current(world);
    bool active = world->region_loaded[instance->region] == TRN_STATE_ACTIVE;
    trn_draw *draw = &((trn_draw *)outputs->draws[view].data)[outputs->draw_count[view]++];
    trni_pose_matrix(&instance->pose, instance->scale, frame->render_origin, draw->matrix);
    memcpy(draw->eye, eye->position, sizeof draw->eye);
    memcpy(draw->sphere, model->lod.sphere, sizeof draw->sphere);
    draw->pixels_per_error = eye->pixels_per_error;
    draw->near_distance = eye->near_distance;
    draw->first_page = resource->first_page;
    draw->page_count = active ? resource->page_count : resource->root_count;
    draw->flags = instance->flags;
    draw->instance = index + 1;
    draw->model = instance->model + 1;
    draw->reserved[0] = draw->reserved[1] = 0;
    world->draw_total++;
    if (view != 0) return;
    uint32_t level = active ? drawn_level(world, model, eye) : model->lod.level_count - 1;
    world->draws_by_level[level < TRN_STATS_LEVELS ? level : TRN_STATS_LEVELS - 1]++;
}

static void choose_levels_of(trn_world *world, const trn_frame *frame, uint32_t index) {
    const trni_instance *instance = &world->instances[index];
    trni_world_model *model = touch_model(world, instance->model);
    const trni_stream_resource *resource = &world->stream.resources[model->resource];
    bool active = world->region_loaded[instance->region] == TRN_STATE_ACTIVE;
    bool drawn = resource->roots_ready == resource->root_count;
    for (uint32_t v = 0; v < frame->view_count; v++) {
        const trn_view *view = &frame->views[v];
        trni_lod_eye eye = trni_lod_eye_make(&instance->pose, instance->scale, view);
        float size = trni_lod_screen_size(&eye, model->lod.sphere, view->threshold_px);
        if (size > model->priority) model->priority = size;
        if (active)
            trni_lod_add_needs(&model->lod, &eye, view->finest_level, world->def.keep_margin, world->stream.bias,
                               model->needs);
        if (drawn) add_draw(world, frame, v, index, &eye);
    }
}

/* Hands what was gathered to the streamer. */
static void give_demand(trn_world *world, uint32_t index) {
    trni_world_model *model = &world->models[index];
    trni_stream_resource *resource = &world->stream.resources[model->resource];
    trni_lod_close_needs(&model->lod, model->first_dependency, model->dependencies, world->stream.bias, model->needs);
    resource->priority = model->priority;
    resource->demanded = world->update;
    for (uint32_t p = 0; p < model->lod.page_count; p++) {
        trni_stream_page *page = &world->stream.pages[resource->first_page + p];
        if (!model->needs[p]) continue;
        page->priority = model->priority;
        if (model->needs[p] & TRNI_NEED_WANT) page->wanted = world->update;
        page->kept = world->update;
    }
}

static void choose_levels(trn_world *world, const trn_frame *frame) {
    world->touched_count = world->draw_total = 0;
    memset(world->draws_by_level, 0, sizeof world->draws_by_level);
    for (uint32_t i = 0; i < world->instance_end; i++) {
        const trni_instance *instance = &world->instances[i];
        if (instance->used && !instance->hidden && world->region_loaded[instance->region] != 0)
            choose_levels_of(world, frame, i);
    }
    for (uint32_t i = 0; i < world->touched_count; i++) give_demand(world, world->touched[i]);
}

/* ---- phases 8 and 9: outputs ---- */

/* The table handed out two updates ago becomes this one's: it lacks what this update and the last one changed. */
static void copy_page_table(trn_world *world) {
    trni_stream *stream = &world->stream;
    trni_world_outputs *outputs = trni_world_current(world), *last = &world->outputs[(world->update + 1) & 1];
    outputs->dirty_first = stream->dirty_first;
    outputs->dirty_end = stream->dirty_end;
    uint32_t first = stream->dirty_first, end = stream->dirty_end;
    if (last->dirty_end > last->dirty_first) {
        if (first == end) first = last->dirty_first, end = last->dirty_end;
        if (last->dirty_first < first) first = last->dirty_first;
        if (last->dirty_end > end) end = last->dirty_end;
    }
    if (outputs->entry_count == 0) first = 0, end = stream->page_end;
    if (end > outputs->entries.capacity) end = outputs->entries.capacity;
    trn_page_entry *entries = outputs->entries.data;
    if (end > first) memcpy(entries + first, stream->entries + first, (end - first) * sizeof *entries);
    outputs->entry_count = stream->page_end;
    stream->dirty_first = stream->dirty_end = 0; /* what changes from here on, between updates too, is the next one's */
}

static void close_outputs(trn_world *world, const trni_stream_outputs *made) {
    trni_world_outputs *outputs = trni_world_current(world);
    copy_page_table(world);
    outputs->read_count = made->read_count;
    outputs->cancel_count = made->cancel_count;
    outputs->write_count = made->write_count;
    outputs->copy_count = made->copy_count;
    outputs->change_count = made->change_count;
}

/* ---- the frame ---- */

trn_result trn_world_update_sized(trn_world *world, const trn_frame *given, size_t frame_size) {
    trn_frame frame;
    if (!world || !given || !trni_def_read(&frame, sizeof frame, given, frame_size) || !frame_valid(world, &frame))
        return TRN_ERROR_ARGUMENT;
    if (!trni_world_prepare_views(world, frame.view_count)) return TRN_ERROR_OUT_OF_MEMORY;

    world->update++;
    world->submit = frame.submit ? frame.submit : world->submit + 1;
    uint64_t behind = world->def.ring_slices;
    uint64_t retired = frame.retired == TRN_RETIRED_NONE ? 0
                       : frame.retired                   ? frame.retired
                       : world->submit > behind          ? world->submit - behind
                                                         : 0;
    open_outputs(world);
    trni_stream_outputs made = stream_outputs(trni_world_current(world));

    take_completions(world, retired, &made);                 /* 1; edits between updates (2) took effect at once */
    bool tree_current = trni_regions_upkeep(world->regions); /* 4 */
    step_regions(world, &frame, &made);                      /* 5 */
    choose_levels(world, &frame);                            /* 6 */
    trni_stream_step(&world->stream, &made);                 /* 7 */
    close_outputs(world, &made);                             /* 8, 9 */
    return tree_current ? TRN_OK : TRN_ERROR_OUT_OF_MEMORY;
}
