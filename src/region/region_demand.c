/* SPDX-License-Identifier: MIT */
/* What is wanted of each region in this update: decided from authored states, sources, the rule of region 0 and
 * requests, in this order. Reads actual states and moves none. */
#include <math.h>

#include "region_table.h"

/* Same operations in the same order as the tree's own test: both must decide alike. */
double trni_box_distance_squared(const trn_world_box *box, const double point[3]) {
    double squared[3];
    for (int a = 0; a < 3; a++) {
        double closest = point[a] > box->min[a] ? point[a] : box->min[a];
        closest = closest < box->max[a] ? closest : box->max[a];
        double distance = point[a] - closest;
        squared[a] = distance * distance;
    }
    return squared[0] + squared[1] + squared[2];
}

double trni_region_keep_radius(const trni_regions *regions, double radius) {
    double scaled = radius * regions->def.hysteresis, wider = radius + regions->def.margin;
    return scaled > wider ? scaled : wider; /* the factor is finite and >= 1: no inf x 0 */
}

bool trni_sources_valid(const trn_source *sources, uint32_t count) {
    if (count > TRN_MAX_SOURCES || (count != 0 && !sources)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const trn_source *source = &sources[i];
        if (!isfinite(source->position[0]) || !isfinite(source->position[1]) || !isfinite(source->position[2]))
            return false;
        if (!(source->radius >= 0) || !(source->weight >= 0) || isinf(source->weight)) return false;
        int target = (int)source->target;
        if (target != 0 && target != TRN_STATE_RESIDENT && target != TRN_STATE_ACTIVE) return false;
    }
    return true;
}

/* The state that a region has or is on its way to, for the dead band of the radius. */
static uint8_t level_of(const trni_region_state *state) {
    if (trni_state_is_loaded(state->actual)) return state->actual;
    return state->actual == TRN_STATE_LOADING || state->restarting ? state->goal : TRN_STATE_UNLOADED;
}

static void touch(trni_regions *regions, uint32_t place) {
    trni_region_state *state = &regions->states[place];
    if (state->touched == regions->step) return;
    state->touched = regions->step;
    state->desired = regions->def.edit ? TRN_STATE_ACTIVE : state->authored;
    state->source_count = 0;
    state->nearest = -1;
    regions->touched[regions->touched_count++] = place;
}

static void test_source(trni_regions *regions, uint32_t place, const trn_source *source, double distance_squared,
                        double radius, double keep_radius) {
    trni_region_state *state = &regions->states[place];
    uint8_t target = source->target ? (uint8_t)source->target : TRN_STATE_ACTIVE;
    bool reached = distance_squared <= radius * radius ||
                   (distance_squared <= keep_radius * keep_radius && level_of(state) >= target);
    if (!reached) return;
    touch(regions, place);
    state->source_count++;
    if (source->observer) return;
    if (state->desired < target) state->desired = target;
    double distance = sqrt(distance_squared) / (source->weight > 0 ? (double)source->weight : 1.0);
    if (state->nearest < 0 || distance < state->nearest) state->nearest = distance;
}

static void test_plain(trni_regions *regions, const trn_source *source) {
    trni_region_tree *tree = &regions->plain;
    double radius = source->radius, keep_radius = trni_region_keep_radius(regions, radius);
    uint32_t found = 0;
    trn_bvh_query_sphere(tree->bvh, source->position, keep_radius, regions->hits, regions->distances,
                         regions->hit_capacity, &found);
    for (uint32_t i = 0; i < found; i++) {
        uint32_t place = tree->places[regions->hits[i]];
        if (place != TRNI_REGION_NO_SLOT)
            test_source(regions, place, source, regions->distances[i], radius, keep_radius);
    }
    for (uint32_t i = 0; i < tree->pending_count; i++) {
        uint32_t place = tree->pending[i];
        double squared = trni_box_distance_squared(&regions->facts[place].box, source->position);
        test_source(regions, place, source, squared, radius, keep_radius);
    }
}

static void test_own(trni_regions *regions, const trn_source *source, uint32_t place) {
    const trni_region_facts *facts = &regions->facts[place];
    double squared = trni_box_distance_squared(&facts->box, source->position);
    test_source(regions, place, source, squared, facts->load_radius, facts->keep_radius);
}

static void test_own_radius(trni_regions *regions, const trn_source *source) {
    trni_region_tree *tree = &regions->own;
    const double *at = source->position;
    trn_world_box point = {{at[0], at[1], at[2]}, {at[0], at[1], at[2]}};
    uint32_t found = 0;
    trn_bvh_query_box(tree->bvh, &point, regions->hits, regions->hit_capacity, &found);
    for (uint32_t i = 0; i < found; i++) {
        uint32_t place = tree->places[regions->hits[i]];
        if (place != TRNI_REGION_NO_SLOT) test_own(regions, source, place);
    }
    for (uint32_t i = 0; i < tree->pending_count; i++) test_own(regions, source, tree->pending[i]);
}

void trni_region_demand(trni_regions *regions, const trn_source *sources, uint32_t count) {
    for (uint32_t i = 0; i < regions->touched_count; i++) {
        trni_region_state *state = &regions->states[regions->touched[i]];
        state->desired = TRN_STATE_UNLOADED;
        state->source_count = 0;
    }
    regions->touched_count = 0;

    for (uint32_t i = 0; i < regions->live_count; i++) touch(regions, regions->live[i]);
    for (uint32_t i = 0; i < count; i++) {
        test_plain(regions, &sources[i]);
        test_own_radius(regions, &sources[i]);
    }

    trni_region_state *zero = &regions->states[0];
    bool all_unloaded = zero->request == TRN_STATE_UNLOADED;
    bool any = false; /* of the others, loaded or wanted */
    for (uint32_t i = 0; i < regions->touched_count; i++) {
        trni_region_state *state = &regions->states[regions->touched[i]];
        if (state == zero) continue;
        if (state->request != TRN_STATE_NONE) state->desired = (uint8_t)state->request;
        if (state->dying || all_unloaded) state->desired = TRN_STATE_UNLOADED;
        any = any || state->desired != TRN_STATE_UNLOADED || trni_state_is_loaded(state->actual);
    }
    if (any && zero->desired < TRN_STATE_RESIDENT) zero->desired = TRN_STATE_RESIDENT;
    if (zero->request != TRN_STATE_NONE) zero->desired = (uint8_t)zero->request;
}
