/* SPDX-License-Identifier: MIT */
/* The public calls about regions: the module does the work, the world keeps room for what it knows of each region. */
#include "world_internal.h"

bool trni_world_grow_regions(trn_world *world, uint32_t region_end) {
    uint32_t before = world->region_capacity;
    void *first = world->region_first, *loaded = world->region_loaded;
    bool made = trni_grow(&world->allocator, &first, &world->region_capacity, region_end, sizeof *world->region_first);
    world->region_first = first;
    for (uint32_t i = before; i < world->region_capacity; i++) world->region_first[i] = TRNI_NOBODY;
    made = made && trni_grow(&world->allocator, &loaded, &world->region_loaded_capacity, region_end,
                             sizeof *world->region_loaded);
    world->region_loaded = loaded;
    return made;
}

trn_result trn_region_create_sized(trn_world *world, const trn_region_def *given, size_t def_size,
                                   trn_region_id *region) {
    trn_region_def def;
    trn_region_id made;
    if (!world || !region || !given || !trni_def_read(&def, sizeof def, given, def_size)) return TRN_ERROR_ARGUMENT;
    /* A new region takes a free place or the next one; there is room for it before it exists. */
    if (!trni_world_grow_regions(world, world->region_end + 1)) return TRN_ERROR_OUT_OF_MEMORY;
    trn_result result = trni_region_create(world->regions, &def, &made);
    if (result != TRN_OK) return result;
    if (made.index1 > world->region_end) world->region_end = made.index1;
    if (!trni_world_grow_outputs(world)) {
        trni_region_delete(world->regions, made); /* never loaded: it goes in the next update */
        return TRN_ERROR_OUT_OF_MEMORY;
    }
    *region = made;
    return TRN_OK;
}

trn_result trn_region_delete(trn_world *world, trn_region_id region) {
    return world ? trni_region_delete(world->regions, region) : TRN_ERROR_ARGUMENT;
}
trn_result trn_region_set_authored(trn_world *world, trn_region_id region, trn_state state) {
    return world ? trni_region_set_authored(world->regions, region, state) : TRN_ERROR_ARGUMENT;
}
trn_result trn_region_request(trn_world *world, trn_region_id region, trn_state state) {
    return world ? trni_region_request(world->regions, region, state) : TRN_ERROR_ARGUMENT;
}
trn_result trn_region_clear_request(trn_world *world, trn_region_id region) {
    return world ? trni_region_clear_request(world->regions, region) : TRN_ERROR_ARGUMENT;
}
void trn_world_clear_requests(trn_world *world) {
    if (world) trni_regions_clear_requests(world->regions);
}
trn_result trn_region_set_payload(trn_world *world, trn_region_id region, trn_payload payload) {
    return world ? trni_region_set_payload(world->regions, region, payload) : TRN_ERROR_ARGUMENT;
}
trn_result trn_region_retry(trn_world *world, trn_region_id region) {
    return world ? trni_region_retry(world->regions, region) : TRN_ERROR_ARGUMENT;
}
void trn_world_retry_regions(trn_world *world) {
    if (world) trni_regions_retry(world->regions);
}
trn_result trn_region_confirm(trn_world *world, trn_region_id region, uint32_t ticket, trn_result result) {
    return world ? trni_region_confirm(world->regions, region, ticket, result) : TRN_ERROR_ARGUMENT;
}
trn_result trn_region_get_info(const trn_world *world, trn_region_id region, trn_region_info *info) {
    return world && info ? trni_region_get_info(world->regions, region, info) : TRN_ERROR_ARGUMENT;
}
const char *trn_region_name(const trn_world *world, trn_region_id region) {
    return world ? trni_region_name(world->regions, region) : "";
}
bool trn_region_is_valid(const trn_world *world, trn_region_id region) {
    return world && trni_region_is_valid(world->regions, region);
}
trn_region_id trn_world_region_zero(const trn_world *world) {
    trn_region_id zero = {0, 0};
    if (world) trni_regions_list(world->regions, &zero, 1);
    return zero;
}
uint32_t trn_world_regions(const trn_world *world, trn_region_id *regions, uint32_t capacity) {
    return world ? trni_regions_list(world->regions, regions, capacity) : 0;
}
