/* SPDX-License-Identifier: MIT */
/* Building the binary tree, top-down, in place.
 *
 * One array of boxes. For a range of it: bounds of the boxes and of their centres in one pass; the axis on which the
 * centres spread most; half of the range to each side of the median on that axis by a selection that reorders in place;
 * then the same for both halves, which are put next to each other. A range of at most leaf_size boxes, or one whose
 * centres are all one point, is a leaf. The array ends up in tree order and stays: a leaf reads its boxes in a row. */
#include "bvh_internal.h"

#include <string.h>

uint32_t trni_bvh_most_nodes(uint32_t count, uint32_t leaf_size) {
    if (count == 0) return 0;
    /* Unless centres coincide, depth d has 2^d nodes of q or q + 1 boxes, `larger` of them with q + 1, down to the first
     * depth where q fits a leaf. If q + 1 does not fit there, those nodes split once more. */
    uint32_t depth = 0;
    while ((count >> depth) > leaf_size) depth++;
    uint64_t nodes = ((uint64_t)2 << depth) - 1;
    uint32_t larger = count & (uint32_t)(((uint64_t)1 << depth) - 1);
    if ((count >> depth) == leaf_size) nodes += 2 * (uint64_t)larger;
    return (uint32_t)nodes; /* < 2 x count <= 2^32 */
}

/* ---- selection ---- */

static void swap_slots(trn_world_box *boxes, uint32_t *ids, int64_t a, int64_t b) {
    trn_world_box box = boxes[a];
    boxes[a] = boxes[b];
    boxes[b] = box;
    uint32_t id = ids[a];
    ids[a] = ids[b];
    ids[b] = id;
}

/* Integers in the order of the doubles. */
static uint64_t ordered_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Bisects the span of keys instead of guessing a median: it halves at every pass, so there are at most 64 passes. */
void trni_bvh_select_by_bits(trn_world_box *boxes, uint32_t *ids, uint32_t begin, uint32_t end, uint32_t middle,
                             int axis) {
    int64_t low = begin, high = end;
    while (high - low > 1) {
        uint64_t smallest = UINT64_MAX, largest = 0;
        for (int64_t i = low; i < high; i++) {
            uint64_t key = ordered_bits(trni_bvh_center(&boxes[i], axis));
            if (key < smallest) smallest = key;
            if (key > largest) largest = key;
        }
        if (smallest == largest) return;
        /* smallest < pivot <= largest, so neither side is empty. */
        uint64_t pivot = smallest + (largest - smallest) / 2 + 1;
        int64_t split = low;
        for (int64_t i = low; i < high; i++)
            if (ordered_bits(trni_bvh_center(&boxes[i], axis)) < pivot) swap_slots(boxes, ids, i, split++);
        if (middle < split)
            high = split;
        else
            low = split;
    }
}

static double median_of_three(double a, double b, double c) {
    double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Hoare's selection. Keys equal to the pivot stop both scans, so equal centres split evenly. */
void trni_bvh_select(trn_world_box *boxes, uint32_t *ids, uint32_t begin, uint32_t end, uint32_t middle, int axis) {
    int64_t low = begin, high = (int64_t)end - 1;
    int64_t budget = 8 * (int64_t)(end - begin); /* visits; about 3 a box are usual */
    while (low < high) {
        budget -= high - low + 1;
        if (budget < 0) {
            trni_bvh_select_by_bits(boxes, ids, (uint32_t)low, (uint32_t)(high + 1), middle, axis);
            return;
        }
        double pivot =
            median_of_three(trni_bvh_center(&boxes[low], axis), trni_bvh_center(&boxes[low + (high - low) / 2], axis),
                            trni_bvh_center(&boxes[high], axis));
        int64_t i = low, j = high;
        while (i <= j) {
            while (trni_bvh_center(&boxes[i], axis) < pivot) i++;
            while (trni_bvh_center(&boxes[j], axis) > pivot) j--;
            if (i <= j) swap_slots(boxes, ids, i++, j--);
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

/* ---- tree ---- */

typedef struct range {
    uint32_t node;
    uint32_t begin, end; /* slots */
    uint32_t depth;
} range;

/* Bounds of the boxes and of their centres. */
typedef struct range_bounds {
    trn_world_box boxes;
    trn_world_box centers;
} range_bounds;

static range_bounds measure(const trn_world_box *boxes, uint32_t begin, uint32_t end) {
    range_bounds bounds;
    for (int a = 0; a < 3; a++) {
        bounds.boxes.min[a] = bounds.centers.min[a] = (double)INFINITY;
        bounds.boxes.max[a] = bounds.centers.max[a] = -(double)INFINITY;
    }
    for (uint32_t i = begin; i < end; i++) {
        const trn_world_box *box = &boxes[i];
        for (int a = 0; a < 3; a++) {
            double center = trni_bvh_center(box, a);
            bounds.boxes.min[a] = box->min[a] < bounds.boxes.min[a] ? box->min[a] : bounds.boxes.min[a];
            bounds.boxes.max[a] = box->max[a] > bounds.boxes.max[a] ? box->max[a] : bounds.boxes.max[a];
            bounds.centers.min[a] = center < bounds.centers.min[a] ? center : bounds.centers.min[a];
            bounds.centers.max[a] = center > bounds.centers.max[a] ? center : bounds.centers.max[a];
        }
    }
    return bounds;
}

/* The median centre: floats relative to it are finest where most boxes are, also when a few lie very far out. */
static void choose_origin(trn_bvh *bvh) {
    uint32_t middle = bvh->count / 2;
    for (int a = 0; a < 3; a++) {
        trni_bvh_select(bvh->boxes, bvh->ids, 0, bvh->count, middle, a);
        double center = trni_bvh_center(&bvh->boxes[middle], a);
        bvh->origin[a] = fabs(center) < DBL_MAX ? center : 0; /* most boxes are infinite: nothing to be fine at */
    }
}

void trni_bvh_build(trn_bvh *bvh) {
    bvh->node_count = bvh->depth = bvh->largest_leaf = 0;
    if (bvh->count == 0) return;
    choose_origin(bvh);
    range waiting[TRNI_BVH_STACK]; /* enough: see TRNI_BVH_STACK */
    uint32_t waiting_count = 0;
    range at = {0, 0, bvh->count, 0};
    bvh->node_count = 1;
    for (;;) {
        trni_bvh_node *node = &bvh->nodes[at.node];
        range_bounds bounds = measure(bvh->boxes, at.begin, at.end);
        int axis = 0;
        double extent[3]; /* finite minus finite: may overflow to infinity, is never NaN */
        for (int a = 0; a < 3; a++) {
            node->min[a] = trni_bvh_float_below(bounds.boxes.min[a], bvh->origin[a]);
            node->max[a] = trni_bvh_float_above(bounds.boxes.max[a], bvh->origin[a]);
            extent[a] = bounds.centers.max[a] - bounds.centers.min[a];
            if (extent[a] > extent[axis]) axis = a;
        }
        uint32_t count = at.end - at.begin;
        if (count <= bvh->leaf_size || extent[axis] <= 0) {
            node->first = at.begin;
            node->count = count;
            if (at.depth > bvh->depth) bvh->depth = at.depth;
            if (count > bvh->largest_leaf) bvh->largest_leaf = count;
            if (waiting_count == 0) return;
            at = waiting[--waiting_count];
            continue;
        }
        uint32_t middle = at.begin + count / 2;
        trni_bvh_select(bvh->boxes, bvh->ids, at.begin, at.end, middle, axis);
        node->first = bvh->node_count;
        node->count = 0;
        bvh->node_count += 2;
        waiting[waiting_count++] = (range){node->first + 1, middle, at.end, at.depth + 1};
        at = (range){node->first, at.begin, middle, at.depth + 1};
    }
}
