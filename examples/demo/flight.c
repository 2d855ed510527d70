/* SPDX-License-Identifier: MIT */
/* Cubic Hermite curves through keys, with slopes from the neighbouring keys; a jump ends one curve and begins the
 * next. */
#include "flight.h"

#include <stddef.h>

#include "island.h"

static const double eye_height = 1.7;

typedef struct flight_key {
    double frame;
    double position[3]; /* y: above the sea */
    double target[3];
} flight_key;

static const flight_key to_overview[] = {
    {0, {1760, 3, 2752}, {1360, 12, 2640}},     {40, {1600, 6, 2682}, {1300, 10, 2560}},
    {80, {1500, 30, 2570}, {1240, 30, 2240}},   {130, {1340, 74, 2330}, {1216, 34, 2060}},
    {170, {1200, 44, 2160}, {1216, 34, 2048}},  {205, {1010, 120, 2130}, {1216, 60, 1800}},
    {250, {720, 420, 2420}, {1400, 120, 1500}}, {299, {420, 760, 2760}, {1500, 60, 1480}},
};

static const flight_key from_plaza[] = {
    {300, {1984 - 32, 52, 1248 - 12}, {1984, 50, 1248}},    {340, {1984 - 23, 49, 1248 + 11}, {1984, 50, 1248}},
    {400, {1984 + 2, 47, 1248 + 25}, {1984, 50, 1248}},     {450, {1984 + 24, 49, 1248 + 4}, {1984, 50, 1248}},
    {495, {1984 + 34, 54, 1248 + 24}, {1984, 49, 1248}},    {540, {1984 + 60, 90, 1248 + 130}, {1960, 50, 1200}},
    {599, {1984 + 420, 210, 1248 + 330}, {1850, 40, 1200}},
};

const uint32_t flight_pictures[FLIGHT_PICTURES] = {40, 85, 160, 225, 299, 302, 400, 590};

bool flight_is_picture(uint32_t frame) {
    for (int i = 0; i < FLIGHT_PICTURES; i++)
        if (flight_pictures[i] == frame) return true;
    return false;
}

static double slope(const flight_key *keys, size_t count, size_t key, const double *(*part)(const flight_key *),
                    int axis) {
    size_t before = key > 0 ? key - 1 : 0, after = key + 1 < count ? key + 1 : key;
    return (part(&keys[after])[axis] - part(&keys[before])[axis]) / (keys[after].frame - keys[before].frame);
}

static const double *position_of(const flight_key *key) { return key->position; }
static const double *target_of(const flight_key *key) { return key->target; }

static void follow(const flight_key *keys, size_t count, double frame, const double *(*part)(const flight_key *),
                   double out[3]) {
    size_t i = 0;
    while (i + 2 < count && keys[i + 1].frame <= frame) i++;
    double length = keys[i + 1].frame - keys[i].frame, t = (frame - keys[i].frame) / length, t2 = t * t, t3 = t2 * t;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (2 * t3 - 3 * t2 + 1) * part(&keys[i])[axis] + (3 * t2 - 2 * t3) * part(&keys[i + 1])[axis] +
                    length * ((t3 - 2 * t2 + t) * slope(keys, count, i, part, axis) +
                              (t3 - t2) * slope(keys, count, i + 1, part, axis));
}

flight_pose flight_at(uint32_t frame) {
    bool jumped = frame >= FLIGHT_TELEPORT;
    const flight_key *keys = jumped ? from_plaza : to_overview;
    size_t count = jumped ? sizeof from_plaza / sizeof from_plaza[0] : sizeof to_overview / sizeof to_overview[0];
    flight_pose pose;
    follow(keys, count, frame, position_of, pose.position);
    follow(keys, count, frame, target_of, pose.target);
    double ground = island_height(pose.position[0], pose.position[2]);
    double lowest = (ground > 0 ? ground : 0) + eye_height;
    if (pose.position[1] < lowest) pose.position[1] = lowest;
    return pose;
}
