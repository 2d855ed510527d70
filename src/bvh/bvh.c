/* SPDX-License-Identifier: MIT */
/* The tree as an object: checking what comes in, memory, user data, figures. */
#include "bvh_internal.h"

#include "base/base_internal.h"

#include <string.h>

enum { DEFAULT_LEAF_SIZE = 4, LARGEST_LEAF_SIZE = 64 };

static trn_result check_boxes(const trn_world_box *boxes, uint32_t count, trn_error *error) {
    if (count > TRN_BVH_MAX_BOXES)
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "bvh: %u boxes are more than a tree holds", count);
    if (count != 0 && !boxes) return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "bvh: no boxes given");
    for (uint32_t i = 0; i < count; i++)
        if (!trni_bvh_box_is_sound(&boxes[i]))
            return trni_fail(error, TRN_ERROR_ARGUMENT, i, 0, "bvh: box %u is inverted or not a number", i);
    return TRN_OK;
}

static void free_slots(trn_bvh *bvh) {
    trni_free(&bvh->allocator, bvh->nodes, trni_bvh_most_nodes(bvh->capacity, bvh->leaf_size), sizeof *bvh->nodes);
    trni_free(&bvh->allocator, bvh->boxes, bvh->capacity, sizeof *bvh->boxes);
    trni_free(&bvh->allocator, bvh->ids, bvh->capacity, sizeof *bvh->ids);
}

/* Makes room; what the arrays held is not kept. False: no memory, nothing changed. */
static bool reserve_slots(trn_bvh *bvh, uint32_t capacity) {
    trn_bvh larger = *bvh;
    larger.capacity = capacity;
    larger.nodes = trni_alloc(&bvh->allocator, trni_bvh_most_nodes(capacity, bvh->leaf_size), sizeof *bvh->nodes);
    larger.boxes = trni_alloc(&bvh->allocator, capacity, sizeof *bvh->boxes);
    larger.ids = trni_alloc(&bvh->allocator, capacity, sizeof *bvh->ids);
    if (!larger.nodes || !larger.boxes || !larger.ids) {
        free_slots(&larger);
        return false;
    }
    free_slots(bvh);
    *bvh = larger;
    return true;
}

static uint32_t grown_capacity(uint32_t old_capacity, uint32_t count) {
    uint64_t grown = (uint64_t)old_capacity + old_capacity / 2;
    if (grown > TRN_BVH_MAX_BOXES) grown = TRN_BVH_MAX_BOXES;
    return grown > count ? (uint32_t)grown : count;
}

/* Replaces the boxes, which are known to be sound. */
static trn_result replace_boxes(trn_bvh *bvh, const trn_world_box *boxes, uint32_t count, const uint64_t *user_data,
                                trn_error *error) {
    /* All memory before any change; reserve_slots, which gives up the old slots, comes last. */
    bool grow_user = user_data && count > bvh->user_capacity;
    uint32_t user_capacity = grow_user ? grown_capacity(bvh->user_capacity, count) : bvh->user_capacity;
    uint64_t *user = grow_user ? trni_alloc(&bvh->allocator, user_capacity, sizeof *user) : bvh->user_data;
    bool failed = grow_user && !user;
    if (!failed && count > bvh->capacity) failed = !reserve_slots(bvh, grown_capacity(bvh->capacity, count));
    if (failed) {
        if (grow_user) trni_free(&bvh->allocator, user, user_capacity, sizeof *user);
        return trni_fail(error, TRN_ERROR_OUT_OF_MEMORY, 0, 0, "bvh: no memory for %u boxes", count);
    }
    if (grow_user) {
        trni_free(&bvh->allocator, bvh->user_data, bvh->user_capacity, sizeof *user);
        bvh->user_data = user;
        bvh->user_capacity = user_capacity;
    }
    bvh->has_user_data = user_data != NULL;
    bvh->count = count;
    if (count != 0) {
        if (user_data) memcpy(bvh->user_data, user_data, count * sizeof *user_data);
        memcpy(bvh->boxes, boxes, count * sizeof *boxes);
        for (uint32_t i = 0; i < count; i++) bvh->ids[i] = i;
    }
    trni_bvh_build(bvh);
    return TRN_OK;
}

trn_result trn_bvh_create_sized(const trn_bvh_def *def, size_t def_size, trn_bvh **bvh, trn_error *error) {
    trn_bvh_def read;
    if (!bvh) return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "bvh: nowhere to put the tree");
    if (!trni_def_read(&read, sizeof read, def, def_size))
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "bvh: the definition sets what this version does not know");
    if (read.leaf_size > LARGEST_LEAF_SIZE)
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "bvh: leaf size %u is more than %d", read.leaf_size,
                         LARGEST_LEAF_SIZE);
    trn_allocator allocator;
    if (!trni_allocator_make(&allocator, &read.allocator))
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "bvh: the allocator lacks a function");
    trn_result result = check_boxes(read.boxes, read.count, error);
    if (result != TRN_OK) return result;

    trn_bvh *made = TRNI_NEW(&allocator, trn_bvh);
    if (!made) return trni_fail(error, TRN_ERROR_OUT_OF_MEMORY, 0, 0, "bvh: no memory");
    made->allocator = allocator;
    made->leaf_size = read.leaf_size ? read.leaf_size : DEFAULT_LEAF_SIZE;
    result = replace_boxes(made, read.boxes, read.count, read.user_data, error);
    if (result != TRN_OK) {
        trn_bvh_destroy(made);
        return result;
    }
    *bvh = made;
    return TRN_OK;
}

void trn_bvh_destroy(trn_bvh *bvh) {
    if (!bvh) return;
    trn_allocator allocator = bvh->allocator;
    free_slots(bvh);
    trni_free(&allocator, bvh->user_data, bvh->user_capacity, sizeof *bvh->user_data);
    trni_free(&allocator, bvh, 1, sizeof *bvh);
}

trn_result trn_bvh_rebuild(trn_bvh *bvh, const trn_world_box *boxes, uint32_t count, const uint64_t *user_data,
                           trn_error *error) {
    if (!bvh) return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "bvh: no tree given");
    trn_result result = check_boxes(boxes, count, error);
    return result == TRN_OK ? replace_boxes(bvh, boxes, count, user_data, error) : result;
}

trn_result trn_bvh_get_user_data(const trn_bvh *bvh, uint32_t id, uint64_t *user_data) {
    if (!bvh || !user_data || id >= bvh->count) return TRN_ERROR_ARGUMENT;
    *user_data = bvh->has_user_data ? bvh->user_data[id] : id;
    return TRN_OK;
}

void trn_bvh_get_stats(const trn_bvh *bvh, trn_bvh_stats *stats) {
    memset(stats, 0, sizeof *stats);
    stats->box_count = bvh->count;
    stats->node_count = bvh->node_count;
    stats->depth = bvh->depth;
    stats->largest_leaf = bvh->largest_leaf;
    stats->bytes = sizeof *bvh + (uint64_t)trni_bvh_most_nodes(bvh->capacity, bvh->leaf_size) * sizeof *bvh->nodes +
                   (uint64_t)bvh->capacity * (sizeof *bvh->boxes + sizeof *bvh->ids) +
                   (uint64_t)bvh->user_capacity * sizeof *bvh->user_data;
}
