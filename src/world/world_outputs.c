/* SPDX-License-Identifier: MIT */
/* What the last update decided, and figures of the world. */
#include "world_internal.h"

static const trni_world_outputs *last_outputs(const trn_world *world) { return &world->outputs[world->update & 1]; }

uint32_t trn_world_events(const trn_world *world, const trn_event **events) {
    *events = last_outputs(world)->events.data;
    return last_outputs(world)->event_count;
}
uint32_t trn_world_reads(const trn_world *world, const trn_read **reads) {
    *reads = last_outputs(world)->reads.data;
    return last_outputs(world)->read_count;
}
uint32_t trn_world_cancels(const trn_world *world, const uint64_t **numbers) {
    *numbers = last_outputs(world)->cancels.data;
    return last_outputs(world)->cancel_count;
}
uint32_t trn_world_ring_writes(const trn_world *world, const trn_ring_write **writes) {
    *writes = last_outputs(world)->writes.data;
    return last_outputs(world)->write_count;
}
uint32_t trn_world_copies(const trn_world *world, const trn_copy **copies) {
    *copies = last_outputs(world)->copies.data;
    return last_outputs(world)->copy_count;
}
uint32_t trn_world_residency_changes(const trn_world *world, const trn_residency_change **changes) {
    *changes = last_outputs(world)->changes.data;
    return last_outputs(world)->change_count;
}
uint32_t trn_world_draws(const trn_world *world, uint32_t view, const trn_draw **draws) {
    *draws = view < TRN_MAX_VIEWS ? last_outputs(world)->draws[view].data : NULL;
    return view < TRN_MAX_VIEWS ? last_outputs(world)->draw_count[view] : 0;
}
uint32_t trn_world_page_table(const trn_world *world, const trn_page_entry **entries, uint32_t *first,
                              uint32_t *count) {
    const trni_world_outputs *outputs = last_outputs(world);
    *entries = outputs->entries.data;
    *first = outputs->dirty_first;
    *count = outputs->dirty_end - outputs->dirty_first;
    return outputs->entry_count;
}

uint64_t trn_world_arena_bytes(const trn_world *world, trn_arena arena) {
    if (arena == TRN_ARENA_VERTICES) return (uint64_t)world->stream.def.units[arena] * TRN_VERTEX_BYTES;
    if (arena == TRN_ARENA_CLUSTERS) return (uint64_t)world->stream.def.units[arena] * TRN_CLUSTER_BYTES;
    return 0;
}
uint64_t trn_world_ring_bytes(const trn_world *world, void **memory) {
    if (memory) *memory = world->stream.ring;
    return world->stream.def.mapped[0] ? 0 : world->stream.def.ring_bytes;
}

void trn_ring_write_run(const trn_ring_write *write) {
    trn_chunk_place(write->chunk, write->decoded, write->first, write->count, write->to);
}

void trn_world_get_stats(const trn_world *world, trn_world_stats *stats) {
    trni_regions_stats regions;
    *stats = (trn_world_stats){.update = world->update,
                               .submit = world->submit,
                               .models = world->model_count,
                               .instances = world->instance_count,
                               .draws = world->draw_total,
                               .cpu_bytes = world->cpu_bytes};
    trni_regions_get_stats(world->regions, &regions);
    stats->regions = regions.count;
    for (int state = 0; state < 5; state++) stats->regions_by_state[state] = regions.by_state[state];
    stats->regions_failed = regions.failed;
    stats->requests_set = regions.requests_set;
    stats->loads_started = regions.loads_started;
    stats->loads_finished = regions.loads_finished;
    stats->unloads_started = regions.unloads_started;
    for (uint32_t level = 0; level < TRN_STATS_LEVELS; level++)
        stats->draws_by_level[level] = world->draws_by_level[level];
    for (uint32_t m = 0; m < world->model_capacity; m++) {
        if (!world->models[m].used) continue;
        const trni_stream_resource *resource = &world->stream.resources[world->models[m].resource];
        stats->models_ready += resource->roots_ready == resource->root_count;
        stats->models_failed += resource->failed;
        stats->models_not_drawn_memory += resource->not_drawn_memory;
    }
    trni_stream_get_stats(&world->stream, stats);
}
