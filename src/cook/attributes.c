/* SPDX-License-Identifier: MIT */
/* Source vertices become wedges: 32 packed bytes each, as the file holds them, no two equal.
 *
 * What is missing or unusable (not finite, zero) is made: normals smooth over a position, weighted by area; tangents
 * from the gradient of the first UV set, apart for mirrored triangles; any perpendicular where there are no UVs. Half
 * floats lose precision away from zero, so each UV island is moved by whole numbers first, which repeating textures do
 * not see. */
#include "cook_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/little_endian.h"
#include "model/model_format.h"
#include "vertex_packing.h"

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static bool normalise(double v[3]) {
    double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(most > 0) || !isfinite(most)) return false;
    for (int k = 0; k < 3; k++) v[k] /= most;
    double length = sqrt(dot(v, v));
    for (int k = 0; k < 3; k++) v[k] /= length;
    return true;
}

static void any_perpendicular(const double n[3], double t[3]) {
    double axis[3] = {0, 0, 0};
    int least = fabs(n[0]) <= fabs(n[1]) ? (fabs(n[0]) <= fabs(n[2]) ? 0 : 2) : (fabs(n[1]) <= fabs(n[2]) ? 1 : 2);
    axis[least] = 1;
    for (int k = 0; k < 3; k++) t[k] = axis[k] - n[k] * dot(axis, n);
    normalise(t);
}

/* Twice the area, as a vector, in squares of grid steps. */
static void triangle_normal(const uint16_t *cells, const uint32_t place[3], double n[3]) {
    const uint16_t *a = cells + 3 * (size_t)place[0], *b = cells + 3 * (size_t)place[1], *c = cells + 3 * (size_t)place[2];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - a[k];
        v[k] = (double)c[k] - a[k];
    }
    for (int k = 0; k < 3; k++) n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
}

/* ---- UV islands ---- */

static uint32_t find_root(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b) parent[b] = a;
    if (b < a) parent[a] = b;
}

/* Copies a UV set, cleans it and moves its islands: triangles that share a vertex, or two vertices equal in place and UV. */
static trn_result settle_uvs(trni_cook *cook, const trni_source *source, const float *from, float *to) {
    const trn_allocator *allocator = &cook->allocator;
    uint32_t count = source->mesh->vertex_count;
    size_t size = trni_table_size(count), bad = 0;
    uint32_t *parent = trni_alloc(allocator, count, sizeof *parent);
    uint32_t *table = TRNI_NEW_ARRAY(allocator, uint32_t, size);
    float *ranges = trni_alloc(allocator, count, 4 * sizeof *ranges);
    trn_result result = TRN_ERROR_OUT_OF_MEMORY;
    if (!parent || !table || !ranges) goto done;
    for (uint32_t v = 0; v < count; v++) {
        parent[v] = v;
        for (size_t k = 0; k < 2; k++) {
            float x = from[2 * (size_t)v + k];
            bool usable = isfinite(x) && fabsf(x) < 1.0e15f;
            if (!usable && source->vertex_positions[v] != TRNI_NONE) bad++;
            to[2 * (size_t)v + k] = usable ? x + 0.0f : 0.0f;
        }
        if (source->vertex_positions[v] == TRNI_NONE) continue;
        uint64_t bits;
        memcpy(&bits, to + 2 * (size_t)v, sizeof bits);
        size_t slot = (size_t)(trni_mix_u64(bits) ^ trni_mix_u64(source->vertex_positions[v])) & (size - 1);
        for (; table[slot]; slot = (slot + 1) & (size - 1)) {
            uint32_t other = table[slot] - 1;
            if (source->vertex_positions[other] == source->vertex_positions[v] &&
                memcmp(to + 2 * (size_t)other, to + 2 * (size_t)v, 2 * sizeof *to) == 0) {
                join(parent, other, v);
                break;
            }
        }
        if (!table[slot]) table[slot] = v + 1;
    }
    for (size_t t = 0; t < source->triangle_count; t++) {
        join(parent, source->triangles[3 * t], source->triangles[3 * t + 1]);
        join(parent, source->triangles[3 * t], source->triangles[3 * t + 2]);
    }
    for (uint32_t v = 0; v < count; v++) {
        float *range = ranges + 4 * (size_t)v;
        range[0] = range[2] = FLT_MAX;
        range[1] = range[3] = -FLT_MAX;
    }
    for (size_t i = 0; i < 3 * source->triangle_count; i++) {
        uint32_t v = source->triangles[i];
        float *range = ranges + 4 * (size_t)find_root(parent, v);
        for (size_t k = 0; k < 2; k++) {
            float x = to[2 * (size_t)v + k];
            if (x < range[2 * k]) range[2 * k] = x;
            if (x > range[2 * k + 1]) range[2 * k + 1] = x;
        }
    }
    for (uint32_t v = 0; v < count; v++) {
        const float *range = ranges + 4 * (size_t)find_root(parent, v);
        if (range[0] > range[1]) continue; /* unused */
        for (size_t k = 0; k < 2; k++) {
            double shift = floor(0.5 * ((double)range[2 * k] + (double)range[2 * k + 1]));
            double moved = (double)to[2 * (size_t)v + k] - shift;
            float half = trni_float_from_half(trni_half_from_float((float)moved));
            float off = (float)fabs((double)half - moved);
            if (off > cook->stats.uv_error) cook->stats.uv_error = off;
            to[2 * (size_t)v + k] = (float)moved + 0.0f;
        }
    }
    if (bad)
        trni_log(&cook->def.log, TRN_LOG_COOK_WARNING, "%s: %llu UV coordinates not finite or too large: set to 0", cook->name,
                 (unsigned long long)bad);
    result = TRN_OK;
done:
    trni_free(allocator, parent, count, sizeof *parent);
    trni_free(allocator, table, size, sizeof *table);
    trni_free(allocator, ranges, count, 4 * sizeof *ranges);
    return result;
}

/* ---- packing ---- */

static void put_direction(unsigned char *at, const double direction[3]) {
    int16_t packed[2];
    trni_octahedral_pack(direction, packed);
    trni_put_u16(at, (uint16_t)packed[0]);
    trni_put_u16(at + 2, (uint16_t)packed[1]);
}

static void get_direction(const unsigned char *at, double direction[3]) {
    int16_t packed[2] = {(int16_t)trni_get_u16(at), (int16_t)trni_get_u16(at + 2)};
    trni_octahedral_unpack(packed, direction);
}

static bool read_direction(const float *from, double direction[3]) {
    for (int k = 0; k < 3; k++) direction[k] = (double)from[k];
    return isfinite(direction[0]) && isfinite(direction[1]) && isfinite(direction[2]) && normalise(direction);
}

static void smooth_normals(const trni_cook *cook, const trni_source *source, double *smooth) {
    for (size_t t = 0; t < source->triangle_count; t++) {
        uint32_t place[3];
        double n[3];
        for (size_t k = 0; k < 3; k++) place[k] = source->vertex_positions[source->triangles[3 * t + k]];
        triangle_normal(cook->cells.data, place, n);
        for (size_t k = 0; k < 3; k++)
            for (size_t axis = 0; axis < 3; axis++) smooth[3 * (size_t)place[k] + axis] += n[axis];
    }
}

/* The packed bytes of each used source vertex, without what depends on the triangle. */
static void pack_vertices(trni_cook *cook, const trni_source *source, const double *smooth, const float *uv0, const float *uv1,
                          unsigned char *packed) {
    const trn_cook_mesh *mesh = source->mesh;
    const uint16_t *cells = cook->cells.data;
    size_t bad_normals = 0, bad_tangents = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t position = source->vertex_positions[v];
        if (position == TRNI_NONE) continue;
        unsigned char *at = packed + TRNI_WEDGE_BYTES * (size_t)v;
        for (size_t k = 0; k < 3; k++) trni_put_u16(at + TRNI_VERTEX_POSITION + 2 * k, cells[3 * (size_t)position + k]);
        double n[3], t[3];
        if (!mesh->normals || !read_direction(mesh->normals + 3 * (size_t)v, n)) {
            bad_normals += mesh->normals != NULL;
            memcpy(n, smooth + 3 * (size_t)position, sizeof n);
            if (!normalise(n)) n[0] = n[1] = 0, n[2] = 1;
        }
        put_direction(at + TRNI_VERTEX_NORMAL, n);
        if (mesh->tangents) {
            float sign = mesh->tangents[4 * (size_t)v + 3];
            if (!read_direction(mesh->tangents + 4 * (size_t)v, t)) {
                bad_tangents++;
                any_perpendicular(n, t);
            }
            put_direction(at + TRNI_VERTEX_TANGENT, t);
            trni_put_u16(at + TRNI_VERTEX_SIGN, sign < 0);
        } else if (!uv0) {
            any_perpendicular(n, t);
            put_direction(at + TRNI_VERTEX_TANGENT, t);
        }
        for (size_t k = 0; k < 2; k++) {
            if (uv0) trni_put_u16(at + TRNI_VERTEX_UV0 + 2 * k, trni_half_from_float(uv0[2 * (size_t)v + k]));
            if (uv1) trni_put_u16(at + TRNI_VERTEX_UV1 + 2 * k, trni_half_from_float(uv1[2 * (size_t)v + k]));
        }
        for (size_t k = 0; k < 4; k++) at[TRNI_VERTEX_COLOR + k] = mesh->colors ? mesh->colors[4 * (size_t)v + k] : 255;
    }
    if (bad_normals)
        trni_log(&cook->def.log, TRN_LOG_COOK_WARNING, "%s: %llu unusable normals made anew", cook->name,
                 (unsigned long long)bad_normals);
    if (bad_tangents)
        trni_log(&cook->def.log, TRN_LOG_COOK_WARNING, "%s: %llu unusable tangents made anew", cook->name,
                 (unsigned long long)bad_tangents);
}

static uint64_t hash_wedge(const unsigned char *bytes) {
    uint64_t hash = 0;
    for (size_t i = 0; i < TRNI_WEDGE_BYTES; i += 8) hash = trni_mix_u64(hash ^ trni_get_u64(bytes + i)) + i;
    return hash;
}

/* The gradient of the first UV set along a triangle: direction of growing u, sign of the UV area. */
static void uv_gradient(const uint16_t *cells, const uint32_t place[3], const float *uv0, const uint32_t vertex[3],
                        double gradient[3], bool *mirrored) {
    double du[2], dv[2];
    for (size_t k = 0; k < 2; k++) {
        du[k] = (double)uv0[2 * (size_t)vertex[k + 1]] - (double)uv0[2 * (size_t)vertex[0]];
        dv[k] = (double)uv0[2 * (size_t)vertex[k + 1] + 1] - (double)uv0[2 * (size_t)vertex[0] + 1];
    }
    double area = du[0] * dv[1] - du[1] * dv[0];
    *mirrored = area < 0;
    double sign = area < 0 ? -1.0 : area > 0 ? 1.0 : 0.0;
    for (size_t k = 0; k < 3; k++) {
        double e0 = (double)cells[3 * (size_t)place[1] + k] - (double)cells[3 * (size_t)place[0] + k];
        double e1 = (double)cells[3 * (size_t)place[2] + k] - (double)cells[3 * (size_t)place[0] + k];
        gradient[k] = sign * (e0 * dv[1] - e1 * dv[0]);
    }
}

typedef struct weld_scratch {
    unsigned char *packed; /* a source vertex */
    uint32_t *known;       /* a source vertex and handedness: wedge, TRNI_NONE */
    uint32_t *table;
    size_t table_size;
    double *gradients; /* a wedge */
} weld_scratch;

static trn_result weld(trni_cook *cook, const trni_source *source, const float *uv0, weld_scratch *scratch) {
    const trn_allocator *allocator = &cook->allocator;
    const uint16_t *cells = cook->cells.data;
    bool gradients = uv0 && !source->mesh->tangents;
    uint32_t *corners = cook->corners.data; /* holds source->triangles: each is read before it is overwritten */
    for (size_t i = 0; i < 2 * (size_t)source->mesh->vertex_count; i++) scratch->known[i] = TRNI_NONE;
    for (size_t t = 0; t < source->triangle_count; t++) {
        uint32_t vertex[3], place[3];
        double gradient[3] = {0, 0, 0};
        bool mirrored = false;
        for (size_t k = 0; k < 3; k++) {
            vertex[k] = source->triangles[3 * t + k];
            place[k] = source->vertex_positions[vertex[k]];
        }
        if (gradients) uv_gradient(cells, place, uv0, vertex, gradient, &mirrored);
        for (size_t k = 0; k < 3; k++) {
            uint32_t *known = &scratch->known[2 * (size_t)vertex[k] + mirrored];
            if (*known == TRNI_NONE) {
                unsigned char *bytes = scratch->packed + TRNI_WEDGE_BYTES * (size_t)vertex[k];
                if (gradients) trni_put_u16(bytes + TRNI_VERTEX_SIGN, mirrored);
                size_t slot = (size_t)hash_wedge(bytes) & (scratch->table_size - 1);
                const unsigned char *wedges = cook->wedges.data;
                for (; scratch->table[slot]; slot = (slot + 1) & (scratch->table_size - 1)) {
                    uint32_t other = scratch->table[slot] - 1;
                    if (memcmp(wedges + TRNI_WEDGE_BYTES * (size_t)other, bytes, TRNI_WEDGE_BYTES) == 0) {
                        *known = other;
                        break;
                    }
                }
                if (*known == TRNI_NONE) {
                    size_t wanted = (size_t)cook->wedge_count + 1;
                    if (wanted > scratch->table_size / 2 ||
                        !trni_array_reserve(allocator, &cook->wedges, wanted, TRNI_WEDGE_BYTES) ||
                        !trni_array_reserve(allocator, &cook->wedge_positions, wanted, sizeof(uint32_t)))
                        return TRN_ERROR_OUT_OF_MEMORY;
                    *known = cook->wedge_count++;
                    memcpy((unsigned char *)cook->wedges.data + TRNI_WEDGE_BYTES * (size_t)*known, bytes, TRNI_WEDGE_BYTES);
                    ((uint32_t *)cook->wedge_positions.data)[*known] = place[k];
                    scratch->table[slot] = *known + 1;
                }
            }
            corners[3 * t + k] = *known;
            if (gradients)
                for (size_t axis = 0; axis < 3; axis++) scratch->gradients[3 * (size_t)*known + axis] += gradient[axis];
        }
    }
    return TRN_OK;
}

static void finish_wedges(trni_cook *cook, bool has_uv, const double *gradients) {
    unsigned char *wedges = cook->wedges.data;
    float *attributes = cook->wedge_attributes.data;
    for (uint32_t w = 0; w < cook->wedge_count; w++) {
        unsigned char *bytes = wedges + TRNI_WEDGE_BYTES * (size_t)w;
        double n[3];
        get_direction(bytes + TRNI_VERTEX_NORMAL, n);
        if (gradients) {
            double t[3];
            memcpy(t, gradients + 3 * (size_t)w, sizeof t);
            double along = dot(t, n), length = sqrt(dot(t, t));
            for (int k = 0; k < 3; k++) t[k] -= n[k] * along;
            if (!(sqrt(dot(t, t)) > 1e-4 * length) || !normalise(t)) any_perpendicular(n, t);
            put_direction(bytes + TRNI_VERTEX_TANGENT, t);
        }
        float *to = attributes + TRNI_WEDGE_FLOATS * (size_t)w;
        for (int k = 0; k < 3; k++) to[k] = (float)n[k];
        for (size_t k = 0; k < 2; k++)
            to[3 + k] = has_uv ? trni_float_from_half(trni_get_u16(bytes + TRNI_VERTEX_UV0 + 2 * k)) : 0.0f;
    }
}

trn_result trni_cook_make_wedges(trni_cook *cook, const trni_source *source) {
    const trn_allocator *allocator = &cook->allocator;
    const trn_cook_mesh *mesh = source->mesh;
    size_t vertices = mesh->vertex_count, most_wedges = 2 * vertices;
    if (most_wedges > 3 * source->triangle_count) most_wedges = 3 * source->triangle_count;
    float *uv0 = NULL, *uv1 = NULL;
    double *smooth = NULL;
    weld_scratch scratch = {0};
    trn_result result = TRN_ERROR_OUT_OF_MEMORY;

    scratch.table_size = trni_table_size(most_wedges);
    if (mesh->uv0 && !(uv0 = trni_alloc(allocator, vertices, 2 * sizeof *uv0))) goto done;
    if (mesh->uv1 && !(uv1 = trni_alloc(allocator, vertices, 2 * sizeof *uv1))) goto done;
    if (uv0 && (result = settle_uvs(cook, source, mesh->uv0, uv0)) != TRN_OK) goto done;
    if (uv1 && (result = settle_uvs(cook, source, mesh->uv1, uv1)) != TRN_OK) goto done;
    result = TRN_ERROR_OUT_OF_MEMORY;
    if (cook->stats.uv_error > 1.0f / 1024.0f)
        trni_log(&cook->def.log, TRN_LOG_COOK_WARNING, "%s: UVs as half floats are off by up to %g", cook->name,
                 (double)cook->stats.uv_error);

    if (!(smooth = trni_alloc_zero(allocator, cook->position_count, 3 * sizeof *smooth))) goto done;
    if (!(scratch.packed = trni_alloc_zero(allocator, vertices, TRNI_WEDGE_BYTES))) goto done;
    if (!(scratch.known = trni_alloc(allocator, vertices, 2 * sizeof(uint32_t)))) goto done;
    if (!(scratch.table = TRNI_NEW_ARRAY(allocator, uint32_t, scratch.table_size))) goto done;
    bool gradients = uv0 && !mesh->tangents;
    if (gradients && !(scratch.gradients = trni_alloc_zero(allocator, most_wedges, 3 * sizeof(double)))) goto done;
    smooth_normals(cook, source, smooth);
    pack_vertices(cook, source, smooth, uv0, uv1, scratch.packed);
    if ((result = weld(cook, source, uv0, &scratch)) != TRN_OK) goto done;
    if (!trni_array_reserve(allocator, &cook->wedge_attributes, cook->wedge_count, TRNI_WEDGE_FLOATS * sizeof(float))) {
        result = TRN_ERROR_OUT_OF_MEMORY;
        goto done;
    }
    finish_wedges(cook, uv0 != NULL, scratch.gradients);

    uint64_t used = 0;
    for (size_t v = 0; v < vertices; v++) used += source->vertex_positions[v] != TRNI_NONE;
    cook->stats.duplicate_vertices = used > cook->wedge_count ? used - cook->wedge_count : 0;
    cook->attributes = (mesh->normals ? TRN_ATTRIBUTE_NORMAL : 0) | (mesh->tangents ? TRN_ATTRIBUTE_TANGENT : 0) |
                       (mesh->uv0 ? TRN_ATTRIBUTE_UV0 : 0) | (mesh->uv1 ? TRN_ATTRIBUTE_UV1 : 0) |
                       (mesh->colors ? TRN_ATTRIBUTE_COLOR : 0);
done:
    trni_free(allocator, uv0, vertices, 2 * sizeof *uv0);
    trni_free(allocator, uv1, vertices, 2 * sizeof *uv1);
    trni_free(allocator, smooth, cook->position_count, 3 * sizeof *smooth);
    trni_free(allocator, scratch.packed, vertices, TRNI_WEDGE_BYTES);
    trni_free(allocator, scratch.known, vertices, 2 * sizeof(uint32_t));
    trni_free(allocator, scratch.table, scratch.table_size, sizeof(uint32_t));
    trni_free(allocator, scratch.gradients, most_wedges, 3 * sizeof(double));
    return result;
}
