/* SPDX-License-Identifier: MIT */
/* Edge collapses over positions: the way through where attributes hold the library's simplifier back.
 *
 * A collapse p -> q moves position p, with all its wedges, onto its neighbour q; triangles with both vanish. Moving
 * vertices is a map of the triangles onto new ones, and the border of the image is the image of the border (counted
 * modulo 2), so a border whose positions are locked stays as it is whatever is collapsed inside.
 *
 * The error of a position is the distance from q to the planes of p's triangles (for a real border also the distance
 * from p to the new border) plus the error that p already carried; the error of the whole is the largest of these. An
 * island that vanishes costs its size. A corner that moves takes the wedge of q to which an edge of its own surface
 * led, else the most alike of q's, those of its material first.
 *
 * Works in passes: all edges are rated, then collapsed from the cheapest on where they do not touch each other. */
#include "cook_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SHARPEST_TURN 0.2 /* cosine between a triangle before and after */

typedef struct collapser {
    const trni_cook *cook;
    trni_patch *patch;
    trni_collapse_scratch *scratch;
    size_t triangle_count; /* alive */
    bool relaxed;
    /* of this pass */
    const uint32_t *first; /* triangles of place i: list[first[i]] .. list[first[i + 1]] */
    const uint32_t *list;
    const uint32_t *border_first;
    const uint32_t *border_list; /* the other ends of its real border edges */
} collapser;

void trni_collapse_scratch_free(const trn_allocator *allocator, trni_collapse_scratch *s) {
    trni_array *arrays[] = {&s->triangles, &s->first_triangle, &s->triangle_list, &s->errors, &s->component, &s->component_size,
                            &s->edges, &s->edge_scratch, &s->edge_values, &s->edge_value_scratch, &s->edge_list,
                            &s->candidates, &s->touched, &s->border_first, &s->border_list, &s->links};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) trni_array_free(allocator, arrays[i]);
}

/* A candidate: p moves onto q. */
typedef struct candidate {
    uint32_t p, q;
    double error; /* of q afterwards */
    double cost;
} candidate;

static uint32_t place_of(const collapser *c, uint32_t vertex) { return ((const uint32_t *)c->patch->vertex_places.data)[vertex]; }

static void place_cell(const collapser *c, uint32_t place, double at[3]) {
    const uint16_t *cell =
        (const uint16_t *)c->cook->cells.data + 3 * (size_t)((const uint32_t *)c->patch->place_positions.data)[place];
    for (int k = 0; k < 3; k++) at[k] = cell[k];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double normal_of(const double a[3], const double b[3], const double c[3], double n[3]) {
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; k++) n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    return sqrt(dot(n, n));
}

static double distance_to_segment(const double p[3], const double a[3], const double b[3]) {
    double ab[3], ap[3], length = 0, along = 0, distance = 0;
    for (int k = 0; k < 3; k++) {
        ab[k] = b[k] - a[k];
        ap[k] = p[k] - a[k];
        length += ab[k] * ab[k];
        along += ab[k] * ap[k];
    }
    double t = length > 0 ? along / length : 0;
    if (t < 0) t = 0;
    if (t > 1) t = 1;
    for (int k = 0; k < 3; k++) distance += (ap[k] - t * ab[k]) * (ap[k] - t * ab[k]);
    return sqrt(distance);
}

/* Which corner of a triangle lies at a place; 3: none. */
static uint32_t corner_at(const collapser *c, uint32_t triangle, uint32_t place) {
    const uint32_t *v = (const uint32_t *)c->scratch->triangles.data + 3 * (size_t)triangle;
    for (uint32_t k = 0; k < 3; k++)
        if (place_of(c, v[k]) == place) return k;
    return 3;
}

/* The vertex at q that an edge of a triangle of this vertex leads to; TRNI_NONE: none. */
static uint32_t linked_vertex(const collapser *c, uint32_t vertex, uint32_t q) {
    uint32_t p = place_of(c, vertex);
    const uint32_t *triangles = c->scratch->triangles.data;
    for (uint32_t i = c->first[p]; i < c->first[p + 1]; i++) {
        const uint32_t *v = triangles + 3 * (size_t)c->list[i];
        if (v[0] != vertex && v[1] != vertex && v[2] != vertex) continue;
        uint32_t k = corner_at(c, c->list[i], q);
        if (k < 3) return v[k];
    }
    return TRNI_NONE;
}

static uint32_t most_alike(const collapser *c, uint32_t vertex, uint32_t q) {
    const float *features = c->patch->vertex_features.data;
    const uint32_t *parts = c->patch->vertex_parts.data, *triangles = c->scratch->triangles.data;
    uint32_t best = TRNI_NONE;
    double best_distance = DBL_MAX;
    for (uint32_t i = c->first[q]; i < c->first[q + 1]; i++) {
        uint32_t other = triangles[3 * (size_t)c->list[i] + corner_at(c, c->list[i], q)];
        double distance = parts[other] == parts[vertex] ? 0 : 1.0e20;
        for (size_t k = 0; k < TRNI_WEDGE_FLOATS; k++) {
            double d = (double)features[TRNI_WEDGE_FLOATS * (size_t)other + k] -
                       (double)features[TRNI_WEDGE_FLOATS * (size_t)vertex + k];
            distance += d * d;
        }
        if (distance < best_distance) {
            best = other;
            best_distance = distance;
        }
    }
    return best;
}

/* Rates p -> q. False: not allowed. */
static bool rate(const collapser *c, uint32_t p, uint32_t q, bool border_edge, candidate *to) {
    const uint8_t *locks = c->patch->place_locks.data;
    uint32_t border_begin = c->border_first[p], border_end = c->border_first[p + 1];
    if (locks[p] || (border_begin != border_end && !border_edge)) return false;
    double at_p[3], at_q[3], moved = 0, length = 0;
    place_cell(c, p, at_p);
    place_cell(c, q, at_q);
    for (int k = 0; k < 3; k++) length += (at_q[k] - at_p[k]) * (at_q[k] - at_p[k]);
    length = sqrt(length);
    const uint32_t *triangles = c->scratch->triangles.data;
    uint32_t staying = 0, torn = 0, previous = TRNI_NONE;
    for (uint32_t i = c->first[p]; i < c->first[p + 1]; i++) {
        if (corner_at(c, c->list[i], q) < 3) continue;
        staying++;
        const uint32_t *v = triangles + 3 * (size_t)c->list[i];
        double corner[3][3], before[3], after[3];
        uint32_t at = corner_at(c, c->list[i], p);
        for (uint32_t k = 0; k < 3; k++) place_cell(c, place_of(c, v[k]), corner[k]);
        double area = normal_of(corner[0], corner[1], corner[2], before);
        if (area > 0) {
            double off = 0;
            for (int k = 0; k < 3; k++) off += before[k] * (at_q[k] - at_p[k]);
            off = fabs(off) / area;
            if (off > moved) moved = off;
        }
        memcpy(corner[at], at_q, sizeof at_q);
        double area_after = normal_of(corner[0], corner[1], corner[2], after);
        if (!c->relaxed && area > 0 && !(dot(before, after) > SHARPEST_TURN * area * area_after)) return false;
        if (v[at] != previous) { /* a vertex that no edge leads over the seam tears its surface's attributes */
            previous = v[at];
            if (linked_vertex(c, v[at], q) == TRNI_NONE) torn++;
        }
    }
    bool alone = border_begin != border_end;
    for (uint32_t i = border_begin; i < border_end; i++) {
        uint32_t r = c->border_list[i];
        if (r == q) continue;
        double at_r[3];
        place_cell(c, r, at_r);
        double off = distance_to_segment(at_p, at_q, at_r);
        if (off > moved) moved = off;
        alone = false;
    }
    if (alone && length > moved) moved = length;
    if (staying == 0) { /* do p and q have any triangle left? */
        bool left = false;
        for (uint32_t i = c->first[q]; i < c->first[q + 1] && !left; i++) left = corner_at(c, c->list[i], p) == 3;
        double size = ((const double *)c->scratch->component_size.data)[((const uint32_t *)c->scratch->component.data)[p]];
        if (!left && size > moved) moved = size;
    }
    to->p = p;
    to->q = q;
    to->error = ((const double *)c->scratch->errors.data)[p] + moved;
    to->cost = to->error + length * (0.001 + (torn ? 0.25 : 0.0));
    return true;
}

static void collapse(collapser *c, const candidate *chosen) {
    uint32_t *triangles = c->scratch->triangles.data, *parts = c->patch->out_parts.data;
    uint32_t *links = c->scratch->links.data;
    /* Decide first, move then: linked_vertex reads the triangles. */
    for (uint32_t i = c->first[chosen->p]; i < c->first[chosen->p + 1]; i++) {
        uint32_t triangle = c->list[i];
        links[i] = TRNI_NONE;
        if (corner_at(c, triangle, chosen->q) < 3) continue;
        uint32_t vertex = triangles[3 * (size_t)triangle + corner_at(c, triangle, chosen->p)];
        links[i] = linked_vertex(c, vertex, chosen->q);
        if (links[i] == TRNI_NONE) links[i] = most_alike(c, vertex, chosen->q);
    }
    for (uint32_t i = c->first[chosen->p]; i < c->first[chosen->p + 1]; i++) {
        uint32_t triangle = c->list[i];
        if (links[i] == TRNI_NONE) {
            parts[triangle] = TRNI_NONE;
            c->triangle_count--;
        } else {
            triangles[3 * (size_t)triangle + corner_at(c, triangle, chosen->p)] = links[i];
        }
    }
    double *errors = c->scratch->errors.data;
    if (chosen->error > errors[chosen->q]) errors[chosen->q] = chosen->error;
}

/* Squeezes out dead triangles and lists the triangles of each place. */
static void list_triangles(collapser *c) {
    uint32_t *triangles = c->scratch->triangles.data, *parts = c->patch->out_parts.data;
    uint32_t *first = c->scratch->first_triangle.data, *list = c->scratch->triangle_list.data;
    size_t kept = 0;
    for (size_t t = 0; kept < c->triangle_count; t++) {
        if (parts[t] == TRNI_NONE) continue;
        for (size_t k = 0; k < 3; k++) triangles[3 * kept + k] = triangles[3 * t + k];
        parts[kept++] = parts[t];
    }
    uint32_t places = c->patch->place_count;
    memset(first, 0, ((size_t)places + 2) * sizeof *first);
    for (size_t i = 0; i < 3 * kept; i++) first[place_of(c, triangles[i]) + 2]++;
    for (uint32_t i = 0; i < places; i++) first[i + 2] += first[i + 1];
    for (size_t i = 0; i < 3 * kept; i++) list[first[place_of(c, triangles[i]) + 1]++] = (uint32_t)(i / 3);
    c->first = first;
    c->list = list;
}

/* Lists edges, once each, and the real borders of each place. Returns how many edges. */
static size_t list_edges(collapser *c) {
    const uint32_t *triangles = c->scratch->triangles.data, *shared_keys = c->patch->edge_keys.data;
    const uint8_t *shared_flags = c->patch->edge_flags.data;
    uint64_t *edges = c->scratch->edges.data;
    uint32_t *uses = c->scratch->edge_values.data, places = c->patch->place_count;
    size_t count = 3 * c->triangle_count, unique = 0;
    for (size_t i = 0; i < count; i++) {
        edges[i] = trni_edge_key(place_of(c, triangles[i]), place_of(c, triangles[i % 3 == 2 ? i - 2 : i + 1]));
        uses[i] = 0;
    }
    trni_sort_u64(edges, uses, c->scratch->edge_scratch.data, c->scratch->edge_value_scratch.data, count);
    for (size_t i = 0; i < count; i++) {
        if (unique == 0 || edges[unique - 1] != edges[i]) {
            edges[unique] = edges[i];
            uses[unique++] = 0;
        }
        uses[unique - 1]++;
    }
    uint32_t *first = c->scratch->border_first.data, *list = c->scratch->border_list.data;
    memset(first, 0, ((size_t)places + 2) * sizeof *first);
    for (size_t e = 0; e < unique; e++) {
        uint32_t key = (uint32_t)edges[e];
        bool border = uses[e] % 2 != 0;
        if (border) {
            size_t slot = (size_t)trni_mix_u64(key) & c->patch->edge_mask;
            while (shared_keys[slot] != TRNI_NONE && shared_keys[slot] != key) slot = (slot + 1) & c->patch->edge_mask;
            if (shared_keys[slot] == key && (shared_flags[slot] & TRNI_EDGE_SHARED)) border = false;
        }
        uses[e] = border;
        if (border) {
            first[(key >> 16) + 2]++;
            first[(key & 0xffffu) + 2]++;
        }
    }
    for (uint32_t i = 0; i < places; i++) first[i + 2] += first[i + 1];
    for (size_t e = 0; e < unique; e++) {
        uint32_t key = (uint32_t)edges[e];
        if (!uses[e]) continue;
        list[first[(key >> 16) + 1]++] = key & 0xffffu;
        list[first[(key & 0xffffu) + 1]++] = key >> 16;
    }
    c->border_first = first;
    c->border_list = list;
    return unique;
}

/* Costs as integers that sort like them: bits of a float that is not negative. */
static uint64_t cost_key(double cost) {
    float rounded = (float)cost;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

/* One pass; returns how many edges were collapsed. */
static size_t run_pass(collapser *c, size_t target, double *error) {
    list_triangles(c);
    size_t edge_count = list_edges(c), count = 0;
    const uint64_t *edges = c->scratch->edges.data;
    const uint32_t *borders = c->scratch->edge_values.data;
    candidate *candidates = c->scratch->candidates.data;
    for (size_t e = 0; e < edge_count; e++) {
        candidate there, back;
        uint32_t a = (uint32_t)edges[e] >> 16, b = (uint32_t)edges[e] & 0xffffu;
        bool can_go = rate(c, a, b, borders[e] != 0, &there), can_return = rate(c, b, a, borders[e] != 0, &back);
        if (can_go && (!can_return || there.cost <= back.cost)) candidates[count++] = there;
        else if (can_return) candidates[count++] = back;
    }
    uint64_t *keys = c->scratch->edges.data; /* the edges are done with */
    uint32_t *order = c->scratch->edge_values.data;
    for (size_t i = 0; i < count; i++) {
        keys[i] = cost_key(candidates[i].cost);
        order[i] = (uint32_t)i;
    }
    trni_sort_u64(keys, order, c->scratch->edge_scratch.data, c->scratch->edge_value_scratch.data, count);
    if (count == 0) return 0;
    /* What costs more than this waits for the next pass, when cheaper ones may have come free. */
    size_t wanted = (c->triangle_count - target) / 2;
    double limit = 1.5 * candidates[order[wanted < count ? wanted : count - 1]].cost;
    uint8_t *touched = c->scratch->touched.data;
    memset(touched, 0, c->patch->place_count);
    size_t done = 0;
    for (size_t i = 0; i < count && c->triangle_count > target; i++) {
        const candidate *chosen = &candidates[order[i]];
        if (chosen->cost > limit) break;
        if (touched[chosen->p] || touched[chosen->q]) continue;
        const uint32_t *triangles = c->scratch->triangles.data;
        for (int end = 0; end < 2; end++) {
            uint32_t place = end ? chosen->q : chosen->p;
            for (uint32_t k = c->first[place]; k < c->first[place + 1]; k++)
                for (size_t v = 0; v < 3; v++) touched[place_of(c, triangles[3 * (size_t)c->list[k] + v])] = 1;
        }
        collapse(c, chosen);
        if (chosen->error > *error) *error = chosen->error;
        done++;
    }
    return done;
}

/* Islands of the patch and the diagonals of their boxes. */
static void find_components(collapser *c) {
    uint32_t places = c->patch->place_count, *component = c->scratch->component.data;
    double *sizes = c->scratch->component_size.data;
    const uint32_t *corners = c->patch->corners.data;
    for (uint32_t i = 0; i < places; i++) component[i] = i;
    for (size_t i = 0; i < 3 * c->patch->triangle_count; i++) {
        uint32_t a = place_of(c, corners[i]), b = place_of(c, corners[i - i % 3]);
        while (component[a] != a) a = component[a] = component[component[a]];
        while (component[b] != b) b = component[b] = component[component[b]];
        if (a < b) component[b] = a;
        if (b < a) component[a] = b;
    }
    for (uint32_t i = 0; i < places; i++) /* parents have smaller numbers: one step is enough */
        component[i] = component[component[i]];
    double *boxes = c->scratch->errors.data; /* six numbers a place, before errors live there */
    for (uint32_t i = 0; i < places; i++)
        for (size_t k = 0; k < 3; k++) {
            boxes[6 * (size_t)i + k] = DBL_MAX;
            boxes[6 * (size_t)i + 3 + k] = -DBL_MAX;
        }
    for (uint32_t i = 0; i < places; i++) {
        double at[3], *box = boxes + 6 * (size_t)component[i];
        place_cell(c, i, at);
        for (size_t k = 0; k < 3; k++) {
            if (at[k] < box[k]) box[k] = at[k];
            if (at[k] > box[3 + k]) box[3 + k] = at[k];
        }
    }
    for (uint32_t i = 0; i < places; i++) {
        const double *box = boxes + 6 * (size_t)i;
        double sum = 0;
        for (size_t k = 0; k < 3; k++) sum += component[i] == i ? (box[3 + k] - box[k]) * (box[3 + k] - box[k]) : 0;
        sizes[i] = sqrt(sum);
    }
}

static trn_result reserve(const trn_allocator *allocator, trni_collapse_scratch *s, size_t triangles, size_t places) {
    struct {
        trni_array *array;
        size_t count, size;
    } wanted[] = {
        {&s->triangles, 3 * triangles, sizeof(uint32_t)},
        {&s->first_triangle, places + 2, sizeof(uint32_t)},
        {&s->triangle_list, 3 * triangles, sizeof(uint32_t)},
        {&s->errors, 6 * places, sizeof(double)},
        {&s->component, places, sizeof(uint32_t)},
        {&s->component_size, places, sizeof(double)},
        {&s->edges, 3 * triangles, sizeof(uint64_t)},
        {&s->edge_scratch, 3 * triangles, sizeof(uint64_t)},
        {&s->edge_values, 3 * triangles, sizeof(uint32_t)},
        {&s->edge_value_scratch, 3 * triangles, sizeof(uint32_t)},
        {&s->candidates, 3 * triangles, sizeof(candidate)},
        {&s->touched, places, 1},
        {&s->border_first, places + 2, sizeof(uint32_t)},
        {&s->border_list, 6 * triangles, sizeof(uint32_t)},
        {&s->links, 3 * triangles, sizeof(uint32_t)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!trni_array_reserve(allocator, wanted[i].array, wanted[i].count, wanted[i].size)) return TRN_ERROR_OUT_OF_MEMORY;
    return TRN_OK;
}

trn_result trni_collapse(const trni_cook *cook, trni_patch *patch, trni_collapse_scratch *scratch, size_t target, bool relaxed,
                         double *error) {
    trn_result result = reserve(&cook->allocator, scratch, patch->triangle_count, patch->place_count);
    if (result != TRN_OK) return result;
    collapser c = {.cook = cook, .patch = patch, .scratch = scratch, .relaxed = relaxed};
    c.triangle_count = patch->triangle_count;
    memcpy(scratch->triangles.data, patch->corners.data, 3 * patch->triangle_count * sizeof(uint32_t));
    memcpy(patch->out_parts.data, patch->triangle_parts.data, patch->triangle_count * sizeof(uint32_t));
    find_components(&c);
    memset(scratch->errors.data, 0, patch->place_count * sizeof(double));
    *error = 0;
    while (c.triangle_count > target && run_pass(&c, target, error) > 0) {}
    list_triangles(&c);
    memcpy(patch->out_corners.data, scratch->triangles.data, 3 * c.triangle_count * sizeof(uint32_t));
    patch->out_count = c.triangle_count;
    return TRN_OK;
}
