/* SPDX-License-Identifier: MIT */
/* Walking the binary tree: nodes are culled in floats that can only err towards visiting, boxes decided in doubles. */
#include "bvh_internal.h"

/* ---- sphere ---- */

/* A sphere in the tree's frame, made larger by all that rounding may add; see float_sphere_make. */
typedef struct float_sphere {
    float center[3]; /* finite */
    float limit;     /* squared distance up to which a node is visited; may be infinite */
} float_sphere;

/* The float test must pass whenever the double test of a box below the node passes.
 * Let c be the centre relative to the origin and f its float; each |f - c| is at most the `off` of its axis. A distance
 * measured from f is at most that from c plus the sum of the three offs (triangle inequality). The float computation of a
 * squared distance (a subtraction and a square on each axis, two sums) errs by less than a factor 1 + 8 x 2^-24, which 1 +
 * 2^-20 covers together with the double test's own rounding; FLT_MIN covers squares that underflow in either. */
static float_sphere float_sphere_make(const trn_bvh *bvh, const double center[3], double radius) {
    float_sphere sphere;
    double off = 0;
    for (int a = 0; a < 3; a++) {
        double relative = center[a] - bvh->origin[a];
        bool in_range = relative <= (double)FLT_MAX && relative >= -(double)FLT_MAX;
        sphere.center[a] = in_range ? (float)relative : relative > 0 ? FLT_MAX : -FLT_MAX;
        off += in_range ? fabs((double)sphere.center[a] - relative) + fabs(relative) * 0x1p-52 : (double)INFINITY;
    }
    double reach = radius + off;
    double limit = reach * reach * (1 + 0x1p-20) + (double)FLT_MIN;
    sphere.limit = limit < (double)FLT_MAX ? nextafterf((float)limit, INFINITY) : INFINITY;
    return sphere;
}

/* Distances are those to the closest point, found by clamping. No NaN can arise: the centre is finite, so only the closest
 * point can be infinite. The clamps compile to min and max instructions; branches would be guessed wrong half the time. */
static inline bool sphere_reaches_node(const float_sphere *sphere, const trni_bvh_node *node) {
    float squared[3];
    for (int a = 0; a < 3; a++) {
        float closest = sphere->center[a] > node->min[a] ? sphere->center[a] : node->min[a];
        closest = closest < node->max[a] ? closest : node->max[a];
        float distance = sphere->center[a] - closest;
        squared[a] = distance * distance;
    }
    return squared[0] + squared[1] + squared[2] <= sphere->limit;
}

static inline double box_distance_squared(const trn_world_box *box, const double center[3]) {
    double squared[3];
    for (int a = 0; a < 3; a++) {
        double closest = center[a] > box->min[a] ? center[a] : box->min[a];
        closest = closest < box->max[a] ? closest : box->max[a];
        double distance = center[a] - closest;
        squared[a] = distance * distance;
    }
    return squared[0] + squared[1] + squared[2];
}

trn_result trn_bvh_query_sphere(const trn_bvh *bvh, const double center[3], double radius, uint32_t *ids,
                                double *distances_squared, uint32_t capacity, uint32_t *count) {
    if (!bvh || !center || !count || (capacity != 0 && !ids)) return TRN_ERROR_ARGUMENT;
    for (int a = 0; a < 3; a++)
        if (!(fabs(center[a]) <= DBL_MAX)) return TRN_ERROR_ARGUMENT;
    if (!(radius >= 0)) return TRN_ERROR_ARGUMENT;
    float_sphere sphere = float_sphere_make(bvh, center, radius);
    double radius_squared = radius * radius;
    uint32_t found = 0;
    uint32_t waiting[TRNI_BVH_STACK]; /* enough: see TRNI_BVH_STACK */
    uint32_t waiting_count = 0;
    if (bvh->count != 0) waiting[waiting_count++] = 0;
    while (waiting_count != 0) {
        const trni_bvh_node *node = &bvh->nodes[waiting[--waiting_count]];
        while (node && node->count == 0) {
            const trni_bvh_node *left = &bvh->nodes[node->first], *right = left + 1;
            bool reaches_left = sphere_reaches_node(&sphere, left), reaches_right = sphere_reaches_node(&sphere, right);
            if (reaches_left && reaches_right) waiting[waiting_count++] = node->first + 1;
            node = reaches_left ? left : reaches_right ? right : NULL;
        }
        if (!node) continue;
        for (uint32_t i = node->first; i < node->first + node->count; i++) {
            double squared = box_distance_squared(&bvh->boxes[i], center);
            if (!(squared <= radius_squared)) continue;
            if (found < capacity) {
                ids[found] = bvh->ids[i];
                if (distances_squared) distances_squared[found] = squared;
            }
            found++;
        }
    }
    *count = found;
    return TRN_OK;
}

/* ---- box ---- */

static inline bool boxes_touch(const trn_world_box *a, const trn_world_box *b) {
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] && b->min[1] <= a->max[1] &&
           a->min[2] <= b->max[2] && b->min[2] <= a->max[2];
}

static inline bool box_reaches_node(const trn_box *box, const trni_bvh_node *node) {
    return box->min[0] <= node->max[0] && node->min[0] <= box->max[0] && box->min[1] <= node->max[1] &&
           node->min[1] <= box->max[1] && box->min[2] <= node->max[2] && node->min[2] <= box->max[2];
}

trn_result trn_bvh_query_box(const trn_bvh *bvh, const trn_world_box *box, uint32_t *ids, uint32_t capacity,
                             uint32_t *count) {
    if (!bvh || !box || !count || (capacity != 0 && !ids) || !trni_bvh_box_is_sound(box)) return TRN_ERROR_ARGUMENT;
    trn_box outer; /* outward like the nodes, so boxes that touch in doubles touch in floats */
    for (int a = 0; a < 3; a++) {
        outer.min[a] = trni_bvh_float_below(box->min[a], bvh->origin[a]);
        outer.max[a] = trni_bvh_float_above(box->max[a], bvh->origin[a]);
    }
    uint32_t found = 0;
    uint32_t waiting[TRNI_BVH_STACK]; /* enough: see TRNI_BVH_STACK */
    uint32_t waiting_count = 0;
    if (bvh->count != 0) waiting[waiting_count++] = 0;
    while (waiting_count != 0) {
        const trni_bvh_node *node = &bvh->nodes[waiting[--waiting_count]];
        while (node && node->count == 0) {
            const trni_bvh_node *left = &bvh->nodes[node->first], *right = left + 1;
            bool reaches_left = box_reaches_node(&outer, left), reaches_right = box_reaches_node(&outer, right);
            if (reaches_left && reaches_right) waiting[waiting_count++] = node->first + 1;
            node = reaches_left ? left : reaches_right ? right : NULL;
        }
        if (!node) continue;
        for (uint32_t i = node->first; i < node->first + node->count; i++) {
            if (!boxes_touch(&bvh->boxes[i], box)) continue;
            if (found < capacity) ids[found] = bvh->ids[i];
            found++;
        }
    }
    *count = found;
    return TRN_OK;
}
