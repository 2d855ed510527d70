/* SPDX-License-Identifier: MIT */
/* The host's mesh is checked and put on the grid.
 *
 * Everything after this file sees quantised positions only, so that a corner is at bit-equal places in every level.
 * The grid's step is the smallest power of two with at most 65,535 steps along each axis and coordinates of at most 24
 * bits, so that origin + number x step is exact in floats.
 *
 * A triangle with two corners at one place is dropped. A triangle with three places on one line has no area either, but
 * it may be what joins two finer edges to one longer edge; dropping it would open the mesh there. So it is dropped only
 * while one of its edges has no partner, and kept otherwise. */
#include "cook_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LARGEST_COORDINATE 1.0e18f /* squares of distances stay finite in floats */

static trn_result check_mesh(const trni_cook *cook, const trn_cook_mesh *mesh, trn_error *error) {
    const char *name = cook->name;
    if (!mesh->positions) return trni_fail(error, TRN_ERROR_MESH, 0, 0, "%s: it has no positions", name);
    if (mesh->index_count == 0 || !mesh->indices) return trni_fail(error, TRN_ERROR_MESH, 0, 0, "%s: it has no triangle", name);
    if (mesh->index_count % 3 != 0)
        return trni_fail(error, TRN_ERROR_MESH, 0, 0, "%s: %llu indices are no multiple of 3", name,
                         (unsigned long long)mesh->index_count);
    if (mesh->index_count > (uint64_t)1 << 31 || mesh->index_count > SIZE_MAX / 64)
        return trni_fail(error, TRN_ERROR_MESH, 0, 0, "%s: %llu indices are more than 2^31; split the mesh", name,
                         (unsigned long long)mesh->index_count);
    uint32_t materials = mesh->material_count ? mesh->material_count : 1;
    uint64_t next = 0;
    for (uint32_t i = 0; mesh->submeshes && i < mesh->submesh_count; i++) {
        const trn_cook_submesh *submesh = &mesh->submeshes[i];
        uint64_t end;
        if (submesh->first_index != next)
            return trni_fail(error, TRN_ERROR_MESH, i, 0, "%s: submesh %u starts at index %llu, expected %llu", name, i,
                             (unsigned long long)submesh->first_index, (unsigned long long)next);
        if (submesh->index_count % 3 != 0)
            return trni_fail(error, TRN_ERROR_MESH, i, 0, "%s: submesh %u: %llu indices are no multiple of 3", name, i,
                             (unsigned long long)submesh->index_count);
        if (!trni_add_u64(next, submesh->index_count, &end) || end > mesh->index_count)
            return trni_fail(error, TRN_ERROR_MESH, i, 0, "%s: submesh %u reaches beyond the last index", name, i);
        if (submesh->material >= materials)
            return trni_fail(error, TRN_ERROR_MESH, i, 0, "%s: submesh %u: material %u of %u", name, i, submesh->material,
                             materials);
        if (submesh->flags & ~(TRN_SUBMESH_TWO_SIDED | TRN_SUBMESH_ALPHA_TESTED))
            return trni_fail(error, TRN_ERROR_MESH, i, 0, "%s: submesh %u: unknown flags %#x", name, i, submesh->flags);
        if (!(submesh->bounds_inflation >= 0 && submesh->bounds_inflation <= LARGEST_COORDINATE))
            return trni_fail(error, TRN_ERROR_MESH, i, 0, "%s: submesh %u: bounds inflation is out of range", name, i);
        next = end;
    }
    if (mesh->submeshes && next != mesh->index_count)
        return trni_fail(error, TRN_ERROR_MESH, mesh->submesh_count, 0, "%s: submeshes cover %llu of %llu indices", name,
                         (unsigned long long)next, (unsigned long long)mesh->index_count);
    for (uint64_t i = 0; i < mesh->index_count; i++) {
        uint32_t vertex = mesh->indices[i];
        if (vertex >= mesh->vertex_count)
            return trni_fail(error, TRN_ERROR_MESH, (uint32_t)i, 0, "%s: index %llu names vertex %u of %u", name,
                             (unsigned long long)i, vertex, mesh->vertex_count);
        for (size_t k = 0; k < 3; k++) {
            float x = mesh->positions[3 * (size_t)vertex + k];
            if (!isfinite(x))
                return trni_fail(error, TRN_ERROR_MESH, vertex, 0, "%s: vertex %u has a position that is not finite", name,
                                 vertex);
            if (fabsf(x) > LARGEST_COORDINATE)
                return trni_fail(error, TRN_ERROR_MESH, vertex, 0, "%s: vertex %u has a coordinate beyond 1e18", name, vertex);
        }
    }
    return TRN_OK;
}

static trn_result make_parts(trni_cook *cook, const trn_cook_mesh *mesh, uint32_t *triangle_parts) {
    uint32_t submeshes = mesh->submeshes ? mesh->submesh_count : 1;
    if (!trni_array_reserve(&cook->allocator, &cook->parts, submeshes, sizeof(trni_cook_part))) return TRN_ERROR_OUT_OF_MEMORY;
    trni_cook_part *parts = cook->parts.data;
    /* Found again by hash: a scene may have very many submeshes. */
    size_t size = trni_table_size(submeshes);
    uint32_t *table = TRNI_NEW_ARRAY(&cook->allocator, uint32_t, size);
    if (!table) return TRN_ERROR_OUT_OF_MEMORY;
    size_t triangle = 0;
    for (uint32_t i = 0; i < submeshes; i++) {
        trn_cook_submesh all = {.index_count = mesh->index_count};
        const trn_cook_submesh *submesh = mesh->submeshes ? &mesh->submeshes[i] : &all;
        if (submesh->index_count == 0) continue;
        trni_cook_part part = {submesh->material, submesh->flags, submesh->bounds_inflation + 0.0f};
        uint32_t bits;
        memcpy(&bits, &part.inflation, sizeof bits);
        size_t slot = (size_t)trni_mix_u64(((uint64_t)part.material << 32 | bits) ^ (uint64_t)part.flags << 20) & (size - 1);
        uint32_t found = TRNI_NONE;
        for (; table[slot]; slot = (slot + 1) & (size - 1)) {
            const trni_cook_part *other = &parts[table[slot] - 1];
            if (other->material == part.material && other->flags == part.flags && !(other->inflation < part.inflation) &&
                !(other->inflation > part.inflation)) {
                found = table[slot] - 1;
                break;
            }
        }
        if (found == TRNI_NONE) {
            found = cook->part_count++;
            parts[found] = part;
            table[slot] = found + 1;
        }
        for (uint64_t k = 0; k < submesh->index_count / 3; k++) triangle_parts[triangle++] = found;
    }
    trni_free(&cook->allocator, table, size, sizeof *table);
    return TRN_OK;
}

static double power_of_two_at_least(double value) {
    int exponent;
    double mantissa = frexp(value, &exponent);
    return ldexp(1.0, mantissa > 0.5 ? exponent : exponent - 1);
}

static void choose_grid(trni_cook *cook, const trn_cook_mesh *mesh) {
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, extent = 0, farthest = 0;
    for (uint64_t i = 0; i < mesh->index_count; i++) {
        const float *at = mesh->positions + 3 * (size_t)mesh->indices[i];
        for (int k = 0; k < 3; k++) {
            if (at[k] < low[k]) low[k] = (double)at[k];
            if (at[k] > high[k]) high[k] = (double)at[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        if (high[k] - low[k] > extent) extent = high[k] - low[k];
        if (fabs(low[k]) > farthest) farthest = fabs(low[k]);
        if (fabs(high[k]) > farthest) farthest = fabs(high[k]);
    }
    double step = ldexp(1.0, -100); /* finer grids would leave the normal floats */
    if (extent / 65535.0 > step) step = power_of_two_at_least(extent / 65535.0);
    while (farthest / step >= 16777216.0 - 65536.0) step *= 2;
    for (;; step *= 2) { /* at most once more: the origin is rounded down */
        bool fits = true;
        for (int k = 0; k < 3; k++) {
            cook->grid_origin[k] = floor(low[k] / step) * step + 0.0;
            if (floor((high[k] - cook->grid_origin[k]) / step + 0.5) > 65535.0) fits = false;
        }
        if (fits) break;
    }
    cook->grid_step = step;
}

/* Gives each used source vertex a position; equal cells are one position. */
static trn_result make_positions(trni_cook *cook, const trn_cook_mesh *mesh, uint32_t *vertex_positions) {
    const trn_allocator *allocator = &cook->allocator;
    size_t used = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) vertex_positions[v] = TRNI_NONE;
    for (uint64_t i = 0; i < mesh->index_count; i++) {
        uint32_t v = mesh->indices[i];
        if (vertex_positions[v] == TRNI_NONE) used++;
        vertex_positions[v] = 0;
    }
    size_t size = trni_table_size(used);
    uint32_t *table = TRNI_NEW_ARRAY(allocator, uint32_t, size);
    bool ok = table && trni_array_reserve(allocator, &cook->cells, used, 3 * sizeof(uint16_t)) &&
              trni_array_reserve(allocator, &cook->positions, used, 3 * sizeof(float));
    if (!ok) {
        trni_free(allocator, table, size, sizeof *table);
        return TRN_ERROR_OUT_OF_MEMORY;
    }
    uint16_t *cells = cook->cells.data;
    float *positions = cook->positions.data;
    double worst = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (vertex_positions[v] == TRNI_NONE) continue;
        uint16_t cell[3];
        double moved = 0;
        for (size_t k = 0; k < 3; k++) {
            double x = (double)mesh->positions[3 * (size_t)v + k];
            double number = floor((x - cook->grid_origin[k]) / cook->grid_step + 0.5);
            cell[k] = (uint16_t)number;
            double off = x - (cook->grid_origin[k] + number * cook->grid_step);
            moved += off * off;
        }
        if (moved > worst) worst = moved;
        uint64_t key = (uint64_t)cell[0] | (uint64_t)cell[1] << 16 | (uint64_t)cell[2] << 32;
        size_t slot = (size_t)trni_mix_u64(key) & (size - 1);
        uint32_t found = TRNI_NONE;
        for (; table[slot]; slot = (slot + 1) & (size - 1)) {
            const uint16_t *other = cells + 3 * (size_t)(table[slot] - 1);
            if (other[0] == cell[0] && other[1] == cell[1] && other[2] == cell[2]) {
                found = table[slot] - 1;
                break;
            }
        }
        if (found == TRNI_NONE) {
            found = cook->position_count++;
            for (size_t k = 0; k < 3; k++) {
                cells[3 * (size_t)found + k] = cell[k];
                positions[3 * (size_t)found + k] = (float)(cook->grid_origin[k] + (double)cell[k] * cook->grid_step);
            }
            table[slot] = found + 1;
        }
        vertex_positions[v] = found;
    }
    trni_free(allocator, table, size, sizeof *table);
    /* No point of a triangle moves farther than the farthest of its corners. */
    if (worst > 0) cook->quantisation_error = nextafterf((float)(sqrt(worst) * 1.000001), FLT_MAX);
    return TRN_OK;
}

static bool is_flat(const uint16_t *cells, const uint32_t place[3]) {
    const uint16_t *a = cells + 3 * (size_t)place[0], *b = cells + 3 * (size_t)place[1], *c = cells + 3 * (size_t)place[2];
    int64_t u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (int64_t)b[k] - a[k];
        v[k] = (int64_t)c[k] - a[k];
    }
    return u[1] * v[2] == u[2] * v[1] && u[2] * v[0] == u[0] * v[2] && u[0] * v[1] == u[1] * v[0];
}

/* Counts how often each edge (a pair of positions) is used. */
typedef struct edge_counts {
    size_t mask;
    uint64_t *keys; /* + 1; 0 empty */
    uint32_t *counts;
} edge_counts;

static bool edge_counts_make(const trn_allocator *allocator, edge_counts *edges, size_t count) {
    size_t size = trni_table_size(count);
    edges->mask = size - 1;
    edges->keys = TRNI_NEW_ARRAY(allocator, uint64_t, size);
    edges->counts = TRNI_NEW_ARRAY(allocator, uint32_t, size);
    return edges->keys && edges->counts;
}

static void edge_counts_free(const trn_allocator *allocator, edge_counts *edges) {
    trni_free(allocator, edges->keys, edges->mask + 1, sizeof *edges->keys);
    trni_free(allocator, edges->counts, edges->mask + 1, sizeof *edges->counts);
}

static uint32_t *edge_count(edge_counts *edges, uint32_t a, uint32_t b) {
    uint64_t key = (a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) + 1;
    size_t slot = (size_t)trni_mix_u64(key) & edges->mask;
    while (edges->keys[slot] && edges->keys[slot] != key) slot = (slot + 1) & edges->mask;
    edges->keys[slot] = key;
    return &edges->counts[slot];
}

/* Drops flat triangles that hang on by less than three edges; with `lock`, marks the ends of real borders. */
static trn_result settle_edges(trni_cook *cook, uint32_t *triangles, uint32_t *triangle_parts, size_t *triangle_count,
                               const uint32_t *vertex_positions, size_t flat_count, size_t *flat_left) {
    const trn_allocator *allocator = &cook->allocator;
    bool lock = cook->def.lock_mesh_border;
    *flat_left = 0;
    if (flat_count == 0 && !lock) return TRN_OK;
    edge_counts edges = {0};
    uint8_t *flat = NULL;
    size_t count = *triangle_count, flat_bytes = count;
    trn_result result = TRN_ERROR_OUT_OF_MEMORY;
    const uint16_t *cells = cook->cells.data;
    if (!edge_counts_make(allocator, &edges, 3 * count)) goto done;
    flat = trni_alloc(allocator, flat_bytes, 1);
    if (!flat) goto done;
    for (size_t t = 0; t < count; t++) {
        uint32_t place[3];
        for (size_t k = 0; k < 3; k++) place[k] = vertex_positions[triangles[3 * t + k]];
        for (size_t k = 0; k < 3; k++) ++*edge_count(&edges, place[k], place[(k + 1) % 3]);
        flat[t] = is_flat(cells, place);
    }
    for (bool again = flat_count > 0; again;) {
        again = false;
        for (size_t t = 0; t < count; t++) {
            if (flat[t] != 1) continue;
            uint32_t *used[3];
            for (size_t k = 0; k < 3; k++)
                used[k] = edge_count(&edges, vertex_positions[triangles[3 * t + k]],
                                     vertex_positions[triangles[3 * t + (k + 1) % 3]]);
            if (*used[0] > 1 && *used[1] > 1 && *used[2] > 1) continue;
            for (size_t k = 0; k < 3; k++) --*used[k];
            flat[t] = 2;
            again = true;
        }
    }
    size_t kept = 0;
    for (size_t t = 0; t < count; t++) {
        if (flat[t] == 2) continue;
        *flat_left += flat[t];
        for (size_t k = 0; k < 3; k++) triangles[3 * kept + k] = triangles[3 * t + k];
        triangle_parts[kept++] = triangle_parts[t];
    }
    *triangle_count = kept;
    if (lock) {
        if (!trni_array_reserve(allocator, &cook->border_locks, cook->position_count, 1)) goto done;
        uint8_t *locks = cook->border_locks.data;
        memset(locks, 0, cook->position_count);
        for (size_t t = 0; t < kept; t++)
            for (size_t k = 0; k < 3; k++) {
                uint32_t a = vertex_positions[triangles[3 * t + k]], b = vertex_positions[triangles[3 * t + (k + 1) % 3]];
                if (*edge_count(&edges, a, b) % 2 != 0) locks[a] = locks[b] = 1;
            }
    }
    result = TRN_OK;
done:
    edge_counts_free(allocator, &edges);
    trni_free(allocator, flat, flat_bytes, 1);
    return result;
}

static void find_box(trni_cook *cook) {
    const uint32_t *corners = cook->corners.data, *wedge_positions = cook->wedge_positions.data;
    const float *positions = cook->positions.data;
    for (int k = 0; k < 3; k++) {
        cook->box.min[k] = FLT_MAX;
        cook->box.max[k] = -FLT_MAX;
    }
    for (size_t i = 0; i < 3 * cook->triangle_count; i++) {
        const float *at = positions + 3 * (size_t)wedge_positions[corners[i]];
        for (int k = 0; k < 3; k++) {
            if (at[k] < cook->box.min[k]) cook->box.min[k] = at[k];
            if (at[k] > cook->box.max[k]) cook->box.max[k] = at[k];
        }
    }
}

static trn_result prepare(trni_cook *cook, const trn_cook_mesh *mesh, uint32_t *vertex_positions, trn_error *error) {
    const trn_allocator *allocator = &cook->allocator;
    size_t source_triangles = (size_t)(mesh->index_count / 3);
    if (!trni_array_reserve(allocator, &cook->corners, mesh->index_count, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &cook->triangle_parts, source_triangles, sizeof(uint32_t)))
        return TRN_ERROR_OUT_OF_MEMORY;
    uint32_t *triangles = cook->corners.data, *triangle_parts = cook->triangle_parts.data;
    trn_result result = make_parts(cook, mesh, triangle_parts);
    if (result != TRN_OK) return result;
    choose_grid(cook, mesh);
    result = make_positions(cook, mesh, vertex_positions);
    if (result != TRN_OK) return result;
    if (!trni_cook_progress(cook, "prepare", 0.02)) return TRN_ERROR_CANCELLED;

    size_t kept = 0, flat = 0;
    for (size_t t = 0; t < source_triangles; t++) {
        const uint32_t *v = mesh->indices + 3 * t;
        uint32_t place[3] = {vertex_positions[v[0]], vertex_positions[v[1]], vertex_positions[v[2]]};
        if (place[0] == place[1] || place[1] == place[2] || place[2] == place[0]) continue;
        if (is_flat(cook->cells.data, place)) flat++;
        for (size_t k = 0; k < 3; k++) triangles[3 * kept + k] = v[k];
        triangle_parts[kept++] = triangle_parts[t];
    }
    size_t flat_left;
    result = settle_edges(cook, triangles, triangle_parts, &kept, vertex_positions, flat, &flat_left);
    if (result != TRN_OK) return result;
    if (kept == flat_left)
        return trni_fail(error, TRN_ERROR_MESH, 0, 0, "%s: none of its %llu triangles has an area", cook->name,
                         (unsigned long long)source_triangles);
    cook->triangle_count = kept;
    cook->stats.source_triangles = source_triangles;
    cook->stats.source_vertices = mesh->vertex_count;
    cook->stats.dropped_triangles = source_triangles - kept;
    if (kept < source_triangles)
        trni_log(&cook->def.log, TRN_LOG_COOK_NOTE, "%s: %llu triangles without area dropped", cook->name,
                 (unsigned long long)(source_triangles - kept));
    if (flat_left)
        trni_log(&cook->def.log, TRN_LOG_COOK_NOTE, "%s: %llu triangles without area kept: they join edges", cook->name,
                 (unsigned long long)flat_left);
    trni_source source = {mesh, vertex_positions, triangles, kept};
    return trni_cook_make_wedges(cook, &source);
}

trn_result trni_cook_prepare(trni_cook *cook, const trn_cook_mesh *mesh, trn_error *error) {
    trn_result result = check_mesh(cook, mesh, error);
    if (result != TRN_OK) return result;
    uint32_t *vertex_positions = trni_alloc(&cook->allocator, mesh->vertex_count, sizeof *vertex_positions);
    if (!vertex_positions) return TRN_ERROR_OUT_OF_MEMORY;
    result = prepare(cook, mesh, vertex_positions, error);
    trni_free(&cook->allocator, vertex_positions, mesh->vertex_count, sizeof *vertex_positions);
    if (result == TRN_OK) find_box(cook);
    return result;
}
