/* SPDX-License-Identifier: MIT */
/* Which clusters are simplified together.
 *
 * Groups grow from single clusters: the smallest one is merged with the neighbour with which it shares the most edges for
 * that neighbour's border, as long as the sum stays within 4/3 of the size asked for. What a group shares with others
 * cannot be simplified, so short borders matter more than equal sizes. Groups that stay small because nothing fits
 * are put together by distance. Groups come out along a Morton curve, which is also their order in the file. */
#include "cook_internal.h"

#include <math.h>
#include <string.h>

#define CLUSTER_EDGES 1024u /* slots for the at most 378 edges of a cluster */
#define MOST_PARTNERS 3u    /* of one use of an edge; bounds the work where thousands of triangles share one */
#define WINDOW 24u          /* candidates for merging by distance */

typedef struct grouper {
    const trni_cook *cook;
    const uint32_t *active;
    uint32_t count;
    uint32_t target;
    uint32_t cap;
    /* neighbours of cluster i: [first[i], first[i + 1]) */
    trni_array first, neighbors, weights;
    /* groups, named by their smallest cluster */
    trni_array root, next, tail, size, border;
    trni_array heap; /* u64: size, root */
    size_t heap_count;
    trni_array shared, touched;
    trni_array keys, values, scratch_keys, scratch_values;
} grouper;

void trni_grouping_free(const trn_allocator *allocator, trni_grouping *grouping) {
    trni_array_free(allocator, &grouping->first);
    trni_array_free(allocator, &grouping->members);
}

static void grouper_free(grouper *g) {
    trni_array *arrays[] = {&g->first, &g->neighbors, &g->weights, &g->root, &g->next, &g->tail, &g->size, &g->border, &g->heap,
                            &g->shared, &g->touched, &g->keys, &g->values, &g->scratch_keys, &g->scratch_values};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) trni_array_free(&g->cook->allocator, arrays[i]);
}

static bool reserve_keys(grouper *g, size_t count) {
    const trn_allocator *allocator = &g->cook->allocator;
    return trni_array_reserve(allocator, &g->keys, count, sizeof(uint64_t)) &&
           trni_array_reserve(allocator, &g->values, count, sizeof(uint32_t)) &&
           trni_array_reserve(allocator, &g->scratch_keys, count, sizeof(uint64_t)) &&
           trni_array_reserve(allocator, &g->scratch_values, count, sizeof(uint32_t));
}

static void sort_keys(grouper *g, size_t count) {
    trni_sort_u64(g->keys.data, g->values.data, g->scratch_keys.data, g->scratch_values.data, count);
}

/* Edges of each cluster that are not used exactly twice inside it: key = pair of positions, value = cluster. */
static trn_result list_border_edges(grouper *g, size_t *edge_count) {
    const trni_cook *cook = g->cook;
    const trni_cook_cluster *clusters = cook->clusters.data;
    const uint32_t *wedge_positions = cook->wedge_positions.data;
    uint64_t slots[CLUSTER_EDGES];
    uint16_t uses[CLUSTER_EDGES], order[3 * TRNI_CLUSTER_TRIANGLES];
    memset(slots, 0, sizeof slots);
    size_t total = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const trni_cook_cluster *cluster = &clusters[g->active[i]];
        const uint32_t *vertices = (const uint32_t *)cook->cluster_vertices.data + cluster->first_vertex;
        const uint8_t *corners = (const uint8_t *)cook->cluster_corners.data + cluster->first_corner;
        size_t found = 0;
        for (size_t t = 0; t < cluster->triangle_count; t++)
            for (size_t k = 0; k < 3; k++) {
                uint32_t a = wedge_positions[vertices[corners[3 * t + k]]];
                uint32_t b = wedge_positions[vertices[corners[3 * t + (k + 1) % 3]]];
                uint64_t key = (a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) + 1;
                size_t slot = (size_t)trni_mix_u64(key) & (CLUSTER_EDGES - 1);
                while (slots[slot] && slots[slot] != key) slot = (slot + 1) & (CLUSTER_EDGES - 1);
                if (!slots[slot]) {
                    slots[slot] = key;
                    uses[slot] = 0;
                    order[found++] = (uint16_t)slot;
                }
                uses[slot]++;
            }
        if (!reserve_keys(g, total + found)) return TRN_ERROR_OUT_OF_MEMORY;
        for (size_t e = 0; e < found; e++) {
            if (uses[order[e]] != 2) {
                ((uint64_t *)g->keys.data)[total] = slots[order[e]];
                ((uint32_t *)g->values.data)[total++] = i;
            }
            slots[order[e]] = 0;
        }
    }
    *edge_count = total;
    return TRN_OK;
}

/* How many edges each two clusters share. */
static trn_result find_neighbors(grouper *g) {
    const trn_allocator *allocator = &g->cook->allocator;
    size_t edges;
    trn_result result = list_border_edges(g, &edges);
    if (result != TRN_OK) return result;
    sort_keys(g, edges);
    trni_array pairs = {0};
    if (!trni_array_reserve(allocator, &pairs, edges * MOST_PARTNERS, sizeof(uint64_t))) return TRN_ERROR_OUT_OF_MEMORY;
    uint64_t *pair = pairs.data;
    const uint64_t *keys = g->keys.data;
    const uint32_t *values = g->values.data;
    size_t pair_count = 0;
    for (size_t i = 0; i < edges; i++)
        for (size_t j = i + 1; j < edges && j <= i + MOST_PARTNERS && keys[j] == keys[i]; j++)
            pair[pair_count++] = (uint64_t)values[i] << 32 | values[j];
    bool ok = reserve_keys(g, pair_count) &&
              trni_array_reserve(allocator, &g->first, (size_t)g->count + 2, sizeof(uint32_t)) &&
              trni_array_reserve(allocator, &g->neighbors, 2 * pair_count, sizeof(uint32_t)) &&
              trni_array_reserve(allocator, &g->weights, 2 * pair_count, sizeof(uint32_t));
    if (ok) {
        uint64_t *sorted = g->keys.data;
        uint32_t *weights = g->values.data, *first = g->first.data;
        memcpy(sorted, pair, pair_count * sizeof *sorted);
        memset(weights, 0, pair_count * sizeof *weights);
        sort_keys(g, pair_count);
        size_t unique = 0;
        for (size_t i = 0; i < pair_count; i++) {
            if (unique == 0 || sorted[unique - 1] != sorted[i]) {
                sorted[unique] = sorted[i];
                weights[unique++] = 0;
            }
            weights[unique - 1]++;
        }
        memset(first, 0, ((size_t)g->count + 2) * sizeof *first);
        for (size_t i = 0; i < unique; i++) {
            first[(uint32_t)(sorted[i] >> 32) + 2]++;
            first[(uint32_t)sorted[i] + 2]++;
        }
        for (uint32_t i = 0; i <= g->count; i++) first[i + 1] += first[i];
        for (size_t i = 0; i < unique; i++) {
            uint32_t a = (uint32_t)(sorted[i] >> 32), b = (uint32_t)sorted[i];
            uint32_t at_a = first[a + 1]++, at_b = first[b + 1]++;
            ((uint32_t *)g->neighbors.data)[at_a] = b;
            ((uint32_t *)g->neighbors.data)[at_b] = a;
            ((uint32_t *)g->weights.data)[at_a] = ((uint32_t *)g->weights.data)[at_b] = weights[i];
        }
    }
    trni_array_free(allocator, &pairs);
    return ok ? TRN_OK : TRN_ERROR_OUT_OF_MEMORY;
}

/* ---- a heap of groups, the smallest first ---- */

static void heap_push(grouper *g, uint64_t key) { /* room was made: each merge takes one group off for the one it adds */
    uint64_t *heap = g->heap.data;
    size_t at = g->heap_count++;
    for (; at > 0 && heap[(at - 1) / 2] > key; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = key;
}

static uint64_t heap_pop(grouper *g) {
    uint64_t *heap = g->heap.data, top = heap[0], last = heap[--g->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= g->heap_count) break;
        if (child + 1 < g->heap_count && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= last) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* The members of b follow those of a; returns the new name. */
static uint32_t merge(grouper *g, uint32_t a, uint32_t b, uint32_t shared_edges) {
    uint32_t *root = g->root.data, *next = g->next.data, *tail = g->tail.data, *size = g->size.data, *border = g->border.data;
    if (b < a) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    for (uint32_t i = b; i != TRNI_NONE; i = next[i]) root[i] = a;
    next[tail[a]] = b;
    tail[a] = tail[b];
    size[a] += size[b];
    size[b] = 0;
    border[a] = border[a] + border[b] - 2 * shared_edges;
    return a;
}

static void merge_by_edges(grouper *g) {
    const uint32_t *root = g->root.data, *next = g->next.data, *size = g->size.data, *border = g->border.data;
    const uint32_t *first = g->first.data, *neighbors = g->neighbors.data, *weights = g->weights.data;
    uint32_t *shared = g->shared.data, *touched = g->touched.data;
    while (g->heap_count > 0) {
        uint64_t key = heap_pop(g);
        uint32_t group = (uint32_t)key;
        if (root[group] != group || size[group] != key >> 32 || size[group] >= g->target) continue;
        size_t found = 0;
        for (uint32_t i = group; i != TRNI_NONE; i = next[i])
            for (uint32_t e = first[i]; e < first[i + 1]; e++) {
                uint32_t other = root[neighbors[e]];
                if (other == group || size[other] + size[group] > g->cap) continue;
                if (shared[other] == 0) touched[found++] = other;
                shared[other] += weights[e];
            }
        uint32_t best = TRNI_NONE;
        double best_score = -1;
        for (size_t i = 0; i < found; i++) {
            uint32_t other = touched[i];
            double score = (double)shared[other] / sqrt((double)border[other]);
            if (score > best_score || (!(score < best_score) && other < best)) {
                best = other;
                best_score = score;
            }
        }
        uint32_t best_shared = best == TRNI_NONE ? 0 : shared[best];
        for (size_t i = 0; i < found; i++) shared[touched[i]] = 0;
        if (best == TRNI_NONE) continue;
        uint32_t merged = merge(g, group, best, best_shared);
        heap_push(g, (uint64_t)size[merged] << 32 | merged);
    }
}

/* ---- order in space ---- */

static uint64_t spread_bits(uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static void group_center(const grouper *g, uint32_t group, double center[3]) {
    const trni_cook_cluster *clusters = g->cook->clusters.data;
    const uint32_t *next = g->next.data;
    double count = 0;
    center[0] = center[1] = center[2] = 0;
    for (uint32_t i = group; i != TRNI_NONE; i = next[i], count += 1)
        for (int k = 0; k < 3; k++) center[k] += (double)clusters[g->active[i]].sphere.center[k];
    for (int k = 0; k < 3; k++) center[k] /= count;
}

/* Lists the groups no larger than `most` along a Morton curve in values; returns how many. */
static size_t list_groups(grouper *g, uint32_t most) {
    const uint32_t *root = g->root.data, *size = g->size.data;
    uint64_t *keys = g->keys.data;
    uint32_t *values = g->values.data;
    size_t found = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        if (root[i] != i || size[i] > most) continue;
        double center[3];
        uint64_t code = 0;
        group_center(g, i, center);
        for (int k = 0; k < 3; k++) {
            double cell = (center[k] - g->cook->grid_origin[k]) / g->cook->grid_step;
            if (!(cell > 0)) cell = 0;
            if (cell > 65535.0) cell = 65535.0;
            code |= spread_bits((uint64_t)(cell * 16.0)) << k;
        }
        keys[found] = code;
        values[found++] = i;
    }
    sort_keys(g, found);
    return found;
}

static void merge_by_distance(grouper *g) {
    const uint32_t *root = g->root.data, *size = g->size.data;
    uint32_t small = g->target / 2;
    for (bool again = true; again;) { /* each round has fewer groups than the last */
        again = false;
        size_t found = list_groups(g, small);
        const uint32_t *order = g->values.data;
        for (size_t i = 0; i < found; i++) {
            uint32_t group = order[i];
            if (root[group] != group) continue;
            double center[3], best_distance = 0;
            uint32_t best = TRNI_NONE;
            group_center(g, group, center);
            for (size_t j = i + 1, seen = 0; j < found && j - i <= 8 * WINDOW && seen < WINDOW; j++) {
                uint32_t other = order[j];
                if (root[other] != other || size[other] + size[group] > g->cap) continue;
                double at[3], distance = 0;
                group_center(g, other, at);
                for (int k = 0; k < 3; k++) distance += (at[k] - center[k]) * (at[k] - center[k]);
                seen++;
                if (best == TRNI_NONE || distance < best_distance) {
                    best = other;
                    best_distance = distance;
                }
            }
            if (best == TRNI_NONE) continue;
            merge(g, group, best, 0);
            again = true;
        }
    }
}

static trn_result collect(grouper *g, trni_grouping *to) {
    const trn_allocator *allocator = &g->cook->allocator;
    const uint32_t *next = g->next.data;
    size_t groups = list_groups(g, g->count);
    if (!trni_array_reserve(allocator, &to->first, groups + 1, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &to->members, g->count, sizeof(uint32_t)))
        return TRN_ERROR_OUT_OF_MEMORY;
    uint32_t *first = to->first.data, *members = to->members.data, at = 0;
    const uint32_t *order = g->values.data;
    for (size_t i = 0; i < groups; i++) {
        first[i] = at;
        for (uint32_t m = order[i]; m != TRNI_NONE; m = next[m]) members[at++] = m;
    }
    first[groups] = at;
    to->group_count = (uint32_t)groups;
    return at == g->count ? TRN_OK : TRN_ERROR_INTERNAL;
}

static trn_result group_clusters(grouper *g, trni_grouping *to) {
    const trn_allocator *allocator = &g->cook->allocator;
    uint32_t count = g->count;
    trni_array *arrays[] = {&g->root, &g->next, &g->tail, &g->size, &g->border, &g->shared, &g->touched};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!trni_array_reserve(allocator, arrays[i], count, sizeof(uint32_t))) return TRN_ERROR_OUT_OF_MEMORY;
    if (!trni_array_reserve(allocator, &g->heap, count, sizeof(uint64_t)) || !reserve_keys(g, count))
        return TRN_ERROR_OUT_OF_MEMORY;
    trn_result result = find_neighbors(g);
    if (result != TRN_OK) return result;
    const uint32_t *first = g->first.data, *weights = g->weights.data;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t border = 0;
        for (uint32_t e = first[i]; e < first[i + 1]; e++) border += weights[e];
        ((uint32_t *)g->root.data)[i] = ((uint32_t *)g->tail.data)[i] = i;
        ((uint32_t *)g->next.data)[i] = TRNI_NONE;
        ((uint32_t *)g->size.data)[i] = 1;
        ((uint32_t *)g->border.data)[i] = border;
        ((uint32_t *)g->shared.data)[i] = 0;
    }
    if (count <= g->cap) { /* the end of a model: all that is left is simplified as one */
        for (uint32_t i = 1; i < count; i++) merge(g, 0, i, 0);
    } else {
        for (uint32_t i = 0; i < count; i++) heap_push(g, (uint64_t)1 << 32 | i);
        merge_by_edges(g);
        merge_by_distance(g);
    }
    return collect(g, to);
}

trn_result trni_group_clusters(const trni_cook *cook, const uint32_t *active, uint32_t count, uint32_t group_size,
                               trni_grouping *to) {
    grouper g = {.cook = cook, .active = active, .count = count, .target = group_size, .cap = group_size + group_size / 3};
    if (g.cap < 2) g.cap = 2;
    trn_result result = group_clusters(&g, to);
    grouper_free(&g);
    return result;
}
