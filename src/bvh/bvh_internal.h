/* SPDX-License-Identifier: MIT */
/* The binary tree as it lies in memory, and what its builder, its queries and their tests share. */
#ifndef TRNI_BVH_INTERNAL_H
#define TRNI_BVH_INTERNAL_H

#include <terrane/bvh.h>

#include <float.h>
#include <math.h>

/* Bounds are relative to the tree's origin and contain, in exact arithmetic, all boxes below the node. */
typedef struct trni_bvh_node {
    float min[3];
    uint32_t first; /* leaf: its first slot; inner node: its left child, the right one follows it */
    float max[3];
    uint32_t count; /* leaf: its slots, > 0; inner node: 0 */
} trni_bvh_node;

/* Every split halves: the larger side of n boxes has ceil(n / 2), so a node at depth d has at most ceil(n / 2^d). A node
 * of one box is a leaf (leaf_size >= 1), and n <= 2^31, so no node is deeper than 31 and no inner node deeper than 30,
 * whatever the coordinates are. A walk that goes left and keeps the right child for later has at most one entry waiting
 * for each inner ancestor: 31. */
#define TRNI_BVH_STACK 32u

/* Slots are the places of boxes in tree order: leaves from left to right. */
struct trn_bvh {
    trn_allocator allocator;
    uint32_t leaf_size;
    uint32_t count;
    uint32_t node_count;
    uint32_t depth;
    uint32_t largest_leaf;
    uint32_t capacity; /* slots; there are trni_bvh_most_nodes(capacity, leaf_size) nodes */
    uint32_t user_capacity;
    bool has_user_data;
    double origin[3];     /* finite */
    trni_bvh_node *nodes; /* root first */
    trn_world_box *boxes; /* by slot */
    uint32_t *ids;        /* by slot */
    uint64_t *user_data;  /* by id */
};

/* The most nodes that `count` boxes can need. Does not fall when count grows. */
uint32_t trni_bvh_most_nodes(uint32_t count, uint32_t leaf_size);

/* Builds nodes, depth and tree order of bvh->count sound boxes that lie in bvh->boxes with their ids next to them. */
void trni_bvh_build(trn_bvh *bvh);

/* Reorders the slots [begin, end) so that none before `middle` has a larger centre on the axis than any from it on.
 * trni_bvh_select is linear on average and falls back on trni_bvh_select_by_bits, which is linear always, but slower. */
void trni_bvh_select(trn_world_box *boxes, uint32_t *ids, uint32_t begin, uint32_t end, uint32_t middle, int axis);
void trni_bvh_select_by_bits(trn_world_box *boxes, uint32_t *ids, uint32_t begin, uint32_t end, uint32_t middle,
                             int axis);

/* What boxes are sorted by: the centre, made finite so that the sort never sees a NaN. Infinite ends give the end of the
 * doubles; a box infinite both ways (inf - inf) counts as lying at the low end, away from the finite ones. */
static inline double trni_bvh_center(const trn_world_box *box, int axis) {
    double center = 0.5 * box->min[axis] + 0.5 * box->max[axis];
    center = center > -DBL_MAX ? center : -DBL_MAX; /* also for NaN */
    return center < DBL_MAX ? center : DBL_MAX;
}

/* The largest float known to be <= x - origin, and the smallest known to be >= it. The difference is itself rounded, so
 * it is moved one double outward first; that is far less than a float's step. */
static inline float trni_bvh_float_below(double x, double origin) {
    double relative = nextafter(x - origin, -(double)INFINITY);
    if (relative > (double)FLT_MAX) return FLT_MAX;
    if (relative < -(double)FLT_MAX) return -INFINITY;
    float nearest = (float)relative;
    return (double)nearest > relative ? nextafterf(nearest, -INFINITY) : nearest;
}
static inline float trni_bvh_float_above(double x, double origin) { return -trni_bvh_float_below(-x, -origin); }

/* No NaN, not inverted. */
static inline bool trni_bvh_box_is_sound(const trn_world_box *box) {
    return box->min[0] <= box->max[0] && box->min[1] <= box->max[1] && box->min[2] <= box->max[2];
}

#endif
