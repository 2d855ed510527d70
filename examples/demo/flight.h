/* SPDX-License-Identifier: MIT */
/* The camera's path: from the shore over woods and village up to an overview, a jump to the plaza, around the
 * dragon, out. */
#ifndef DEMO_FLIGHT_H
#define DEMO_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#define FLIGHT_FRAMES 600
#define FLIGHT_TELEPORT 300 /* the first frame at the new place */
#define FLIGHT_PICTURES 8

typedef struct flight_pose {
    double position[3];
    double target[3]; /* a point that the camera looks at */
} flight_pose;

/* The pose of a frame, 0 <= frame < FLIGHT_FRAMES; never less than eye height above the ground or the sea. */
flight_pose flight_at(uint32_t frame);

/* Frames that become pictures, rising. */
extern const uint32_t flight_pictures[FLIGHT_PICTURES];
bool flight_is_picture(uint32_t frame);

#endif
