/* SPDX-License-Identifier: MIT */
/* The table of regions: ids with generations, and the calls that a host makes between updates. All memory is made here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "region_table.h"
#include "stream/inbox_internal.h"

#define MOST_PLACES 0x40000000u

static bool is_settable(trn_state state) {
    int value = (int)state;
    return value == TRN_STATE_UNLOADED || value == TRN_STATE_RESIDENT || value == TRN_STATE_ACTIVE;
}

static bool is_payload(const trn_payload *payload) {
    uint64_t end;
    return trni_add_u64(payload->offset, payload->bytes, &end);
}

/* ---- the object ---- */

/* Room for `wanted` places in everything that is as long as the table. */
static bool reserve(trni_regions *r, uint32_t wanted) {
    const trn_allocator *a = &r->def.allocator;
    uint32_t loads = wanted < TRNI_REGION_LOADS_MAX ? wanted : TRNI_REGION_LOADS_MAX;
    return trni_grow(a, (void **)&r->states, &r->state_capacity, wanted, sizeof *r->states) &&
           trni_grow(a, (void **)&r->facts, &r->fact_capacity, wanted, sizeof *r->facts) &&
           trni_grow(a, (void **)&r->live, &r->live_capacity, wanted, sizeof *r->live) &&
           trni_grow(a, (void **)&r->touched, &r->touched_capacity, wanted, sizeof *r->touched) &&
           trni_grow(a, (void **)&r->changed, &r->changed_capacity, wanted, sizeof *r->changed) &&
           trni_grow(a, (void **)&r->queue, &r->queue_capacity, wanted, sizeof *r->queue) &&
           trni_grow(a, (void **)&r->hits, &r->hit_capacity, wanted, sizeof *r->hits) &&
           trni_grow(a, (void **)&r->distances, &r->distance_capacity, wanted, sizeof *r->distances) &&
           trni_grow(a, (void **)&r->loads, &r->load_capacity, loads, sizeof *r->loads) &&
           trni_grow(a, (void **)&r->reading, &r->reading_capacity, loads, sizeof *r->reading) &&
           trni_grow(a, (void **)&r->retiring, &r->retiring_capacity, loads, sizeof *r->retiring);
}

trn_result trni_regions_create(const trni_regions_def *def, trni_regions **regions) {
    if (!def->inbox || !isfinite(def->hysteresis) || def->hysteresis < 1 || !isfinite(def->margin) || def->margin < 0 ||
        !is_payload(&def->region_zero_payload))
        return TRN_ERROR_ARGUMENT;
    trni_regions *made = TRNI_NEW(&def->allocator, trni_regions);
    if (!made) return TRN_ERROR_OUT_OF_MEMORY;
    made->def = *def;
    made->free_place = TRNI_REGION_NO_SLOT;
    if (!trni_region_tree_create(&made->plain, &def->allocator) ||
        !trni_region_tree_create(&made->own, &def->allocator) || !reserve(made, 16)) {
        trni_regions_destroy(made);
        return TRN_ERROR_OUT_OF_MEMORY;
    }
    made->place_count = 1;
    made->states[0].generation = 1;
    made->states[0].exists = true;
    made->states[0].request = TRN_STATE_NONE;
    made->states[0].slot = TRNI_REGION_NO_SLOT;
    made->facts[0].payload = def->region_zero_payload;
    snprintf(made->facts[0].name, sizeof made->facts[0].name, "region 0");
    made->stats.count = made->stats.by_state[TRN_STATE_UNLOADED] = 1;
    trni_region_relist(made, 0);
    *regions = made;
    return TRN_OK;
}

void trni_regions_destroy(trni_regions *r) {
    if (!r) return;
    const trn_allocator a = r->def.allocator;
    for (uint32_t i = 0; i < r->load_count; i++) {
        if (r->loads[i].number != 0)
            trni_inbox_abandon(r->def.inbox, r->loads[i].number);
        else
            trni_completion_release(&r->loads[i].completion);
    }
    trni_region_tree_destroy(&r->plain, &a);
    trni_region_tree_destroy(&r->own, &a);
    trni_free(&a, r->states, r->state_capacity, sizeof *r->states);
    trni_free(&a, r->facts, r->fact_capacity, sizeof *r->facts);
    trni_free(&a, r->live, r->live_capacity, sizeof *r->live);
    trni_free(&a, r->touched, r->touched_capacity, sizeof *r->touched);
    trni_free(&a, r->changed, r->changed_capacity, sizeof *r->changed);
    trni_free(&a, r->queue, r->queue_capacity, sizeof *r->queue);
    trni_free(&a, r->hits, r->hit_capacity, sizeof *r->hits);
    trni_free(&a, r->distances, r->distance_capacity, sizeof *r->distances);
    trni_free(&a, r->loads, r->load_capacity, sizeof *r->loads);
    trni_free(&a, r->reading, r->reading_capacity, sizeof *r->reading);
    trni_free(&a, r->retiring, r->retiring_capacity, sizeof *r->retiring);
    trni_free(&a, r, 1, sizeof *r);
}

void trni_region_relist(trni_regions *r, uint32_t place) {
    trni_region_state *state = &r->states[place];
    bool is_live = state->exists && (place == 0 || r->def.edit || state->authored != TRN_STATE_UNLOADED ||
                                     state->request != TRN_STATE_NONE || state->actual != TRN_STATE_UNLOADED ||
                                     state->dying || state->restarting);
    if (is_live && state->live1 == 0) {
        r->live[r->live_count++] = place;
        state->live1 = r->live_count;
    } else if (!is_live && state->live1 != 0) {
        uint32_t moved = r->live[--r->live_count];
        r->live[state->live1 - 1] = moved;
        r->states[moved].live1 = state->live1;
        state->live1 = 0;
    }
}

/* ---- create and delete ---- */

static bool is_region_def(const trn_region_def *def) {
    const trn_world_box *box = &def->box;
    bool has_box = box->min[0] <= box->max[0] && box->min[1] <= box->max[1] && box->min[2] <= box->max[2];
    bool has_radii = def->load_radius > 0 ? def->unload_radius == 0 || def->unload_radius >= def->load_radius
                                          : def->load_radius == 0 && def->unload_radius == 0;
    return has_box && has_radii && is_settable(def->authored) && is_payload(&def->payload) &&
           (!def->name || strlen(def->name) < sizeof((trni_region_facts *)0)->name);
}

static trni_region_tree *tree_of(trni_regions *r, bool own_radius) { return own_radius ? &r->own : &r->plain; }

trn_result trni_region_create(trni_regions *r, const trn_region_def *def, trn_region_id *region) {
    if (!def || !region || !is_region_def(def)) return TRN_ERROR_ARGUMENT;
    bool own_radius = def->load_radius > 0;
    trni_region_tree *tree = tree_of(r, own_radius);
    bool reuse = r->free_place != TRNI_REGION_NO_SLOT;
    if (!reuse && r->place_count == MOST_PLACES) return TRN_ERROR_OUT_OF_MEMORY;
    if (!reserve(r, reuse ? r->place_count : r->place_count + 1)) return TRN_ERROR_OUT_OF_MEMORY;
    if (!trni_region_tree_reserve(r, tree, tree->count - tree->dead + tree->pending_count + 1))
        return TRN_ERROR_OUT_OF_MEMORY;

    uint32_t place = reuse ? r->free_place : r->place_count++;
    trni_region_state *state = &r->states[place];
    if (reuse) r->free_place = state->slot;
    uint32_t generation = reuse ? state->generation : 1;
    *state = (trni_region_state){.generation = generation,
                                 .since = r->step,
                                 .nearest = -1,
                                 .authored = (uint8_t)def->authored,
                                 .request = TRN_STATE_NONE,
                                 .exists = true,
                                 .own_radius = own_radius};
    trni_region_facts *facts = &r->facts[place];
    *facts = (trni_region_facts){.box = def->box, .payload = def->payload, .user_data = def->user_data};
    if (own_radius) {
        facts->load_radius = def->load_radius;
        facts->keep_radius = def->unload_radius > 0 ? def->unload_radius : trni_region_keep_radius(r, def->load_radius);
    }
    if (def->name)
        memcpy(facts->name, def->name, strlen(def->name) + 1);
    else
        snprintf(facts->name, sizeof facts->name, "region %u", place);
    trni_region_tree_add(r, tree, place);
    trni_region_relist(r, place);
    r->stats.count++;
    r->stats.by_state[TRN_STATE_UNLOADED]++;
    *region = (trn_region_id){place + 1, generation};
    return TRN_OK;
}

static trni_region_state *find(const trni_regions *r, trn_region_id id) {
    uint32_t place = id.index1 - 1;
    if (id.index1 == 0 || place >= r->place_count) return NULL;
    trni_region_state *state = &r->states[place];
    return state->exists && state->generation == id.generation ? state : NULL;
}

trn_result trni_region_delete(trni_regions *r, trn_region_id region) {
    trni_region_state *state = find(r, region);
    if (!state) return TRN_ERROR_STALE_ID;
    if (region.index1 == 1) return TRN_ERROR_ARGUMENT;
    state->dying = true;
    trni_region_relist(r, region.index1 - 1);
    return TRN_OK;
}

void trni_region_free(trni_regions *r, uint32_t place) {
    trni_region_state *state = &r->states[place];
    trni_region_tree_remove(r, tree_of(r, state->own_radius), place);
    r->stats.count--;
    r->stats.by_state[TRN_STATE_UNLOADED]--;
    if (state->failed) r->stats.failed--;
    if (state->request != TRN_STATE_NONE) r->stats.requests_set--;
    state->exists = false;
    trni_region_relist(r, place);
    uint32_t generation = state->generation;
    *state = (trni_region_state){.generation = generation + 1};
    if (generation == UINT32_MAX) return; /* every number of this place is used up: it stays empty */
    state->slot = r->free_place;
    r->free_place = place;
}

/* ---- what the host wants ---- */

trn_result trni_region_set_authored(trni_regions *r, trn_region_id region, trn_state authored) {
    trni_region_state *state = find(r, region);
    if (!state) return TRN_ERROR_STALE_ID;
    if (!is_settable(authored)) return TRN_ERROR_ARGUMENT;
    state->authored = (uint8_t)authored;
    trni_region_relist(r, region.index1 - 1);
    return TRN_OK;
}

static void set_request(trni_regions *r, uint32_t place, int request) {
    trni_region_state *state = &r->states[place];
    r->stats.requests_set += (uint32_t)(request != TRN_STATE_NONE) - (uint32_t)(state->request != TRN_STATE_NONE);
    state->request = (int8_t)request;
    trni_region_relist(r, place);
}

trn_result trni_region_request(trni_regions *r, trn_region_id region, trn_state request) {
    if (!find(r, region)) return TRN_ERROR_STALE_ID;
    if (!is_settable(request)) return TRN_ERROR_ARGUMENT;
    set_request(r, region.index1 - 1, (int)request);
    return TRN_OK;
}

trn_result trni_region_clear_request(trni_regions *r, trn_region_id region) {
    if (!find(r, region)) return TRN_ERROR_STALE_ID;
    set_request(r, region.index1 - 1, TRN_STATE_NONE);
    return TRN_OK;
}

void trni_regions_clear_requests(trni_regions *r) {
    /* Backwards: one that leaves the live list gives its place to one that was looked at already. */
    for (uint32_t i = r->live_count; i-- > 0;) set_request(r, r->live[i], TRN_STATE_NONE);
}

static void forget_failure(trni_regions *r, trni_region_state *state) {
    if (state->failed) r->stats.failed--;
    state->failed = false;
}

trn_result trni_region_set_payload(trni_regions *r, trn_region_id region, trn_payload payload) {
    trni_region_state *state = find(r, region);
    if (!state) return TRN_ERROR_STALE_ID;
    if (!is_payload(&payload)) return TRN_ERROR_ARGUMENT;
    r->facts[region.index1 - 1].payload = payload;
    forget_failure(r, state);
    if (state->actual == TRN_STATE_LOADING && (state->wait == TRNI_WAIT_READ || state->wait == TRNI_WAIT_HAND_OVER))
        state->superseded = true;
    return TRN_OK;
}

trn_result trni_region_retry(trni_regions *r, trn_region_id region) {
    trni_region_state *state = find(r, region);
    if (!state) return TRN_ERROR_STALE_ID;
    forget_failure(r, state);
    return TRN_OK;
}

void trni_regions_retry(trni_regions *r) {
    for (uint32_t i = 0; i < r->place_count; i++) forget_failure(r, &r->states[i]);
}

trn_result trni_region_confirm(trni_regions *r, trn_region_id region, uint32_t ticket, trn_result result) {
    trni_region_state *state = find(r, region);
    if (!state) return TRN_ERROR_STALE_ID;
    if (state->ticket == 0) return TRN_ERROR_STATE;
    if (ticket != state->ticket) return TRN_ERROR_STALE_ID;
    if (state->wait != TRNI_WAIT_CONFIRM) return TRN_ERROR_STATE;
    int code = (int)result;
    if (code > 0 || code < INT16_MIN || (code != TRN_OK && state->actual == TRN_STATE_UNLOADING))
        return TRN_ERROR_ARGUMENT;
    state->wait = TRNI_WAIT_DONE;
    state->load_result = (int16_t)code;
    return TRN_OK;
}

/* ---- what the host asks ---- */

trn_result trni_region_get_info(const trni_regions *r, trn_region_id region, trn_region_info *info) {
    const trni_region_state *state = find(r, region);
    if (!info) return TRN_ERROR_ARGUMENT;
    if (!state) return TRN_ERROR_STALE_ID;
    const trni_region_facts *facts = &r->facts[region.index1 - 1];
    *info = (trn_region_info){.actual = (trn_state)state->actual,
                              .desired = (trn_state)state->desired,
                              .authored = (trn_state)state->authored,
                              .request = state->request,
                              .source_count = state->source_count,
                              .failed = state->failed,
                              .failure = state->failed ? (trn_result)facts->failure : TRN_OK,
                              .age = r->step - state->since,
                              .instance_count = facts->instance_count,
                              .payload = facts->payload,
                              .box = facts->box,
                              .user_data = facts->user_data};
    return TRN_OK;
}

const char *trni_region_name(const trni_regions *r, trn_region_id region) {
    return find(r, region) ? r->facts[region.index1 - 1].name : "";
}

bool trni_region_is_valid(const trni_regions *r, trn_region_id region) { return find(r, region) != NULL; }

uint32_t trni_regions_list(const trni_regions *r, trn_region_id *ids, uint32_t capacity) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->place_count; i++) {
        if (!r->states[i].exists) continue;
        if (count < capacity) ids[count] = (trn_region_id){i + 1, r->states[i].generation};
        count++;
    }
    return count;
}

void trni_region_count_instances(trni_regions *r, uint32_t index, int32_t change) {
    r->facts[index].instance_count += (uint32_t)change;
}

trn_state trni_region_actual(const trni_regions *r, uint32_t index) { return (trn_state)r->states[index].actual; }

uint32_t trni_regions_changed(const trni_regions *r, const uint32_t **indices) {
    *indices = r->changed;
    return r->changed_count;
}

void trni_regions_get_stats(const trni_regions *r, trni_regions_stats *stats) { *stats = r->stats; }
