/* SPDX-License-Identifier: MIT */
/* Triangles become clusters: meshoptimizer's meshlets of at most 64 vertices and 124 triangles, of one part each. */
#include "cook_internal.h"

#include <string.h>

void trni_cluster_scratch_free(const trn_allocator *allocator, trni_cluster_scratch *scratch) {
    trni_array *arrays[] = {&scratch->table, &scratch->local, &scratch->indices, &scratch->positions,
                            &scratch->meshlets.meshlets, &scratch->meshlets.vertices, &scratch->meshlets.corners,
                            &scratch->meshlets.scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) trni_array_free(allocator, arrays[i]);
}

/* Numbers the wedges of the triangles 0, 1, 2 ... in the order they are met. */
static trn_result compact(const trni_cook *cook, trni_cluster_scratch *scratch, const uint32_t *corners, size_t index_count,
                          uint32_t *vertex_count) {
    const trn_allocator *allocator = &cook->allocator;
    size_t most = index_count < cook->wedge_count ? index_count : cook->wedge_count;
    size_t size = trni_table_size(most);
    if (!trni_array_reserve(allocator, &scratch->table, size, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &scratch->local, most, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &scratch->indices, index_count, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &scratch->positions, most, 3 * sizeof(float)))
        return TRN_ERROR_OUT_OF_MEMORY;
    uint32_t *table = scratch->table.data, *local = scratch->local.data, *indices = scratch->indices.data;
    float *to = scratch->positions.data;
    const float *positions = cook->positions.data;
    const uint32_t *wedge_positions = cook->wedge_positions.data;
    memset(table, 0, size * sizeof *table);
    uint32_t count = 0;
    for (size_t i = 0; i < index_count; i++) {
        uint32_t wedge = corners[i];
        size_t slot = (size_t)trni_mix_u64(wedge) & (size - 1);
        while (table[slot] && local[table[slot] - 1] != wedge) slot = (slot + 1) & (size - 1);
        if (!table[slot]) {
            local[count] = wedge;
            memcpy(to + 3 * (size_t)count, positions + 3 * (size_t)wedge_positions[wedge], 3 * sizeof *to);
            table[slot] = ++count;
        }
        indices[i] = table[slot] - 1;
    }
    *vertex_count = count;
    return TRN_OK;
}

static void enclose_vertices(const float *positions, const uint32_t *vertices, uint32_t count, trn_sphere *to) {
    double spheres[TRNI_CLUSTER_VERTICES * 4];
    for (uint32_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 3; k++) spheres[4 * i + k] = (double)positions[3 * (size_t)vertices[i] + k];
        spheres[4 * i + 3] = 0;
    }
    trni_sphere_enclose(spheres, count, to);
}

trn_result trni_cluster_build(trni_cook *cook, trni_cluster_scratch *scratch, const uint32_t *corners, size_t triangle_count,
                              uint32_t part, uint32_t level, uint32_t own_group) {
    const trn_allocator *allocator = &cook->allocator;
    size_t index_count = 3 * triangle_count;
    uint32_t vertex_count;
    trn_result result = compact(cook, scratch, corners, index_count, &vertex_count);
    if (result != TRN_OK) return result;
    const uint32_t *indices = scratch->indices.data;
    const float *positions = scratch->positions.data;
    trni_meshlets *built = &scratch->meshlets;
    result = trni_meshopt_build(allocator, built, indices, index_count, positions, vertex_count);
    if (result != TRN_OK) return result;

    const trni_meshlet *meshlets = built->meshlets.data;
    const uint32_t *vertices = built->vertices.data, *local = scratch->local.data;
    const uint8_t *built_corners = built->corners.data;
    size_t new_vertices = 0, new_triangles = 0;
    for (size_t i = 0; i < built->count; i++) {
        new_vertices += meshlets[i].vertex_count;
        new_triangles += meshlets[i].triangle_count;
    }
    if (new_triangles != triangle_count || built->count > TRNI_NONE - 1 - cook->cluster_count) return TRN_ERROR_INTERNAL;
    if (!trni_array_reserve(allocator, &cook->clusters, cook->cluster_count + built->count, sizeof(trni_cook_cluster)) ||
        !trni_array_reserve(allocator, &cook->cluster_vertices, cook->cluster_vertex_count + new_vertices, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &cook->cluster_corners, cook->cluster_corner_count + index_count, 1))
        return TRN_ERROR_OUT_OF_MEMORY;
    const trni_cook_part *parts = cook->parts.data;
    bool coneless = (parts[part].flags & TRN_SUBMESH_TWO_SIDED) || parts[part].inflation > 0;
    for (size_t i = 0; i < built->count; i++) {
        const trni_meshlet *meshlet = &meshlets[i];
        if (meshlet->vertex_count > TRNI_CLUSTER_VERTICES || meshlet->triangle_count > TRNI_CLUSTER_TRIANGLES)
            return TRN_ERROR_INTERNAL;
        const uint32_t *from = vertices + meshlet->vertex_offset;
        const uint8_t *from_corners = built_corners + meshlet->corner_offset;
        trni_cook_cluster *cluster = (trni_cook_cluster *)cook->clusters.data + cook->cluster_count++;
        memset(cluster, 0, sizeof *cluster);
        cluster->part = part;
        cluster->born = cluster->last = level;
        cluster->own_group = own_group;
        cluster->parent_group = TRNI_NONE;
        cluster->vertex_count = meshlet->vertex_count;
        cluster->triangle_count = meshlet->triangle_count;
        cluster->first_vertex = cook->cluster_vertex_count;
        cluster->first_corner = cook->cluster_corner_count;
        cluster->cone = coneless ? 127u << 24
                                 : trni_meshopt_cone(from, from_corners, meshlet->triangle_count, positions, vertex_count);
        enclose_vertices(positions, from, meshlet->vertex_count, &cluster->sphere);
        uint32_t *to = (uint32_t *)cook->cluster_vertices.data + cluster->first_vertex;
        for (uint32_t v = 0; v < meshlet->vertex_count; v++) to[v] = local[from[v]];
        memcpy((uint8_t *)cook->cluster_corners.data + cluster->first_corner, from_corners, 3 * (size_t)meshlet->triangle_count);
        cook->cluster_vertex_count += meshlet->vertex_count;
        cook->cluster_corner_count += 3 * (size_t)meshlet->triangle_count;
    }
    return TRN_OK;
}

trn_result trni_cluster_source(trni_cook *cook) {
    const trn_allocator *allocator = &cook->allocator;
    const uint32_t *corners = cook->corners.data, *triangle_parts = cook->triangle_parts.data;
    trni_cluster_scratch scratch = {0};
    size_t *first = TRNI_NEW_ARRAY(allocator, size_t, (size_t)cook->part_count + 1);
    uint32_t *sorted = trni_alloc(allocator, cook->triangle_count, 3 * sizeof *sorted);
    trn_result result = first && sorted ? TRN_OK : TRN_ERROR_OUT_OF_MEMORY;
    if (result != TRN_OK) goto done;
    for (size_t t = 0; t < cook->triangle_count; t++) first[triangle_parts[t]]++;
    size_t sum = 0;
    for (uint32_t part = 0; part <= cook->part_count; part++) {
        size_t here = first[part];
        first[part] = sum;
        sum += here;
    }
    for (size_t t = 0; t < cook->triangle_count; t++) {
        memcpy(sorted + 3 * first[triangle_parts[t]], corners + 3 * t, 3 * sizeof *sorted);
        first[triangle_parts[t]]++; /* ends where the next part starts */
    }
    for (uint32_t part = 0; part < cook->part_count && result == TRN_OK; part++) {
        size_t begin = part ? first[part - 1] : 0;
        if (first[part] > begin)
            result = trni_cluster_build(cook, &scratch, sorted + 3 * begin, first[part] - begin, part, 0, TRNI_NONE);
    }
    trni_array_free(allocator, &cook->corners);
    trni_array_free(allocator, &cook->triangle_parts);
done:
    trni_cluster_scratch_free(allocator, &scratch);
    trni_free(allocator, first, (size_t)cook->part_count + 1, sizeof *first);
    trni_free(allocator, sorted, cook->triangle_count, 3 * sizeof *sorted);
    return result;
}
