/* SPDX-License-Identifier: MIT */
/* What the library's number does not say about a step.
 *
 * Islands that vanish: the library collapses small ones to nothing, which costs it almost nothing. Lengths, when attributes
 * steered it: then the library's number is no length. In both cases each vertex that vanished is measured against the
 * triangles that the group has left, and the largest distance is the step's; no vertex of a vanished island counts for
 * more than the island's size, because the group may have nothing else near it. Vertices only, one way only: a sample,
 * not a bound. */
#include "cook_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct flat_triangle {
    double a[3], b[3], c[3];
    double center[3], radius;
} flat_triangle;

typedef struct trni_island {
    double low[3], high[3];
    bool kept;
} trni_island;

void trni_distance_scratch_free(const trn_allocator *allocator, trni_distance_scratch *scratch) {
    trni_array_free(allocator, &scratch->triangles);
    trni_array_free(allocator, &scratch->kept);
    trni_array_free(allocator, &scratch->islands);
    trni_array_free(allocator, &scratch->boxes);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double squared_distance(const double a[3], const double b[3]) {
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return dot(d, d);
}

/* Nearest point of a triangle by the regions around it (Ericson, "Real-Time Collision Detection", 5.1.5). */
static double squared_distance_to_triangle(const double p[3], const flat_triangle *t) {
    double ab[3], ac[3], ap[3], bp[3], cp[3], near_point[3];
    for (int k = 0; k < 3; k++) {
        ab[k] = t->b[k] - t->a[k];
        ac[k] = t->c[k] - t->a[k];
        ap[k] = p[k] - t->a[k];
        bp[k] = p[k] - t->b[k];
        cp[k] = p[k] - t->c[k];
    }
    double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return dot(ap, ap);
    double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return dot(bp, bp);
    double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return dot(cp, cp);
    double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4, v = 0, w = 0;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 - d3 > 0 ? d1 / (d1 - d3) : 0;
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        w = d2 - d6 > 0 ? d2 / (d2 - d6) : 0;
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        double sum = (d4 - d3) + (d5 - d6);
        w = sum > 0 ? (d4 - d3) / sum : 0;
        v = 1 - w;
    } else {
        double sum = va + vb + vc;
        v = vb / sum;
        w = vc / sum;
    }
    for (int k = 0; k < 3; k++) near_point[k] = t->a[k] + ab[k] * v + ac[k] * w;
    return squared_distance(p, near_point);
}

static void place_cell(const trni_cook *cook, const trni_patch *patch, uint32_t place, double at[3]) {
    const uint16_t *cell = (const uint16_t *)cook->cells.data + 3 * (size_t)((const uint32_t *)patch->place_positions.data)[place];
    for (int k = 0; k < 3; k++) at[k] = cell[k];
}

/* Joins places by triangles and notes, for each island under its smallest place: its box, and whether any of it is kept. */
static void find_islands(const trni_cook *cook, const trni_patch *patch, trni_distance_scratch *scratch) {
    uint32_t *island = scratch->islands.data;
    trni_island *all = scratch->boxes.data;
    const uint8_t *kept = scratch->kept.data;
    const uint32_t *corners = patch->corners.data, *places = patch->vertex_places.data;
    for (uint32_t i = 0; i < patch->place_count; i++) {
        island[i] = i;
        all[i] = (trni_island){.low = {DBL_MAX, DBL_MAX, DBL_MAX}, .high = {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
    }
    for (size_t i = 0; i < 3 * patch->triangle_count; i++) {
        uint32_t a = places[corners[i]], b = places[corners[i - i % 3]];
        while (island[a] != a) a = island[a] = island[island[a]];
        while (island[b] != b) b = island[b] = island[island[b]];
        if (a < b) island[b] = a;
        if (b < a) island[a] = b;
    }
    for (uint32_t i = 0; i < patch->place_count; i++) {
        island[i] = island[island[i]]; /* its parent is smaller, so done */
        trni_island *to = &all[island[i]];
        double at[3];
        place_cell(cook, patch, i, at);
        for (int k = 0; k < 3; k++) {
            to->low[k] = fmin(to->low[k], at[k]);
            to->high[k] = fmax(to->high[k], at[k]);
        }
        to->kept = to->kept || kept[i];
    }
}

/* `all`: all vertices that vanished, else only those whose island vanished. */
static double vertex_distance(const trni_cook *cook, const trni_patch *patch, trni_distance_scratch *scratch, bool all) {
    flat_triangle *triangles = scratch->triangles.data;
    const uint32_t *corners = patch->out_corners.data, *places = patch->vertex_places.data, *island = scratch->islands.data;
    const uint8_t *kept = scratch->kept.data;
    const trni_island *islands = scratch->boxes.data;
    for (size_t i = 0; i < patch->out_count; i++) {
        flat_triangle *t = &triangles[i];
        place_cell(cook, patch, places[corners[3 * i]], t->a);
        place_cell(cook, patch, places[corners[3 * i + 1]], t->b);
        place_cell(cook, patch, places[corners[3 * i + 2]], t->c);
        for (int k = 0; k < 3; k++) t->center[k] = (t->a[k] + t->b[k] + t->c[k]) / 3.0;
        double farthest = fmax(squared_distance(t->center, t->a),
                               fmax(squared_distance(t->center, t->b), squared_distance(t->center, t->c)));
        t->radius = sqrt(farthest) * 1.000001;
    }
    double largest = 0;
    size_t hint = 0;
    for (uint32_t place = 0; place < patch->place_count; place++) {
        const trni_island *home = &islands[island[place]];
        if (kept[place] || (home->kept && !all)) continue;
        double p[3], most = home->kept ? DBL_MAX : squared_distance(home->low, home->high);
        place_cell(cook, patch, place, p);
        double best = squared_distance_to_triangle(p, &triangles[hint]), best_length = sqrt(best);
        for (size_t i = 0; i < patch->out_count && best > largest; i++) {
            double reach = best_length + triangles[i].radius;
            if (squared_distance(p, triangles[i].center) >= reach * reach) continue;
            double here = squared_distance_to_triangle(p, &triangles[i]);
            if (here < best) {
                best = here;
                best_length = sqrt(best);
                hint = i;
            }
        }
        best = fmin(best, most);
        if (best > largest) largest = best;
    }
    return sqrt(largest);
}

trn_result trni_step_distance(const trni_cook *cook, const trni_patch *patch, trni_distance_scratch *scratch, bool all,
                              double *distance) {
    const trn_allocator *allocator = &cook->allocator;
    if (!trni_array_reserve(allocator, &scratch->triangles, patch->out_count, sizeof(flat_triangle)) ||
        !trni_array_reserve(allocator, &scratch->islands, patch->place_count, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &scratch->boxes, patch->place_count, sizeof(trni_island)) ||
        !trni_array_reserve(allocator, &scratch->kept, patch->place_count, 1))
        return TRN_ERROR_OUT_OF_MEMORY;
    uint8_t *kept = scratch->kept.data;
    const uint32_t *corners = patch->out_corners.data, *places = patch->vertex_places.data;
    memset(kept, 0, patch->place_count);
    for (size_t i = 0; i < 3 * patch->out_count; i++) kept[places[corners[i]]] = 1;
    find_islands(cook, patch, scratch);
    const uint32_t *island = scratch->islands.data;
    const trni_island *islands = scratch->boxes.data;
    bool any = all;
    for (uint32_t i = 0; i < patch->place_count && !any; i++) any = island[i] == i && !islands[i].kept;
    *distance = any ? vertex_distance(cook, patch, scratch, all) : 0;
    return TRN_OK;
}
