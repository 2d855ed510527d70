/* SPDX-License-Identifier: MIT */
/* Making and freeing a world: defaults, checks, and memory that is there from the start. */
#include "world_internal.h"

#include <string.h>

#define MIB (1024u * 1024u)

/* ---- counted memory ---- */

static void *counted_alloc(void *user, size_t size, size_t align) {
    trn_world *world = user;
    void *memory = world->base.alloc(world->base.user, size, align);
    if (memory) world->cpu_bytes += size;
    return memory;
}

static void counted_free(void *user, void *memory, size_t size, size_t align) {
    trn_world *world = user;
    world->cpu_bytes -= size;
    world->base.free(world->base.user, memory, size, align);
}

/* ---- definition ---- */

static void default_u32(uint32_t *value, uint32_t standard) {
    if (*value == 0) *value = standard;
}
static void default_u64(uint64_t *value, uint64_t standard) {
    if (*value == 0) *value = standard;
}
/* 0 is the default, TRN_NONE is `none`. */
static void default_float(float *value, float standard, float none) {
    if (*value == 0.0f) *value = standard;
    if (*value == TRN_NONE) *value = none;
}

static void fill_defaults(trn_world_def *def) {
    default_float(&def->hysteresis, 1.2f, 1.0f);
    default_float(&def->margin, 10.0f, 0.0f);
    default_u32(&def->loads_started, 8);
    default_u32(&def->loads_finished, 8);
    default_u32(&def->unloads, 16);
    default_u64(&def->region_read_bytes, 64u * MIB);
    default_u64(&def->mesh_memory_bytes, 256u * MIB);
    default_u64(&def->vertex_memory_bytes, def->mesh_memory_bytes / 4 * 3);
    default_u64(&def->ring_bytes, 33u * MIB);
    default_u32(&def->ring_slices, 3);
    default_u64(&def->upload_bytes, 10u * MIB);
    default_u32(&def->reads, 32);
    default_u64(&def->read_bytes, 64u * MIB);
    default_u32(&def->retries, 3);
    default_u32(&def->idle_updates, 60);
    default_u32(&def->pressure_updates, 120);
    default_u32(&def->bias_max, 4);
    default_float(&def->keep_margin, 1.3f, 1.0f);
    default_float(&def->swap_margin, 0.1f, 0.0f);
}

static bool between(double value, double low, double high) { return value >= low && value <= high; }

/* Every rule of a definition; the hook hears which one is broken. */
static bool def_valid(const trn_world_def *def) {
    const trn_assert *hook = &def->assert_hook;
    uint64_t slice = def->ring_slices ? def->ring_bytes / def->ring_slices / 16 * 16 : 0;
    bool mapped = def->vertex_memory != NULL;
    return TRNI_ASSERT(hook, def->inbox != NULL) && TRNI_ASSERT(hook, between(def->hysteresis, 1.0, 1e6)) &&
           TRNI_ASSERT(hook, between(def->margin, 0.0, 1e30)) &&
           TRNI_ASSERT(hook, (def->vertex_memory != NULL) == (def->cluster_memory != NULL)) &&
           TRNI_ASSERT(hook, between(def->ring_slices, 2, TRNI_MAX_SLICES)) &&
           TRNI_ASSERT(hook, def->mesh_memory_bytes <= (uint64_t)UINT32_MAX * TRN_VERTEX_BYTES) &&
           TRNI_ASSERT(hook, def->vertex_memory_bytes <= def->mesh_memory_bytes) &&
           TRNI_ASSERT(hook, def->ring_bytes <= SIZE_MAX / 2) &&
           TRNI_ASSERT(hook, mapped || slice >= TRN_CHUNK_MAX_BYTES) && /* a slice holds a whole chunk */
           TRNI_ASSERT(hook, mapped || def->upload_bytes <= slice) &&
           TRNI_ASSERT(hook, def->upload_bytes >= TRN_CLUSTER_BYTES) && /* else nothing would ever be copied */
           TRNI_ASSERT(hook, def->reads <= 1u << 16) && TRNI_ASSERT(hook, def->bias_max <= 16) &&
           TRNI_ASSERT(hook, between(def->keep_margin, 1.0, 1e6)) &&
           TRNI_ASSERT(hook, between(def->swap_margin, 0.0, 1e6));
}

/* ---- making ---- */

static trn_result make_regions(trn_world *world) {
    const trn_world_def *def = &world->def;
    trni_regions_def regions = {.allocator = world->allocator,
                                .log = def->log,
                                .assert_hook = def->assert_hook,
                                .inbox = def->inbox,
                                .edit = def->edit,
                                .auto_confirm = def->auto_confirm,
                                .hysteresis = def->hysteresis,
                                .margin = def->margin,
                                .loads_started = def->loads_started,
                                .loads_finished = def->loads_finished,
                                .unloads = def->unloads,
                                .read_bytes = def->region_read_bytes,
                                .region_zero_payload = def->region_zero_payload};
    return trni_regions_create(&regions, &world->regions);
}

static trn_result make_stream(trn_world *world) {
    const trn_world_def *def = &world->def;
    trni_stream_def stream = {
        .allocator = world->allocator,
        .log = def->log,
        .inbox = def->inbox,
        .units = {(uint32_t)(def->vertex_memory_bytes / TRN_VERTEX_BYTES),
                  (uint32_t)((def->mesh_memory_bytes - def->vertex_memory_bytes) / TRN_CLUSTER_BYTES)},
        .mapped = {def->vertex_memory, def->cluster_memory},
        .ring_bytes = def->ring_bytes,
        .ring_slices = def->ring_slices,
        .ring_memory = def->ring_memory,
        .upload_bytes = def->upload_bytes,
        .reads = def->reads,
        .read_bytes = def->read_bytes,
        .retries = def->retries,
        .idle_updates = def->idle_updates,
        .pressure_updates = def->pressure_updates,
        .bias_max = def->bias_max,
        .swap_margin = def->swap_margin,
        .evict_idle_only = def->evict_idle_only};
    return trni_stream_init(&world->stream, &stream);
}

trn_result trn_world_create_sized(const trn_world_def *given, size_t def_size, trn_world **made) {
    trn_world_def def;
    trn_allocator base;
    if (!made || !given || !trni_def_read(&def, sizeof def, given, def_size)) return TRN_ERROR_ARGUMENT;
    fill_defaults(&def);
    if (!def_valid(&def) || !trni_allocator_make(&base, &def.allocator)) return TRN_ERROR_ARGUMENT;
    trn_world *world = TRNI_NEW(&base, trn_world);
    if (!world) return TRN_ERROR_OUT_OF_MEMORY;
    world->base = base;
    world->allocator = (trn_allocator){world, counted_alloc, counted_free};
    world->cpu_bytes = sizeof *world;
    world->def = def;
    world->free_instance = TRNI_NOBODY;
    world->region_end = 1; /* region 0 */
    trn_result result = make_stream(world);
    if (result == TRN_OK) result = make_regions(world);
    if (result == TRN_OK &&
        (!trni_world_grow_regions(world, 1) || !trni_world_grow_outputs(world) || !trni_world_prepare_views(world, 1)))
        result = TRN_ERROR_OUT_OF_MEMORY;
    if (result != TRN_OK) {
        trn_world_destroy(world);
        return result;
    }
    *made = world;
    return TRN_OK;
}

void trn_world_destroy(trn_world *world) {
    if (!world) return;
    const trn_allocator *allocator = &world->allocator;
    trni_regions_destroy(world->regions);
    if (world->stream.def.inbox) trni_stream_free(&world->stream);
    trni_world_free_models(world);
    trni_free(allocator, world->instances, world->instance_capacity, sizeof *world->instances);
    trni_free(allocator, world->region_first, world->region_capacity, sizeof *world->region_first);
    trni_free(allocator, world->region_loaded, world->region_loaded_capacity, sizeof *world->region_loaded);
    for (int i = 0; i < 2; i++) {
        trni_world_outputs *outputs = &world->outputs[i];
        trni_output_array *arrays[] = {&outputs->events,       &outputs->reads,  &outputs->cancels, &outputs->writes,
                                       &outputs->write_chunks, &outputs->copies, &outputs->changes, &outputs->entries};
        for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) trni_output_free(allocator, arrays[a]);
        for (uint32_t v = 0; v < TRN_MAX_VIEWS; v++) trni_output_free(allocator, &outputs->draws[v]);
    }
    if (world->cpu_bytes != sizeof *world)
        trni_log(&world->def.log, TRN_LOG_LEAK, "the world did not return %llu bytes",
                 (unsigned long long)(world->cpu_bytes - sizeof *world));
    trn_allocator base = world->base;
    trni_free(&base, world, 1, sizeof *world);
}

/* ---- outputs grow with what exists ---- */

bool trni_world_grow_outputs(trn_world *world) {
    const trn_allocator *allocator = &world->allocator;
    trni_region_capacity regions = trni_regions_capacity(world->regions);
    uint32_t reads = world->def.reads, pages = world->stream.page_end;
    bool made = true;
    for (int i = 0; i < 2; i++) {
        trni_world_outputs *outputs = &world->outputs[i];
        made = trni_output_grow(allocator, &outputs->events, regions.events, sizeof(trn_event)) && made;
        made = trni_output_grow(allocator, &outputs->reads, regions.reads + reads, sizeof(trn_read)) && made;
        made = trni_output_grow(allocator, &outputs->cancels, regions.cancels + reads, sizeof(uint64_t)) && made;
        made = trni_output_grow(allocator, &outputs->writes, reads, sizeof(trn_ring_write)) && made;
        made = trni_output_grow(allocator, &outputs->write_chunks, reads, sizeof(trn_model_chunk)) && made;
        made = trni_output_grow(allocator, &outputs->copies, reads, sizeof(trn_copy)) && made;
        made = trni_output_grow(allocator, &outputs->changes, pages * 2, sizeof(trn_residency_change)) && made;
        made = trni_output_grow(allocator, &outputs->entries, pages, sizeof(trn_page_entry)) && made;
        for (uint32_t v = 0; v < world->views_prepared; v++)
            made = trni_output_grow(allocator, &outputs->draws[v], world->instance_end, sizeof(trn_draw)) && made;
    }
    return made;
}

bool trni_world_prepare_views(trn_world *world, uint32_t view_count) {
    if (view_count <= world->views_prepared) return true;
    uint32_t before = world->views_prepared;
    world->views_prepared = view_count;
    if (trni_world_grow_outputs(world)) return true;
    world->views_prepared = before;
    return false;
}
