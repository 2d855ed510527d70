/* SPDX-License-Identifier: MIT */
/* Time is counted in frames. trn_host_wait before each update stands for a disk that answers within one frame, so
 * that two runs give the same figures; how much it delivers in a frame is limited by the world's reads in flight. */
#include "fly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo_progress.h"
#include "pictures.h"
#include "scene.h"

enum {
    frames_in_flight = 2,
    warm_up_frames = 60, /* frames in which updates may still allocate */
    disk_bytes_a_frame = 12 << 20
};

/* ---- An allocator that counts ---- */

static void *count_alloc(void *user, size_t size, size_t align) {
    uint64_t *calls = user;
    (*calls)++;
    return aligned_alloc(align < sizeof(void *) ? sizeof(void *) : align, (size + 63) / 64 * 64);
}

static void count_free(void *user, void *memory, size_t size, size_t align) {
    uint64_t *calls = user;
    (void)size, (void)align;
    (*calls)++;
    free(memory);
}

/* ---- One frame ---- */

typedef struct flight_state {
    const fly_def *def;
    trn_host *host;
    trn_world *world;
    const catalog *models;
    scene scene;
    watch *watch;
    pictures *pictures;
    record *out;
    uint64_t allocator_calls;
} flight_state;

static bool one_frame(flight_state *f, uint32_t frame) {
    flight_pose pose = flight_at(frame);
    trn_source around[2] = {{.radius = 500, .target = TRN_STATE_ACTIVE},
                            {.radius = 1100, .target = TRN_STATE_RESIDENT}};
    trn_view view = {.fov_y = 1.0471976f, .near_plane = 0.2f, .viewport_height = 1080};
    memcpy(view.position, pose.position, sizeof view.position);
    for (int i = 0; i < 2; i++) memcpy(around[i].position, pose.position, sizeof pose.position);
    uint64_t submit = frame + 1;
    trn_frame now = {.sources = around,
                     .source_count = 2,
                     .views = &view,
                     .view_count = 1,
                     .submit = submit,
                     .retired = submit > frames_in_flight ? submit - frames_in_flight : TRN_RETIRED_NONE};
    island_origin(pose.position, now.render_origin);

    record_frame *kept = &f->out->frames[frame];
    uint64_t calls_before = f->allocator_calls;
    double start = progress_seconds();
    trn_result result = trn_world_update(f->world, &now);
    kept->update_milliseconds = (progress_seconds() - start) * 1000;
    kept->allocations = f->allocator_calls - calls_before;
    if (result != TRN_OK) return false;

    if (!scene_answer(&f->scene, f->world)) return false;
    trn_host_serve(f->host, f->world);
    if (f->pictures) pictures_follow(f->pictures, f->world);

    trn_world_get_stats(f->world, &kept->stats);
    watch_frame seen = {.frame = frame,
                        .submit = submit,
                        .allocations = kept->allocations,
                        .budget_bytes = kept->stats.upload_budget_bytes,
                        .placed = f->scene.placed};
    uint32_t first, changed;
    seen.copy_count = trn_world_copies(f->world, &seen.copies);
    seen.change_count = trn_world_residency_changes(f->world, &seen.changes);
    seen.page_count = trn_world_page_table(f->world, &seen.pages, &first, &changed);
    seen.draw_count = trn_world_draws(f->world, 0, &seen.draws);
    for (uint32_t i = 0; i < seen.copy_count; i++) kept->copied_bytes += seen.copies[i].bytes;
    watch_look(f->watch, &seen);
    scene_settle(&f->scene, f->models);
    f->out->frame_count = frame + 1;

    if (f->pictures && flight_is_picture(frame)) {
        record_picture *picture = &f->out->pictures[f->out->picture_count++];
        if (!pictures_take(f->pictures, f->world, &view, &pose, now.render_origin, f->def->folder, frame, picture))
            return false;
        f->out->seconds_pictures += picture->seconds;
    }
    trn_host_wait(f->host);
    return true;
}

/* ---- The whole ---- */

/* The part of the cap that vertices get: as much as they take of all models together. */
static uint64_t vertex_share(const flight_state *f) {
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < f->models->count; i++) vertices += f->models->entries[i].info.stored_vertices;
    double part = (double)(vertices * TRN_VERTEX_BYTES) / (double)f->models->placed_bytes;
    return (uint64_t)((double)f->def->mesh_memory_bytes * part) / TRN_VERTEX_BYTES * TRN_VERTEX_BYTES;
}

/* Lets the watch know of a model. */
static bool watch_model_of(flight_state *f, uint32_t number) {
    const trn_model *tables = f->models->entries[number].tables;
    const trn_model_info *info = &f->models->entries[number].info;
    char name[32];
    catalog_name(number, name);
    trn_model_level root = {0};
    trn_model_get_level(tables, info->level_count - 1, &root);
    uint32_t *vertices = malloc(info->page_count * sizeof *vertices);
    if (!vertices) return false;
    for (uint32_t i = 0; i < info->page_count; i++) {
        trn_model_page page = {0};
        trn_model_get_page(tables, i, &page);
        vertices[i] = page.vertex_count;
    }
    bool added = watch_add_model(f->watch, &(watch_model_def){.id = f->scene.models[number],
                                                              .number = number,
                                                              .name = name,
                                                              .page_vertices = vertices,
                                                              .page_count = info->page_count,
                                                              .root_count = root.page_count});
    free(vertices);
    return added;
}

static bool set_up(flight_state *f, char error[512]) {
    trn_world_def def = {.allocator = {&f->allocator_calls, count_alloc, count_free},
                         .inbox = trn_host_inbox(f->host),
                         .mesh_memory_bytes = f->def->mesh_memory_bytes,
                         .vertex_memory_bytes = vertex_share(f),
                         .upload_bytes = f->def->upload_bytes,
                         .reads = 128,
                         .read_bytes = disk_bytes_a_frame,
                         .loads_started = 24,
                         .loads_finished = 24};
    trn_result result = trn_world_create(&def, &f->world);
    if (result != TRN_OK) return snprintf(error, 512, "the world: %s", trn_result_text(result)), false;
    char path[600];
    snprintf(path, sizeof path, "%.500s/world.bin", f->def->folder);
    if (!scene_make(&f->scene, f->host, f->world, f->models, path, error)) return false;
    f->watch = watch_create(trn_world_arena_bytes(f->world, TRN_ARENA_VERTICES),
                            trn_world_arena_bytes(f->world, TRN_ARENA_CLUSTERS), warm_up_frames);
    if (!f->watch) return snprintf(error, 512, "out of memory"), false;
    for (uint32_t i = 0; i < f->models->count; i++)
        if (f->models->entries[i].tables && !watch_model_of(f, i)) return snprintf(error, 512, "out of memory"), false;
    if (!f->def->pictures) {
        snprintf(f->out->no_pictures, sizeof f->out->no_pictures, "none asked for");
    } else {
        f->pictures = pictures_create(f->world, f->models, f->scene.models, f->out->no_pictures);
        if (!f->pictures) return snprintf(error, 512, "no pictures: %.480s", f->out->no_pictures), false;
        snprintf(f->out->device, sizeof f->out->device, "%s", pictures_device(f->pictures));
    }
    f->out->regions = f->scene.plan.region_count;
    f->out->placements = f->scene.plan.placement_count;
    f->out->memory_all = f->models->placed_bytes;
    return true;
}

static void tear_down(flight_state *f) {
    pictures_destroy(f->pictures);
    watch_destroy(f->watch);
    scene_free(&f->scene);
    trn_world_destroy(f->world);
}

bool fly(const fly_def *def, trn_host *host, const catalog *models, record *out, watch_verdict *verdicts,
         char error[512]) {
    flight_state *f = calloc(1, sizeof *f);
    if (!f) return snprintf(error, 512, "out of memory"), false;
    f->def = def;
    f->host = host;
    f->models = models;
    f->out = out;
    bool good = set_up(f, error);
    double start = progress_seconds();
    for (uint32_t frame = 0; good && frame < FLIGHT_FRAMES; frame++) {
        if (frame % 10 == 0) progress_show("flying", frame, FLIGHT_FRAMES);
        good = one_frame(f, frame);
        if (!good) snprintf(error, 512, "frame %u failed", frame);
    }
    if (good) progress_show("flying", FLIGHT_FRAMES, FLIGHT_FRAMES);
    out->seconds_flight = progress_seconds() - start - out->seconds_pictures;
    for (uint32_t i = 0; i < f->scene.plan.placement_count; i++) {
        uint32_t model = f->scene.plan.placements[i].model;
        if (model >= LAYOUT_FIRST_MODEL)
            model = model - LAYOUT_FIRST_MODEL + 1;
        else
            model = 0;
        if (model < out->model_count) out->models[model].placements++;
    }
    if (f->watch) memcpy(verdicts, watch_verdicts(f->watch), WATCH_RULES * sizeof *verdicts);
    tear_down(f);
    free(f);
    return good;
}
