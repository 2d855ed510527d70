/* SPDX-License-Identifier: MIT */
/** @file
 * A tree over axis-aligned boxes (bounding volume hierarchy): which boxes does a sphere, or a box, touch?
 *
 * Boxes are world boxes in doubles. A box is named by its id, which is its index in the array the tree was built from.
 * Answers are exact: the tree culls with floats that are rounded outward, and each candidate is tested in doubles. All
 * boxes and query volumes are closed, so touching counts.
 *
 * Queries are const, allocate nothing and keep all state on the stack: any number of threads may ask at once, as long as
 * none builds or destroys the tree meanwhile. docs/bvh.md shows the layout.
 */
#ifndef TERRANE_BVH_H
#define TERRANE_BVH_H

#include "base.h"
#include "math_types.h"

/** The most boxes one tree holds. */
#define TRN_BVH_MAX_BOXES 0x80000000u

/** A tree. */
typedef struct trn_bvh trn_bvh;

/** What a tree is built from. All zero: an empty tree, which is valid and may be rebuilt with boxes later. */
typedef struct trn_bvh_def {
    /** `count` boxes: min <= max on each axis and no NaN. Points, flat boxes and infinite sides are legal. Copied. */
    const trn_world_box *boxes;
    uint32_t count;            /**< <= TRN_BVH_MAX_BOXES */
    const uint64_t *user_data; /**< `count` values of the host's, copied; NULL: the id of each box */
    uint32_t leaf_size; /**< boxes in a leaf, 1..64; 0: 4. More share a leaf only if all their centres are one point */
    trn_allocator allocator;
} trn_bvh_def;

/** Figures of a tree. */
typedef struct trn_bvh_stats {
    uint32_t box_count;
    uint32_t node_count;   /**< 0 for an empty tree */
    uint32_t depth;        /**< steps from the root to the deepest leaf; <= 31 whatever the boxes are */
    uint32_t largest_leaf; /**< boxes in it */
    uint64_t bytes;        /**< lent by the allocator: the object, nodes, boxes, ids, user data */
} trn_bvh_stats;

/** Builds a tree: O(n log n), also at worst.
 * @return TRN_OK; TRN_ERROR_ARGUMENT (a box that is NaN or inverted: its index is in `error->item`; or the definition:
 *         the text says what); TRN_ERROR_OUT_OF_MEMORY */
TRN_API trn_result trn_bvh_create_sized(const trn_bvh_def *def, size_t def_size, trn_bvh **bvh, trn_error *error);
static inline trn_result trn_bvh_create(const trn_bvh_def *def, trn_bvh **bvh, trn_error *error) {
    return trn_bvh_create_sized(def, sizeof *def, bvh, error);
}

/** Frees a tree; NULL is allowed. */
TRN_API void trn_bvh_destroy(trn_bvh *bvh);

/** Replaces all boxes of a tree. Calls the allocator only when there are more boxes than it ever held (or the first user
 * data); it then makes half as much room again, so that a set that grows bit by bit rarely needs more.
 * @param user_data `count` values or NULL, as in the definition
 * @return as trn_bvh_create; after a failure the tree is what it was */
TRN_API trn_result trn_bvh_rebuild(trn_bvh *bvh, const trn_world_box *boxes, uint32_t count, const uint64_t *user_data,
                                   trn_error *error);

/** Finds the boxes that a closed sphere touches.
 *
 * A box is a hit when dx*dx + dy*dy + dz*dz <= radius*radius, computed in doubles in this order, where dx is the distance
 * of the centre to the box's interval on x (0 inside). Lengths beyond 1e150 therefore count as infinite, and those below
 * 1e-150 as zero.
 * @param center 3 finite numbers
 * @param radius >= 0; infinite finds all boxes
 * @param ids room for `capacity` ids, written in the tree's order: the same for every query until the tree is rebuilt,
 *        and the same for trees built from the same boxes with the same leaf size. NULL only with capacity 0.
 * @param distances_squared room for `capacity` squared distances, next to the ids; or NULL
 * @param count all hits, also when there are more than `capacity` (the first ones are then written)
 * @return TRN_OK, TRN_ERROR_ARGUMENT (centre not finite, radius negative or NaN, missing array) */
TRN_API trn_result trn_bvh_query_sphere(const trn_bvh *bvh, const double center[3], double radius, uint32_t *ids,
                                        double *distances_squared, uint32_t capacity, uint32_t *count);

/** Finds the boxes that a closed box touches.
 * @param box min <= max, no NaN; infinite sides are legal
 * @param ids,capacity,count as in trn_bvh_query_sphere
 * @return TRN_OK, TRN_ERROR_ARGUMENT (box NaN or inverted, missing array) */
TRN_API trn_result trn_bvh_query_box(const trn_bvh *bvh, const trn_world_box *box, uint32_t *ids, uint32_t capacity,
                                     uint32_t *count);

/** Reads a box's user data: what was given, or the id.
 * @return TRN_OK, TRN_ERROR_ARGUMENT (no such id) */
TRN_API trn_result trn_bvh_get_user_data(const trn_bvh *bvh, uint32_t id, uint64_t *user_data);

TRN_API void trn_bvh_get_stats(const trn_bvh *bvh, trn_bvh_stats *stats);

#endif
