/* SPDX-License-Identifier: MIT */
/* Spheres around spheres: a step towards the farthest one, with steps that shrink (Badoiu and Clarkson, "Smaller
 * core-sets for balls", 2003). The centre only decides the size; containment is made at the end by the radius. */
#include "cook_internal.h"

#include <float.h>
#include <math.h>

#define STEPS 24

static double reach(const double *sphere, const double center[3]) {
    double x = sphere[0] - center[0], y = sphere[1] - center[1], z = sphere[2] - center[2];
    return sqrt(x * x + y * y + z * z) + sphere[3];
}

static double farthest(const double *spheres, size_t count, const double center[3], size_t *which) {
    double most = -1;
    for (size_t i = 0; i < count; i++) {
        double here = reach(spheres + 4 * i, center);
        if (here > most) {
            most = here;
            *which = i;
        }
    }
    return most;
}

void trni_sphere_enclose(const double *spheres, size_t count, trn_sphere *to) {
    double low[3], high[3], center[3], best[3];
    for (int k = 0; k < 3; k++) {
        low[k] = DBL_MAX;
        high[k] = -DBL_MAX;
        for (size_t i = 0; i < count; i++) {
            double a = spheres[4 * i + (size_t)k], r = spheres[4 * i + 3];
            if (a - r < low[k]) low[k] = a - r;
            if (a + r > high[k]) high[k] = a + r;
        }
        center[k] = best[k] = 0.5 * (low[k] + high[k]);
    }
    double smallest = DBL_MAX;
    for (int step = 0; step < STEPS; step++) {
        size_t which = 0;
        double radius = farthest(spheres, count, center, &which);
        if (radius < smallest) {
            smallest = radius;
            for (int k = 0; k < 3; k++) best[k] = center[k];
        }
        const double *far_one = spheres + 4 * which;
        double distance = radius - far_one[3];
        if (!(distance > 0)) break; /* one sphere encloses all */
        double share = 1.0 / (step + 3.0) * (radius / distance);
        if (share > 0.5) share = 0.5;
        for (int k = 0; k < 3; k++) center[k] += (far_one[k] - center[k]) * share;
    }
    /* volatile: gcc 12 at -O2 drops the rounding when it makes vectors of this loop (its output is off by that rounding). */
    volatile float stored[3];
    for (int k = 0; k < 3; k++) {
        stored[k] = (float)best[k];
        to->center[k] = stored[k];
        best[k] = (double)stored[k];
    }
    size_t which = 0;
    double radius = farthest(spheres, count, best, &which) * 1.00001;
    to->radius = nextafterf((float)radius, FLT_MAX);
}
