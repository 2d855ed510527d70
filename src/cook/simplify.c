/* SPDX-License-Identifier: MIT */
/* One group of clusters is simplified to about half.
 *
 * All materials go in together. A vertex of the patch is a (wedge, part) pair, so a border between materials looks to
 * the library like any other seam: both sides move as one, and the part of a triangle that comes out is that of its
 * vertices. Positions that several groups use are locked.
 *
 * No simplifier is trusted with the border. Counted modulo 2, the edges around a group are compared before and
 * after: each edge that another group uses as well must be there as often (odd or even) as before, and new border edges
 * may only join positions on a real border of the mesh. So whatever two groups are drawn at, their triangles meet in the
 * same edges.
 *
 * Ways, in order: meshoptimizer with attributes; own edge collapses (collapse.c), which treat all wedges of a position
 * as one and so get through seams, flat shading and material patchworks; the same without the check that triangles
 * do not turn over. What keeps more than 85 % of its triangles is stuck. */
#include "cook_internal.h"

#include <math.h>
#include <string.h>

#define ACCEPTED(before) ((before) / 100 * 85 + (before) % 100 * 85 / 100)

#define SEVERAL (TRNI_NONE - 1) /* as owner: more than one group */

static void patch_free(const trn_allocator *allocator, trni_patch *patch) {
    trni_array *arrays[] = {&patch->corners, &patch->triangle_parts, &patch->vertex_wedges, &patch->vertex_parts,
                            &patch->vertex_places, &patch->vertex_xyz, &patch->vertex_features, &patch->vertex_locks,
                            &patch->place_positions, &patch->place_locks, &patch->place_borders, &patch->edge_keys,
                            &patch->edge_flags, &patch->vertex_table, &patch->place_table, &patch->out_corners,
                            &patch->out_parts};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) trni_array_free(allocator, arrays[i]);
}

void trni_simplifier_free(const trn_allocator *allocator, trni_simplifier *simplifier) {
    trni_array_free(allocator, &simplifier->shared.keys);
    trni_array_free(allocator, &simplifier->shared.owners);
    trni_array_free(allocator, &simplifier->position_owner);
    trni_array_free(allocator, &simplifier->indices);
    trni_collapse_scratch_free(allocator, &simplifier->collapse);
    trni_distance_scratch_free(allocator, &simplifier->distance);
    patch_free(allocator, &simplifier->patch);
}

/* ---- what groups share ---- */

static uint64_t pair_key(uint32_t a, uint32_t b) { return (a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) + 1; }

static size_t shared_slot(const trni_shared_edges *shared, uint64_t key) {
    const uint64_t *keys = shared->keys.data;
    size_t slot = (size_t)trni_mix_u64(key) & shared->mask;
    while (keys[slot] && keys[slot] != key) slot = (slot + 1) & shared->mask;
    return slot;
}

/* True when another group than `group` had the edge when the level began. */
static bool others_use(const trni_shared_edges *shared, uint32_t group, uint32_t a, uint32_t b) {
    size_t slot = shared_slot(shared, pair_key(a, b));
    return ((const uint64_t *)shared->keys.data)[slot] && ((const uint32_t *)shared->owners.data)[slot] != group;
}

static bool is_between_groups(const uint32_t *owner, uint32_t position) { return owner[position] == SEVERAL; }

trn_result trni_simplify_begin(const trni_cook *cook, trni_simplifier *simplifier, const uint32_t *active,
                               const trni_grouping *grouping) {
    const trn_allocator *allocator = &cook->allocator;
    const trni_cook_cluster *clusters = cook->clusters.data;
    const uint32_t *first = grouping->first.data, *members = grouping->members.data;
    const uint32_t *wedge_positions = cook->wedge_positions.data;
    if (!trni_array_reserve(allocator, &simplifier->position_owner, cook->position_count, sizeof(uint32_t)))
        return TRN_ERROR_OUT_OF_MEMORY;
    uint32_t *owner = simplifier->position_owner.data;
    for (uint32_t i = 0; i < cook->position_count; i++) owner[i] = TRNI_NONE;
    for (uint32_t g = 0; g < grouping->group_count; g++)
        for (uint32_t m = first[g]; m < first[g + 1]; m++) {
            const trni_cook_cluster *cluster = &clusters[active[members[m]]];
            const uint32_t *vertices = (const uint32_t *)cook->cluster_vertices.data + cluster->first_vertex;
            for (uint32_t v = 0; v < cluster->vertex_count; v++) {
                uint32_t *at = &owner[wedge_positions[vertices[v]]];
                *at = *at == TRNI_NONE || *at == g ? g : SEVERAL;
            }
        }
    trni_shared_edges *shared = &simplifier->shared;
    for (int pass = 0; pass < 2; pass++) { /* count, then insert */
        size_t count = 0;
        for (uint32_t g = 0; g < grouping->group_count; g++)
            for (uint32_t m = first[g]; m < first[g + 1]; m++) {
                const trni_cook_cluster *cluster = &clusters[active[members[m]]];
                const uint32_t *vertices = (const uint32_t *)cook->cluster_vertices.data + cluster->first_vertex;
                const uint8_t *corners = (const uint8_t *)cook->cluster_corners.data + cluster->first_corner;
                for (size_t c = 0; c < 3 * (size_t)cluster->triangle_count; c++) {
                    uint32_t a = wedge_positions[vertices[corners[c]]];
                    uint32_t b = wedge_positions[vertices[corners[c % 3 == 2 ? c - 2 : c + 1]]];
                    if (!is_between_groups(owner, a) || !is_between_groups(owner, b)) continue;
                    count++;
                    if (pass == 0) continue;
                    uint64_t key = pair_key(a, b);
                    size_t slot = shared_slot(shared, key);
                    uint64_t *keys = shared->keys.data;
                    uint32_t *owners = shared->owners.data;
                    owners[slot] = !keys[slot] || owners[slot] == g ? g : SEVERAL;
                    keys[slot] = key;
                }
            }
        if (pass == 0) {
            size_t size = trni_table_size(count);
            if (!trni_array_reserve(allocator, &shared->keys, size, sizeof(uint64_t)) ||
                !trni_array_reserve(allocator, &shared->owners, size, sizeof(uint32_t)))
                return TRN_ERROR_OUT_OF_MEMORY;
            memset(shared->keys.data, 0, size * sizeof(uint64_t));
            shared->mask = size - 1;
        }
    }
    return TRN_OK;
}

/* ---- the patch ---- */

static trn_result reserve_patch(const trn_allocator *allocator, trni_patch *patch, size_t triangles, size_t vertices) {
    size_t table = trni_table_size(3 * triangles);
    patch->edge_mask = trni_table_size(6 * triangles) - 1; /* before and after */
    struct {
        trni_array *array;
        size_t count, size;
    } wanted[] = {
        {&patch->corners, 3 * triangles, sizeof(uint32_t)},
        {&patch->triangle_parts, triangles, sizeof(uint32_t)},
        {&patch->vertex_wedges, vertices, sizeof(uint32_t)},
        {&patch->vertex_parts, vertices, sizeof(uint32_t)},
        {&patch->vertex_places, vertices, sizeof(uint32_t)},
        {&patch->vertex_xyz, vertices, 3 * sizeof(float)},
        {&patch->vertex_features, vertices, TRNI_WEDGE_FLOATS * sizeof(float)},
        {&patch->vertex_locks, vertices, 1},
        {&patch->place_positions, vertices, sizeof(uint32_t)},
        {&patch->place_locks, vertices, 1},
        {&patch->place_borders, vertices, 1},
        {&patch->edge_keys, patch->edge_mask + 1, sizeof(uint32_t)},
        {&patch->edge_flags, patch->edge_mask + 1, 1},
        {&patch->vertex_table, table, sizeof(uint32_t)},
        {&patch->place_table, table, sizeof(uint32_t)},
        {&patch->out_corners, 3 * triangles, sizeof(uint32_t)},
        {&patch->out_parts, triangles, sizeof(uint32_t)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!trni_array_reserve(allocator, wanted[i].array, wanted[i].count, wanted[i].size)) return TRN_ERROR_OUT_OF_MEMORY;
    memset(patch->vertex_table.data, 0, table * sizeof(uint32_t));
    memset(patch->place_table.data, 0, table * sizeof(uint32_t));
    return TRN_OK;
}

static uint32_t patch_place(const trni_cook *cook, trni_patch *patch, const uint32_t *owner, uint32_t position, size_t mask) {
    uint32_t *table = patch->place_table.data, *positions = patch->place_positions.data;
    size_t slot = (size_t)trni_mix_u64(position) & mask;
    while (table[slot] && positions[table[slot] - 1] != position) slot = (slot + 1) & mask;
    if (!table[slot]) {
        const uint8_t *borders = cook->border_locks.data;
        uint32_t place = patch->place_count++;
        positions[place] = position;
        ((uint8_t *)patch->place_locks.data)[place] = is_between_groups(owner, position) || (borders && borders[position]);
        ((uint8_t *)patch->place_borders.data)[place] = 0;
        table[slot] = place + 1;
    }
    return table[slot] - 1;
}

static uint32_t patch_vertex(const trni_cook *cook, trni_patch *patch, const uint32_t *owner, uint32_t wedge, uint32_t part,
                             size_t mask) {
    uint32_t *table = patch->vertex_table.data, *wedges = patch->vertex_wedges.data, *parts = patch->vertex_parts.data;
    size_t slot = (size_t)trni_mix_u64((uint64_t)part << 32 | wedge) & mask;
    while (table[slot] && (wedges[table[slot] - 1] != wedge || parts[table[slot] - 1] != part)) slot = (slot + 1) & mask;
    if (!table[slot]) {
        uint32_t vertex = patch->vertex_count++;
        uint32_t position = ((const uint32_t *)cook->wedge_positions.data)[wedge];
        uint32_t place = patch_place(cook, patch, owner, position, mask);
        wedges[vertex] = wedge;
        parts[vertex] = part;
        ((uint32_t *)patch->vertex_places.data)[vertex] = place;
        ((uint8_t *)patch->vertex_locks.data)[vertex] = ((const uint8_t *)patch->place_locks.data)[place];
        memcpy((float *)patch->vertex_xyz.data + 3 * (size_t)vertex, (const float *)cook->positions.data + 3 * (size_t)position,
               3 * sizeof(float));
        memcpy((float *)patch->vertex_features.data + TRNI_WEDGE_FLOATS * (size_t)vertex,
               (const float *)cook->wedge_attributes.data + TRNI_WEDGE_FLOATS * (size_t)wedge, TRNI_WEDGE_FLOATS * sizeof(float));
        table[slot] = vertex + 1;
    }
    return table[slot] - 1;
}

static uint8_t *edge_flags(trni_patch *patch, uint32_t a, uint32_t b) {
    uint32_t key = trni_edge_key(a, b), *keys = patch->edge_keys.data;
    size_t slot = (size_t)trni_mix_u64(key) & patch->edge_mask;
    while (keys[slot] != TRNI_NONE && keys[slot] != key) slot = (slot + 1) & patch->edge_mask;
    if (keys[slot] == TRNI_NONE) {
        keys[slot] = key;
        ((uint8_t *)patch->edge_flags.data)[slot] = 0;
    }
    return (uint8_t *)patch->edge_flags.data + slot;
}

static bool place_edge_shared(const trni_patch *patch, const trni_shared_edges *shared, uint32_t group, uint32_t key) {
    const uint32_t *positions = patch->place_positions.data;
    const uint8_t *locks = patch->place_locks.data;
    uint32_t a = key >> 16, b = key & 0xffffu;
    return locks[a] && locks[b] && others_use(shared, group, positions[a], positions[b]);
}

static trn_result fill_patch(const trni_cook *cook, trni_simplifier *simplifier, const uint32_t *clusters, uint32_t count,
                             uint32_t group) {
    trni_patch *patch = &simplifier->patch;
    const trni_cook_cluster *all = cook->clusters.data;
    const uint32_t *owner = simplifier->position_owner.data;
    size_t triangles = 0, vertices = 0;
    for (uint32_t i = 0; i < count; i++) {
        triangles += all[clusters[i]].triangle_count;
        vertices += all[clusters[i]].vertex_count;
    }
    if (vertices > 0xffffu) return TRN_ERROR_INTERNAL; /* groups are of at most 85 clusters of 64 vertices */
    trn_result result = reserve_patch(&cook->allocator, patch, triangles, vertices);
    if (result != TRN_OK) return result;
    size_t mask = trni_table_size(3 * triangles) - 1;
    patch->vertex_count = patch->place_count = 0;
    patch->triangle_count = triangles;
    uint32_t *to = patch->corners.data, *parts = patch->triangle_parts.data;
    for (uint32_t i = 0; i < count; i++) {
        const trni_cook_cluster *cluster = &all[clusters[i]];
        const uint32_t *wedges = (const uint32_t *)cook->cluster_vertices.data + cluster->first_vertex;
        const uint8_t *corners = (const uint8_t *)cook->cluster_corners.data + cluster->first_corner;
        uint32_t local[TRNI_CLUSTER_VERTICES];
        for (uint32_t v = 0; v < cluster->vertex_count; v++)
            local[v] = patch_vertex(cook, patch, owner, wedges[v], cluster->part, mask);
        for (size_t c = 0; c < 3 * (size_t)cluster->triangle_count; c++) *to++ = local[corners[c]];
        for (uint32_t t = 0; t < cluster->triangle_count; t++) *parts++ = cluster->part;
    }

    uint32_t *keys = patch->edge_keys.data;
    for (size_t slot = 0; slot <= patch->edge_mask; slot++) keys[slot] = TRNI_NONE;
    const uint32_t *corners = patch->corners.data, *places = patch->vertex_places.data;
    for (size_t c = 0; c < 3 * triangles; c++)
        *edge_flags(patch, places[corners[c]], places[corners[c % 3 == 2 ? c - 2 : c + 1]]) ^= TRNI_EDGE_BEFORE;
    uint8_t *flags = patch->edge_flags.data, *borders = patch->place_borders.data;
    for (size_t slot = 0; slot <= patch->edge_mask; slot++) {
        if (keys[slot] == TRNI_NONE) continue;
        if (place_edge_shared(patch, &simplifier->shared, group, keys[slot])) flags[slot] |= TRNI_EDGE_SHARED;
        if (flags[slot] == TRNI_EDGE_BEFORE) borders[keys[slot] >> 16] = borders[keys[slot] & 0xffffu] = 1;
    }
    return TRN_OK;
}

/* True when the border that others see is as before. */
static bool border_holds(trni_simplifier *simplifier, uint32_t group) {
    trni_patch *patch = &simplifier->patch;
    const uint32_t *corners = patch->out_corners.data, *places = patch->vertex_places.data, *keys = patch->edge_keys.data;
    const uint8_t *borders = patch->place_borders.data;
    uint8_t *flags = patch->edge_flags.data;
    for (size_t slot = 0; slot <= patch->edge_mask; slot++)
        if (keys[slot] != TRNI_NONE) flags[slot] &= (uint8_t)~TRNI_EDGE_AFTER;
    for (size_t c = 0; c < 3 * patch->out_count; c++)
        *edge_flags(patch, places[corners[c]], places[corners[c % 3 == 2 ? c - 2 : c + 1]]) ^= TRNI_EDGE_AFTER;
    for (size_t slot = 0; slot <= patch->edge_mask; slot++) {
        if (keys[slot] == TRNI_NONE) continue;
        bool before = flags[slot] & TRNI_EDGE_BEFORE, after = flags[slot] & TRNI_EDGE_AFTER;
        if (before == after) continue;
        if ((flags[slot] & TRNI_EDGE_SHARED) || place_edge_shared(patch, &simplifier->shared, group, keys[slot])) return false;
        if (after && !(borders[keys[slot] >> 16] && borders[keys[slot] & 0xffffu])) return false;
    }
    return true;
}

/* Returns true when attributes took part, so that `error` is no length. */
static bool simplify_with_library(const trni_cook *cook, trni_simplifier *simplifier, size_t target, double *error) {
    trni_patch *patch = &simplifier->patch;
    float weights[TRNI_WEDGE_FLOATS];
    size_t weight_count = 0, first = 3;
    bool normals = cook->def.normal_weight > 0 && (cook->attributes & TRN_ATTRIBUTE_NORMAL);
    bool uvs = cook->def.uv_weight > 0 && (cook->attributes & TRN_ATTRIBUTE_UV0);
    if (normals) {
        first = 0;
        for (int k = 0; k < 3; k++) weights[weight_count++] = cook->def.normal_weight;
    }
    if (uvs)
        for (int k = 0; k < 2; k++) weights[weight_count++] = cook->def.uv_weight;
    float step;
    uint32_t *out = patch->out_corners.data, *out_parts = patch->out_parts.data;
    uint32_t *indices = simplifier->indices.data;
    size_t index_count = trni_meshopt_simplify(indices, patch->corners.data, 3 * patch->triangle_count, patch->vertex_xyz.data,
                                               patch->vertex_count, (const float *)patch->vertex_features.data + first,
                                               TRNI_WEDGE_FLOATS * sizeof(float), weights, weight_count,
                                               patch->vertex_locks.data, 3 * target, &step);
    const uint32_t *places = patch->vertex_places.data, *parts = patch->vertex_parts.data;
    size_t kept = 0;
    for (size_t i = 0; i < index_count; i += 3) {
        uint32_t a = places[indices[i]], b = places[indices[i + 1]], c = places[indices[i + 2]];
        if (a == b || b == c || c == a) continue;
        for (size_t k = 0; k < 3; k++) out[3 * kept + k] = indices[i + k];
        out_parts[kept++] = parts[indices[i]];
    }
    patch->out_count = kept;
    *error = (double)step;
    return weight_count > 0;
}

trn_result trni_simplify_group(const trni_cook *cook, trni_simplifier *simplifier, const uint32_t *clusters, uint32_t count,
                               uint32_t group, trni_simplified *outcome, double *step_error) {
    *outcome = TRNI_STUCK;
    trn_result result = fill_patch(cook, simplifier, clusters, count, group);
    if (result != TRN_OK) return result;
    trni_patch *patch = &simplifier->patch;
    size_t before = patch->triangle_count, target = before / 2, most = ACCEPTED(before);
    if (!trni_array_reserve(&cook->allocator, &simplifier->indices, 3 * before, sizeof(uint32_t)))
        return TRN_ERROR_OUT_OF_MEMORY;
    bool mixed = simplify_with_library(cook, simplifier, target, step_error);
    if (patch->out_count > 0 && patch->out_count <= most && border_holds(simplifier, group)) {
        *outcome = TRNI_REDUCED;
        double distance;
        result = trni_step_distance(cook, patch, &simplifier->distance, mixed, &distance);
        if (result != TRN_OK) return result;
        distance *= cook->grid_step;
        *step_error = mixed ? distance : fmax(*step_error, distance);
        return TRN_OK;
    }
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        double steps;
        result = trni_collapse(cook, patch, &simplifier->collapse, target, relaxed != 0, &steps);
        if (result != TRN_OK) return result;
        *step_error = steps * cook->grid_step;
        if (patch->out_count > 0 && patch->out_count <= most && border_holds(simplifier, group)) {
            *outcome = TRNI_REDUCED_BY_FALLBACK;
            return TRN_OK;
        }
    }
    return TRN_OK;
}
