/* SPDX-License-Identifier: MIT */
/** @file
 * Plain vectors, boxes and poses. Right-handed, metres, column vectors. World positions are doubles, all else floats.
 */
#ifndef TERRANE_MATH_TYPES_H
#define TERRANE_MATH_TYPES_H

#include "base.h"

/** An axis-aligned box in floats; min <= max on each axis, infinite sides allowed. */
typedef struct trn_box {
    float min[3];
    float max[3];
} trn_box;

/** An axis-aligned box in world coordinates (metres, double). */
typedef struct trn_world_box {
    double min[3];
    double max[3];
} trn_world_box;

/** A sphere in the coordinates of its owner. */
typedef struct trn_sphere {
    float center[3];
    float radius; /**< >= 0 */
} trn_sphere;

/** Where something is and how it is turned. An all-zero rotation means none. */
typedef struct trn_pose {
    double position[3]; /**< metres */
    float rotation[4];  /**< unit quaternion x, y, z, w; within 1e-3 of unit length (it is normalised), or all zero */
} trn_pose;

#endif
