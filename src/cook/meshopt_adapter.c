/* SPDX-License-Identifier: MIT */
/* The only file that knows meshoptimizer. Version 0.22 is the floor: vertex locks and absolute errors. Its scratch memory
 * is its own: the library's allocator is global, and no global state is set here. */
#include "cook_internal.h"

#include <float.h>
#include <meshoptimizer.h>

#if MESHOPTIMIZER_VERSION < 220
#error "meshoptimizer 0.22 or newer is needed"
#endif

#define CONE_WEIGHT 0.25f

uint32_t trni_meshopt_version(void) { return MESHOPTIMIZER_VERSION; }

trn_result trni_meshopt_build(const trn_allocator *allocator, trni_meshlets *to, const uint32_t *indices, size_t index_count,
                              const float *positions, size_t vertex_count) {
    size_t bound = meshopt_buildMeshletsBound(index_count, TRNI_CLUSTER_VERTICES, TRNI_CLUSTER_TRIANGLES);
    if (bound > SIZE_MAX / (3 * TRNI_CLUSTER_TRIANGLES) ||
        !trni_array_reserve(allocator, &to->scratch, bound, sizeof(struct meshopt_Meshlet)) ||
        !trni_array_reserve(allocator, &to->meshlets, bound, sizeof(trni_meshlet)) ||
        !trni_array_reserve(allocator, &to->vertices, bound * TRNI_CLUSTER_VERTICES, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &to->corners, bound * TRNI_CLUSTER_TRIANGLES * 3, 1))
        return TRN_ERROR_OUT_OF_MEMORY;
    struct meshopt_Meshlet *built = to->scratch.data;
    trni_meshlet *meshlets = to->meshlets.data;
    uint32_t *vertices = to->vertices.data;
    uint8_t *corners = to->corners.data;
    to->count = meshopt_buildMeshlets(built, vertices, corners, indices, index_count, positions, vertex_count,
                                      3 * sizeof(float), TRNI_CLUSTER_VERTICES, TRNI_CLUSTER_TRIANGLES, CONE_WEIGHT);
    for (size_t i = 0; i < to->count; i++) {
        meshlets[i].vertex_offset = built[i].vertex_offset;
        meshlets[i].corner_offset = built[i].triangle_offset;
        meshlets[i].vertex_count = built[i].vertex_count;
        meshlets[i].triangle_count = built[i].triangle_count;
        meshopt_optimizeMeshlet(vertices + built[i].vertex_offset, corners + built[i].triangle_offset,
                                built[i].triangle_count, built[i].vertex_count);
    }
    return TRN_OK;
}

uint32_t trni_meshopt_cone(const uint32_t *vertices, const uint8_t *corners, size_t triangle_count, const float *positions,
                           size_t vertex_count) {
    struct meshopt_Bounds bounds =
        meshopt_computeMeshletBounds(vertices, corners, triangle_count, positions, vertex_count, 3 * sizeof(float));
    return (uint32_t)(unsigned char)bounds.cone_axis_s8[0] | (uint32_t)(unsigned char)bounds.cone_axis_s8[1] << 8 |
           (uint32_t)(unsigned char)bounds.cone_axis_s8[2] << 16 | (uint32_t)(unsigned char)bounds.cone_cutoff_s8 << 24;
}

size_t trni_meshopt_simplify(uint32_t *to, const uint32_t *indices, size_t index_count, const float *positions,
                             size_t vertex_count, const float *attributes, size_t attribute_stride, const float *weights,
                             size_t attribute_count, const uint8_t *locks, size_t target_index_count, float *error) {
    *error = 0;
    return meshopt_simplifyWithAttributes(to, indices, index_count, positions, vertex_count, 3 * sizeof(float), attributes,
                                          attribute_stride, weights, attribute_count, locks, target_index_count, FLT_MAX,
                                          meshopt_SimplifyErrorAbsolute, error);
}
