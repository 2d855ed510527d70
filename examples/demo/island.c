/* SPDX-License-Identifier: MIT */
/* Heights: a round mask with a noisy coast rises from the sea floor over a beach; inland come hills, then ridges.
 * Two flat places are pressed into it. */
#include "island.h"

#include <math.h>
#include <stddef.h>

static double lattice(int64_t x, int64_t z, uint32_t seed) {
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)z * 0xd8163841u ^ seed * 0xcb1ab31fu;
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    h ^= h >> 16;
    return (double)h * (1.0 / 4294967295.0);
}

static double smooth(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }

static double mix(double a, double b, double t) { return a + (b - a) * t; }

/* 0 below `low`, 1 above `high`, smooth between. */
static double ramp(double low, double high, double value) {
    double t = (value - low) / (high - low);
    return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t);
}

static double value_noise(double x, double z, uint32_t seed) {
    double fx = floor(x), fz = floor(z);
    int64_t ix = (int64_t)fx, iz = (int64_t)fz;
    double u = smooth(x - fx), v = smooth(z - fz);
    return mix(mix(lattice(ix, iz, seed), lattice(ix + 1, iz, seed), u),
               mix(lattice(ix, iz + 1, seed), lattice(ix + 1, iz + 1, seed), u), v);
}

double island_noise(double x, double z, uint32_t octaves, uint32_t seed) {
    double sum = 0, weight = 0.5, total = 0;
    for (uint32_t i = 0; i < octaves; i++) {
        sum += weight * value_noise(x, z, seed + i);
        total += weight;
        /* Turned by about 37 degrees each time, so that the lattices do not line up. */
        double turned = 1.6 * x + 1.2 * z;
        z = 1.6 * z - 1.2 * x;
        x = turned;
        weight *= 0.5;
    }
    return sum / total;
}

/* Sharp crests where the noise crosses its middle, 0..1. */
static double ridges(double x, double z, uint32_t seed) {
    double sum = 0, weight = 0.5, total = 0, carry = 1;
    for (uint32_t i = 0; i < 6; i++) {
        double n = 1 - fabs(2 * value_noise(x, z, seed + i) - 1);
        n *= n;
        sum += weight * n * carry;
        total += weight;
        carry = mix(0.35, 1, n);
        double turned = 1.6 * x + 1.2 * z;
        z = 1.6 * z - 1.2 * x;
        x = turned;
        weight *= 0.5;
    }
    return sum / total;
}

static double wild_height(double x, double z) {
    double cx = (x - ISLAND_SIZE / 2.0) / 1500, cz = (z - ISLAND_SIZE / 2.0) / 1500;
    double coast = 0.80 - sqrt(cx * cx + cz * cz) + 0.34 * (island_noise(x / 620, z / 620, 4, 11) - 0.5);
    if (coast < 0) return 110 * coast;
    double beach = 45 * coast * ramp(0, 0.10, coast) + 14 * coast;
    double hills = ramp(0.03, 0.22, coast) * 42 * island_noise(x / 260, z / 260, 5, 23);
    double peak = ramp(0.20, 0.62, coast) * ramp(0.36, 0.66, island_noise(x / 900, z / 900, 3, 37));
    double mountains = 520 * peak * ridges(x / 640, z / 640, 41);
    return beach + hills + mountains;
}

static double flatten(double height, double x, double z, double px, double pz, double radius, double level) {
    double distance = sqrt((x - px) * (x - px) + (z - pz) * (z - pz));
    return mix(level, height, ramp(radius, radius + 90, distance));
}

double island_height(double x, double z) {
    double height = wild_height(x, z);
    height = flatten(height, x, z, ISLAND_PLAZA_X, ISLAND_PLAZA_Z, ISLAND_PLAZA_RADIUS, 42);
    height = flatten(height, x, z, ISLAND_VILLAGE_X, ISLAND_VILLAGE_Z, ISLAND_VILLAGE_RADIUS, 30);
    return floor(height / ISLAND_GRAIN + 0.5) * ISLAND_GRAIN;
}

double island_wood(double x, double z) { return island_noise(x / 190, z / 190, 3, 53); }

void island_normal(double x, double z, float normal[3]) {
    double dx = island_height(x - 2, z) - island_height(x + 2, z);
    double dz = island_height(x, z - 2) - island_height(x, z + 2);
    double length = sqrt(dx * dx + 16 + dz * dz);
    normal[0] = (float)(dx / length);
    normal[1] = (float)(4 / length);
    normal[2] = (float)(dz / length);
}

void island_origin(const double position[3], double origin[3]) {
    for (int i = 0; i < 3; i++) origin[i] = floor(position[i]);
}
