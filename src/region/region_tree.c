/* SPDX-License-Identifier: MIT */
/* Which regions can a source reach? Two of these trees: one over the boxes, one over boxes grown by the regions' own
 * radii. A few new regions wait in a list that is tested one by one, so that creating one in a large world does not
 * rebuild; a deleted one leaves a dead slot. */
#include <math.h>
#include <string.h>

#include "region_table.h"

enum { PENDING_BIT = 31 };
#define PENDING (1u << PENDING_BIT)

bool trni_region_tree_create(trni_region_tree *tree, const trn_allocator *allocator) {
    trn_bvh_def def = {.allocator = *allocator};
    return trn_bvh_create(&def, &tree->bvh, NULL) == TRN_OK;
}

void trni_region_tree_destroy(trni_region_tree *tree, const trn_allocator *allocator) {
    trn_bvh_destroy(tree->bvh);
    trni_free(allocator, tree->places, tree->place_capacity, sizeof *tree->places);
    trni_free(allocator, tree->pending, tree->pending_capacity, sizeof *tree->pending);
    trni_free(allocator, tree->boxes, tree->box_capacity, sizeof *tree->boxes);
}

bool trni_region_tree_reserve(trni_regions *regions, trni_region_tree *tree, uint32_t wanted) {
    const trn_allocator *allocator = &regions->def.allocator;
    if (!trni_grow(allocator, (void **)&tree->places, &tree->place_capacity, wanted, sizeof *tree->places) ||
        !trni_grow(allocator, (void **)&tree->pending, &tree->pending_capacity, wanted, sizeof *tree->pending) ||
        !trni_grow(allocator, (void **)&tree->boxes, &tree->box_capacity, wanted, sizeof *tree->boxes))
        return false;
    if (tree->box_capacity <= tree->reserved) return true;
    /* A tree keeps the room of its largest build, so one build of equal points reserves it. The arrays double, so these
     * builds, and the rebuilding that follows, cost O(log n) a region in the long run. */
    memset(tree->boxes, 0, tree->box_capacity * sizeof *tree->boxes);
    if (trn_bvh_rebuild(tree->bvh, tree->boxes, tree->box_capacity, NULL, NULL) != TRN_OK) return false;
    tree->reserved = tree->box_capacity;
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->places[i] != TRNI_REGION_NO_SLOT) trni_region_tree_add(regions, tree, tree->places[i]);
    tree->count = tree->dead = 0;
    trn_bvh_rebuild(tree->bvh, NULL, 0, NULL, NULL);
    return true;
}

void trni_region_tree_add(trni_regions *regions, trni_region_tree *tree, uint32_t place) {
    regions->states[place].slot = tree->pending_count | PENDING;
    tree->pending[tree->pending_count++] = place;
}

void trni_region_tree_remove(trni_regions *regions, trni_region_tree *tree, uint32_t place) {
    uint32_t slot = regions->states[place].slot;
    if (slot & PENDING) {
        uint32_t moved = tree->pending[--tree->pending_count];
        tree->pending[slot & ~PENDING] = moved;
        regions->states[moved].slot = slot;
    } else {
        tree->places[slot] = TRNI_REGION_NO_SLOT;
        tree->dead++;
    }
}

/* Contains every point that the exact test of squares can accept: that test errs by a few parts in 2^53, and squares of
 * lengths below 1e-150 vanish. */
static trn_world_box grown_box(const trn_world_box *box, double radius) {
    trn_world_box grown;
    double reach = radius * (1 + 0x1p-40) + 1e-150;
    for (int a = 0; a < 3; a++) {
        grown.min[a] = nextafter(box->min[a] - reach, -(double)INFINITY);
        grown.max[a] = nextafter(box->max[a] + reach, (double)INFINITY);
        /* inf - inf: a side at infinity that an infinite radius reaches from everywhere. */
        if (isnan(grown.min[a])) grown.min[a] = -(double)INFINITY;
        if (isnan(grown.max[a])) grown.max[a] = (double)INFINITY;
    }
    return grown;
}

static bool bring_up_to_date(trni_regions *regions, trni_region_tree *tree) {
    if (tree->pending_count <= 32 + tree->count / 4096 && tree->dead <= 32 + tree->count / 2) return true;
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->places[i] != TRNI_REGION_NO_SLOT) tree->places[count++] = tree->places[i];
    for (uint32_t i = 0; i < tree->pending_count; i++) tree->places[count++] = tree->pending[i];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = tree->places[i];
        const trni_region_facts *facts = &regions->facts[place];
        regions->states[place].slot = i;
        tree->boxes[i] = regions->states[place].own_radius ? grown_box(&facts->box, facts->keep_radius) : facts->box;
    }
    tree->count = count;
    tree->dead = tree->pending_count = 0;
    trn_result result = trn_bvh_rebuild(tree->bvh, tree->boxes, count, NULL, NULL);
    return TRNI_ASSERT(&regions->def.assert_hook, result == TRN_OK);
}

bool trni_regions_upkeep(trni_regions *regions) {
    bool plain = bring_up_to_date(regions, &regions->plain);
    return bring_up_to_date(regions, &regions->own) && plain;
}
