/* SPDX-License-Identifier: MIT */
/* The bytes of the file (model/model_format.h), one page a level, codec 0.
 *
 * A cluster is stored in the coarsest level that it belongs to, which is where its parent group's level is: so a page
 * holds whole groups, and levels above a stuck cluster list it without storing it again. Page 0 is the coarsest level. */
#include "cook_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/little_endian.h"
#include "model/model_format.h"
#include <terrane/shader/terrane_shared.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define REFERENCES 65536u /* a reference has 16 bits */

typedef struct page_plan {
    uint32_t level;
    uint32_t first_cluster, cluster_count; /* in order */
    size_t first_vertex, vertex_count;     /* in emitted */
    uint32_t triangle_count;
    uint32_t first_group, group_count; /* in cook->groups */
    uint32_t file_group;               /* number of the first in the file */
    uint32_t first_chunk, chunk_count;
    uint32_t first_dependency, dependency_count;
} page_plan;

typedef struct chunk_plan {
    uint64_t offset;
    uint32_t page;
    uint32_t kind;
    uint32_t first, count;
    uint32_t bytes;
} chunk_plan;

typedef struct writer {
    trni_cook *cook;
    const trn_cook_mesh *mesh;
    uint32_t page_count;
    page_plan pages[TRNI_MAX_LEVELS];
    trni_array order;      /* u32 clusters in file order */
    trni_array bases;      /* u32 a cluster in file order: vertex_base */
    trni_array references; /* u16, 64 a cluster in file order */
    trni_array emitted;    /* u32 wedges in file order */
    size_t emitted_count;
    trni_array chunks; /* chunk_plan */
    uint32_t chunk_count;
    uint32_t dependencies[TRNI_MAX_LEVELS * TRNI_MAX_LEVELS / 2];
    uint32_t dependency_count;
    uint32_t material_count;
    uint64_t string_bytes;
    uint64_t tables[6]; /* offsets: levels, pages, dependencies, chunks, materials, strings */
    uint64_t head_bytes, file_bytes;
    unsigned char *bytes;
} writer;

enum { LEVELS, PAGES, DEPENDENCIES, CHUNKS, MATERIALS, STRINGS };

static void writer_free(writer *w) {
    trni_array *arrays[] = {&w->order, &w->bases, &w->references, &w->emitted, &w->chunks};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) trni_array_free(&w->cook->allocator, arrays[i]);
}

static const trni_cook_cluster *cluster_at(const trni_cook *cook, uint32_t index) {
    return (const trni_cook_cluster *)cook->clusters.data + index;
}

static uint32_t page_of_level(const writer *w, uint32_t level) { return w->page_count - 1 - level; }

static uint32_t file_group(const writer *w, uint32_t group) {
    if (group == TRNI_NONE) return TRNI_NONE;
    const page_plan *page = &w->pages[page_of_level(w, ((const trni_cook_group *)w->cook->groups.data)[group].level)];
    return page->file_group + (group - page->first_group);
}

/* ---- what goes where ---- */

/* Clusters by page, then by parent group, then by number. */
static trn_result order_clusters(writer *w) {
    trni_cook *cook = w->cook;
    const trn_allocator *allocator = &cook->allocator;
    size_t count = cook->cluster_count;
    trni_array keys = {0}, scratch_keys = {0}, scratch_values = {0};
    bool ok = trni_array_reserve(allocator, &w->order, count, sizeof(uint32_t)) &&
              trni_array_reserve(allocator, &keys, count, sizeof(uint64_t)) &&
              trni_array_reserve(allocator, &scratch_keys, count, sizeof(uint64_t)) &&
              trni_array_reserve(allocator, &scratch_values, count, sizeof(uint32_t));
    if (ok) {
        for (uint32_t i = 0; i < count; i++) {
            const trni_cook_cluster *cluster = cluster_at(cook, i);
            uint32_t page = page_of_level(w, cluster->last);
            ((uint64_t *)keys.data)[i] = (uint64_t)page << 32 | cluster->parent_group;
            ((uint32_t *)w->order.data)[i] = i;
            w->pages[page].cluster_count++;
            w->pages[page].triangle_count += cluster->triangle_count;
        }
        trni_sort_u64(keys.data, w->order.data, scratch_keys.data, scratch_values.data, count);
    }
    trni_array_free(allocator, &keys);
    trni_array_free(allocator, &scratch_keys);
    trni_array_free(allocator, &scratch_values);
    return ok ? TRN_OK : TRN_ERROR_OUT_OF_MEMORY;
}

/* Each page's vertices in the order its clusters need them. A vertex is used again while 16 bits reach it from where the
 * newest vertices of the cluster lie; else it is stored once more. */
static trn_result emit_vertices(writer *w) {
    trni_cook *cook = w->cook;
    const trn_allocator *allocator = &cook->allocator;
    size_t cluster_count = cook->cluster_count;
    trni_array last_at = {0}; /* u32 a wedge: number within the page, + 1 */
    bool ok = trni_array_reserve(allocator, &w->bases, cluster_count, sizeof(uint32_t)) &&
              trni_array_reserve(allocator, &w->references, cluster_count * TRNI_CLUSTER_VERTICES, sizeof(uint16_t)) &&
              trni_array_reserve(allocator, &last_at, cook->wedge_count, sizeof(uint32_t)) &&
              trni_array_reserve(allocator, &w->emitted, cook->cluster_vertex_count, sizeof(uint32_t));
    if (!ok) {
        trni_array_free(allocator, &last_at);
        return TRN_ERROR_OUT_OF_MEMORY;
    }
    uint32_t *last = last_at.data, *bases = w->bases.data, *emitted = w->emitted.data;
    uint16_t *references = w->references.data;
    const uint32_t *order = w->order.data;
    for (uint32_t p = 0; p < w->page_count; p++) {
        page_plan *page = &w->pages[p];
        page->first_vertex = w->emitted_count;
        memset(last, 0, (size_t)cook->wedge_count * sizeof *last);
        uint32_t count = 0;
        for (uint32_t i = page->first_cluster; i < page->first_cluster + page->cluster_count; i++) {
            const trni_cook_cluster *cluster = cluster_at(cook, order[i]);
            const uint32_t *wedges = (const uint32_t *)cook->cluster_vertices.data + cluster->first_vertex;
            uint32_t end = count + cluster->vertex_count, oldest = end > REFERENCES ? end - REFERENCES : 0;
            uint32_t at[TRNI_CLUSTER_VERTICES], base = TRNI_NONE;
            for (uint32_t v = 0; v < cluster->vertex_count; v++) {
                uint32_t *known = &last[wedges[v]];
                if (*known == 0 || *known - 1 < oldest) {
                    emitted[w->emitted_count++] = wedges[v];
                    *known = ++count;
                }
                at[v] = *known - 1;
                if (at[v] < base) base = at[v];
            }
            bases[i] = base;
            for (uint32_t v = 0; v < cluster->vertex_count; v++)
                references[TRNI_CLUSTER_VERTICES * (size_t)i + v] = (uint16_t)(at[v] - base);
        }
        page->vertex_count = count;
    }
    trni_array_free(allocator, &last_at);
    return TRN_OK;
}

static uint32_t cluster_bytes(const trni_cook_cluster *cluster) {
    return TRNI_CLUSTER_ENTRY_SIZE + 2 * cluster->vertex_count + 3 * cluster->triangle_count;
}

static bool add_chunk(writer *w, uint32_t page, uint32_t kind, uint32_t first, uint32_t count, uint32_t bytes) {
    if (count == 0) return true;
    if (!trni_array_reserve(&w->cook->allocator, &w->chunks, (size_t)w->chunk_count + 1, sizeof(chunk_plan))) return false;
    chunk_plan *chunk = (chunk_plan *)w->chunks.data + w->chunk_count++;
    memset(chunk, 0, sizeof *chunk);
    chunk->page = page;
    chunk->kind = kind;
    chunk->first = first;
    chunk->count = count;
    chunk->bytes = bytes;
    w->pages[page].chunk_count++;
    return true;
}

static bool add_even_chunks(writer *w, uint32_t page, uint32_t kind, size_t total, uint32_t size) {
    size_t most = TRN_CHUNK_MAX_BYTES / size;
    for (size_t first = 0; first < total; first += most) {
        uint32_t count = (uint32_t)(total - first < most ? total - first : most);
        if (!add_chunk(w, page, kind, (uint32_t)first, count, count * size)) return false;
    }
    return true;
}

static bool add_cluster_chunks(writer *w, uint32_t page) {
    const page_plan *plan = &w->pages[page];
    const uint32_t *order = (const uint32_t *)w->order.data + plan->first_cluster;
    uint32_t first = 0, bytes = 0;
    for (uint32_t i = 0; i < plan->cluster_count; i++) {
        uint32_t here = cluster_bytes(cluster_at(w->cook, order[i]));
        if (bytes + here > TRN_CHUNK_MAX_BYTES || (i - first + 1) * TRN_CLUSTER_BYTES > TRN_CHUNK_MAX_BYTES) {
            if (!add_chunk(w, page, TRN_CHUNK_CLUSTERS, first, i - first, bytes)) return false;
            first = i;
            bytes = 0;
        }
        bytes += here;
    }
    return add_chunk(w, page, TRN_CHUNK_CLUSTERS, first, plan->cluster_count - first, bytes);
}

static const char *material_name(const writer *w, uint32_t material, char made[32]) {
    if (w->mesh->material_names && w->mesh->material_names[material]) return w->mesh->material_names[material];
    snprintf(made, 32, "material %u", material);
    return made;
}

static trn_result plan(writer *w, trn_error *error) {
    trni_cook *cook = w->cook;
    w->page_count = cook->level_count;
    uint32_t groups = 0;
    for (uint32_t p = 0; p < w->page_count; p++) {
        page_plan *page = &w->pages[p];
        page->level = page_of_level(w, p);
        page->first_group = cook->level_first_group[page->level];
        page->group_count = cook->level_first_group[page->level + 1] - page->first_group;
        page->file_group = groups;
        groups += page->group_count;
    }
    trn_result result = order_clusters(w);
    if (result != TRN_OK) return result;
    for (uint32_t p = 1; p < w->page_count; p++)
        w->pages[p].first_cluster = w->pages[p - 1].first_cluster + w->pages[p - 1].cluster_count;
    result = emit_vertices(w);
    if (result != TRN_OK) return result;
    for (uint32_t p = 0; p < w->page_count; p++) {
        page_plan *page = &w->pages[p];
        page->first_chunk = w->chunk_count;
        page->first_dependency = w->dependency_count;
        if (!add_even_chunks(w, p, TRN_CHUNK_VERTICES, page->vertex_count, TRNI_VERTEX_SIZE) || !add_cluster_chunks(w, p) ||
            !add_even_chunks(w, p, TRN_CHUNK_GROUPS, page->group_count, TRNI_GROUP_SIZE))
            return TRN_ERROR_OUT_OF_MEMORY;
        bool needed[TRNI_MAX_LEVELS] = {false};
        for (uint32_t i = 0; i < cook->cluster_count; i++) {
            const trni_cook_cluster *cluster = cluster_at(cook, i);
            if (cluster->born == page->level + 1) needed[page_of_level(w, cluster->last)] = true;
        }
        for (uint32_t other = 0; other < w->page_count; other++)
            if (needed[other]) w->dependencies[w->dependency_count++] = other;
        page->dependency_count = w->dependency_count - page->first_dependency;
    }
    w->material_count = w->mesh->material_count ? w->mesh->material_count : 1;
    for (uint32_t m = 0; m < w->material_count; m++) {
        char made[32];
        w->string_bytes += strlen(material_name(w, m, made)) + 1;
    }
    uint64_t sizes[] = {(uint64_t)cook->level_count * TRNI_LEVEL_SIZE, (uint64_t)w->page_count * TRNI_PAGE_SIZE,
                        (uint64_t)w->dependency_count * TRNI_DEPENDENCY_SIZE, (uint64_t)w->chunk_count * TRNI_CHUNK_SIZE,
                        (uint64_t)w->material_count * TRNI_MATERIAL_SIZE, w->string_bytes};
    uint64_t at = TRNI_HEAD_SIZE;
    for (size_t i = 0; i < 6; i++) {
        w->tables[i] = at;
        at += sizes[i];
    }
    w->head_bytes = at;
    if (w->head_bytes > UINT32_MAX) return trni_fail(error, TRN_ERROR_MESH, 0, 0, "%s: material names too long", cook->name);
    chunk_plan *chunks = w->chunks.data;
    for (uint32_t i = 0; i < w->chunk_count; i++) {
        at = (at + 15) / 16 * 16;
        chunks[i].offset = at;
        at += chunks[i].bytes;
    }
    w->file_bytes = at;
    return at > SIZE_MAX / 2 ? TRN_ERROR_OUT_OF_MEMORY : TRN_OK;
}

/* ---- payload ---- */

static void put_sphere(unsigned char *at, const trn_sphere *sphere) {
    for (size_t k = 0; k < 3; k++) trni_put_f32(at + 4 * k, sphere->center[k]);
    trni_put_f32(at + 12, sphere->radius);
}

static void put_cluster(const writer *w, unsigned char *at, uint32_t index, uint32_t number, uint32_t base) {
    const trni_cook *cook = w->cook;
    const trni_cook_cluster *cluster = cluster_at(cook, index);
    const trni_cook_group *groups = cook->groups.data;
    const trni_cook_part *part = (const trni_cook_part *)cook->parts.data + cluster->part;
    const trn_sphere none = {{0, 0, 0}, 0};
    const trni_cook_group *own = cluster->own_group == TRNI_NONE ? NULL : &groups[cluster->own_group];
    const trni_cook_group *parent = cluster->parent_group == TRNI_NONE ? NULL : &groups[cluster->parent_group];
    trn_sphere cull = cluster->sphere;
    if (part->inflation > 0) cull.radius = nextafterf(cull.radius + part->inflation, FLT_MAX);
    uint32_t counts = cluster->vertex_count | cluster->triangle_count << 8 | cluster->born << 16;
    if (part->flags & TRN_SUBMESH_TWO_SIDED) counts |= TRN_CLUSTER_TWO_SIDED;
    if (part->flags & TRN_SUBMESH_ALPHA_TESTED) counts |= TRN_CLUSTER_ALPHA_TESTED;
    if (!own) counts |= TRN_CLUSTER_NO_OWN_GROUP;
    if (!parent) counts |= TRN_CLUSTER_NO_PARENT_GROUP;
    put_sphere(at + TRNI_CLUSTER_OWN_SPHERE, own ? &own->sphere : &none);
    put_sphere(at + TRNI_CLUSTER_PARENT_SPHERE, parent ? &parent->sphere : &none);
    put_sphere(at + TRNI_CLUSTER_CULL_SPHERE, &cull);
    trni_put_f32(at + TRNI_CLUSTER_OWN_ERROR, own ? own->error : 0.0f);
    trni_put_f32(at + TRNI_CLUSTER_PARENT_ERROR, parent ? parent->error : TRN_ERROR_WITHOUT_PARENT);
    trni_put_u32(at + TRNI_CLUSTER_CONE, cluster->cone);
    trni_put_u32(at + TRNI_CLUSTER_COUNTS, counts);
    trni_put_u32(at + TRNI_CLUSTER_MATERIAL, part->material);
    trni_put_u32(at + TRNI_CLUSTER_CHILD_PAGE, own ? page_of_level(w, own->level) : TRN_NO_PAGE);
    trni_put_u32(at + TRNI_CLUSTER_VERTEX_BASE, base);
    trni_put_u32(at + TRNI_CLUSTER_CLUSTER, number);
    trni_put_u32(at + TRNI_CLUSTER_OWN_GROUP, file_group(w, cluster->own_group));
    trni_put_u32(at + TRNI_CLUSTER_PARENT_GROUP, file_group(w, cluster->parent_group));
}

static void put_clusters(const writer *w, const chunk_plan *chunk, unsigned char *to) {
    const trni_cook *cook = w->cook;
    const uint32_t *order = w->order.data, *bases = w->bases.data;
    const uint16_t *references = w->references.data;
    uint32_t begin = w->pages[chunk->page].first_cluster + chunk->first;
    unsigned char *at = to + (size_t)chunk->count * TRNI_CLUSTER_ENTRY_SIZE;
    for (uint32_t i = 0; i < chunk->count; i++) {
        put_cluster(w, to + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE, order[begin + i], chunk->first + i, bases[begin + i]);
        for (uint32_t v = 0; v < cluster_at(cook, order[begin + i])->vertex_count; v++, at += 2)
            trni_put_u16(at, references[TRNI_CLUSTER_VERTICES * (size_t)(begin + i) + v]);
    }
    for (uint32_t i = 0; i < chunk->count; i++) {
        const trni_cook_cluster *cluster = cluster_at(cook, order[begin + i]);
        size_t bytes = 3 * (size_t)cluster->triangle_count;
        memcpy(at, (const uint8_t *)cook->cluster_corners.data + cluster->first_corner, bytes);
        at += bytes;
    }
}

static void put_payload(const writer *w, const chunk_plan *chunk) {
    const trni_cook *cook = w->cook;
    const page_plan *page = &w->pages[chunk->page];
    unsigned char *to = w->bytes + chunk->offset;
    if (chunk->kind == TRN_CHUNK_VERTICES) {
        const uint32_t *emitted = (const uint32_t *)w->emitted.data + page->first_vertex + chunk->first;
        for (uint32_t i = 0; i < chunk->count; i++)
            memcpy(to + (size_t)i * TRNI_VERTEX_SIZE, (const unsigned char *)cook->wedges.data + TRNI_WEDGE_BYTES * (size_t)emitted[i],
                   TRNI_VERTEX_SIZE);
    } else if (chunk->kind == TRN_CHUNK_CLUSTERS) {
        put_clusters(w, chunk, to);
    } else {
        const trni_cook_group *group = (const trni_cook_group *)cook->groups.data + page->first_group + chunk->first;
        for (uint32_t i = 0; i < chunk->count; i++, group++, to += TRNI_GROUP_SIZE) {
            trni_put_f32(to + TRNI_GROUP_ERROR, group->error);
            put_sphere(to + TRNI_GROUP_SPHERE, &group->sphere);
            trni_put_u32(to + TRNI_GROUP_LEVEL, group->level);
            trni_put_u32(to + TRNI_GROUP_MEMBER_COUNT, group->member_count);
            trni_put_u32(to + TRNI_GROUP_PRODUCT_COUNT, group->product_count);
        }
    }
}

/* ---- head ---- */

/* Around everything that was cooked. */
static trn_result model_sphere(const trni_cook *cook, trn_sphere *to) {
    double *points = trni_alloc(&cook->allocator, cook->wedge_count, 4 * sizeof *points);
    if (!points) return TRN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < cook->wedge_count; i++) {
        const float *at = (const float *)cook->positions.data + 3 * (size_t)((const uint32_t *)cook->wedge_positions.data)[i];
        for (size_t k = 0; k < 3; k++) points[4 * (size_t)i + k] = (double)at[k];
        points[4 * (size_t)i + 3] = 0;
    }
    trni_sphere_enclose(points, cook->wedge_count, to);
    trni_free(&cook->allocator, points, cook->wedge_count, 4 * sizeof *points);
    return TRN_OK;
}

/* What stands over the clusters of a page: the errors and spheres of its groups. */
static trn_result page_bounds(const trni_cook *cook, const page_plan *page, const trn_sphere *model, float *parent_error,
                              trn_sphere *sphere) {
    *parent_error = TRN_ERROR_WITHOUT_PARENT;
    *sphere = *model;
    if (page->group_count == 0) return TRN_OK;
    const trni_cook_group *groups = (const trni_cook_group *)cook->groups.data + page->first_group;
    double *spheres = trni_alloc(&cook->allocator, page->group_count, 4 * sizeof *spheres);
    if (!spheres) return TRN_ERROR_OUT_OF_MEMORY;
    *parent_error = 0;
    for (uint32_t i = 0; i < page->group_count; i++) {
        if (groups[i].error > *parent_error) *parent_error = groups[i].error;
        for (size_t k = 0; k < 3; k++) spheres[4 * (size_t)i + k] = (double)groups[i].sphere.center[k];
        spheres[4 * (size_t)i + 3] = (double)groups[i].sphere.radius;
    }
    trni_sphere_enclose(spheres, page->group_count, sphere);
    trni_free(&cook->allocator, spheres, page->group_count, 4 * sizeof *spheres);
    return TRN_OK;
}

static void put_level(const writer *w, const page_plan *page, unsigned char *at, float parent_error, const trn_sphere *sphere) {
    const trni_cook *cook = w->cook;
    const trni_cook_group *groups = cook->groups.data;
    uint32_t clusters = 0;
    uint64_t triangles = 0;
    float own_error = 0;
    for (uint32_t i = 0; i < cook->cluster_count; i++) {
        const trni_cook_cluster *cluster = cluster_at(cook, i);
        if (cluster->born > page->level || cluster->last < page->level) continue;
        clusters++;
        triangles += cluster->triangle_count;
        if (cluster->own_group != TRNI_NONE && groups[cluster->own_group].error > own_error)
            own_error = groups[cluster->own_group].error;
    }
    trni_put_f32(at + TRNI_LEVEL_PARENT_ERROR, parent_error);
    put_sphere(at + TRNI_LEVEL_SPHERE, sphere);
    trni_put_u32(at + TRNI_LEVEL_FIRST_PAGE, page_of_level(w, page->level));
    trni_put_u32(at + TRNI_LEVEL_PAGE_COUNT, 1);
    trni_put_u32(at + TRNI_LEVEL_CLUSTER_COUNT, clusters);
    trni_put_u64(at + TRNI_LEVEL_TRIANGLE_COUNT, triangles);
    trni_put_f32(at + TRNI_LEVEL_OWN_ERROR, own_error);
}

static void put_page(const page_plan *page, unsigned char *at, float parent_error, const trn_sphere *sphere) {
    trni_put_f32(at + TRNI_PAGE_PARENT_ERROR, parent_error);
    put_sphere(at + TRNI_PAGE_SPHERE, sphere);
    trni_put_u32(at + TRNI_PAGE_LEVEL, page->level);
    trni_put_u32(at + TRNI_PAGE_FIRST_CHUNK, page->first_chunk);
    trni_put_u32(at + TRNI_PAGE_CHUNK_COUNT, page->chunk_count);
    trni_put_u32(at + TRNI_PAGE_FIRST_DEPENDENCY, page->first_dependency);
    trni_put_u32(at + TRNI_PAGE_DEPENDENCY_COUNT, page->dependency_count);
    trni_put_u32(at + TRNI_PAGE_VERTEX_COUNT, (uint32_t)page->vertex_count);
    trni_put_u32(at + TRNI_PAGE_CLUSTER_COUNT, page->cluster_count);
    trni_put_u32(at + TRNI_PAGE_TRIANGLE_COUNT, page->triangle_count);
    trni_put_u32(at + TRNI_PAGE_FIRST_GROUP, page->file_group);
    trni_put_u32(at + TRNI_PAGE_GROUP_COUNT, page->group_count);
}

static void put_header(const writer *w, const trn_sphere *sphere) {
    const trni_cook *cook = w->cook;
    unsigned char *at = w->bytes;
    memcpy(at + TRNI_HEAD_MAGIC, TRNI_MODEL_MAGIC, 8);
    trni_put_u32(at + TRNI_HEAD_VERSION, TRNI_MODEL_VERSION);
    trni_put_u32(at + TRNI_HEAD_FEATURES, TRNI_MODEL_FEATURES);
    trni_put_u64(at + TRNI_HEAD_FILE_BYTES, w->file_bytes);
    trni_put_u64(at + TRNI_HEAD_HEAD_BYTES, w->head_bytes);
    for (size_t k = 0; k < 3; k++) {
        trni_put_f64(at + TRNI_HEAD_GRID_ORIGIN + 8 * k, cook->grid_origin[k]);
        trni_put_f32(at + TRNI_HEAD_BOX_MIN + 4 * k, cook->box.min[k]);
        trni_put_f32(at + TRNI_HEAD_BOX_MAX + 4 * k, cook->box.max[k]);
    }
    trni_put_f32(at + TRNI_HEAD_GRID_STEP, (float)cook->grid_step);
    trni_put_f32(at + TRNI_HEAD_QUANTISATION_ERROR, cook->quantisation_error);
    put_sphere(at + TRNI_HEAD_SPHERE, sphere);
    trni_put_u32(at + TRNI_HEAD_LEVEL_COUNT, cook->level_count);
    trni_put_u32(at + TRNI_HEAD_PAGE_COUNT, w->page_count);
    trni_put_u32(at + TRNI_HEAD_CHUNK_COUNT, w->chunk_count);
    trni_put_u32(at + TRNI_HEAD_DEPENDENCY_COUNT, w->dependency_count);
    trni_put_u32(at + TRNI_HEAD_MATERIAL_COUNT, w->material_count);
    trni_put_u32(at + TRNI_HEAD_GROUP_COUNT, cook->group_count);
    trni_put_u32(at + TRNI_HEAD_CLUSTER_COUNT, cook->cluster_count);
    trni_put_u64(at + TRNI_HEAD_SOURCE_TRIANGLES, cook->stats.source_triangles);
    trni_put_u64(at + TRNI_HEAD_STORED_TRIANGLES, cook->stats.stored_triangles);
    trni_put_u64(at + TRNI_HEAD_STORED_VERTICES, cook->stats.stored_vertices);
    trni_put_u32(at + TRNI_HEAD_ERROR_RULE, (uint32_t)cook->def.error_rule);
    trni_put_u32(at + TRNI_HEAD_SIMPLIFIER_VERSION, trni_meshopt_version());
    trni_put_u32(at + TRNI_HEAD_ATTRIBUTES, cook->attributes);
    static const int fields[] = {TRNI_HEAD_LEVEL_TABLE, TRNI_HEAD_PAGE_TABLE,     TRNI_HEAD_DEPENDENCY_TABLE,
                                 TRNI_HEAD_CHUNK_TABLE, TRNI_HEAD_MATERIAL_TABLE, TRNI_HEAD_STRINGS};
    for (size_t i = 0; i < 6; i++) trni_put_u64(at + fields[i], w->tables[i]);
    trni_put_u64(at + TRNI_HEAD_STRING_BYTES, w->string_bytes);
}

static trn_result put_all(writer *w) {
    const trni_cook *cook = w->cook;
    trn_sphere model;
    trn_result result = model_sphere(cook, &model);
    if (result != TRN_OK) return result;
    put_header(w, &model);
    for (uint32_t p = 0; p < w->page_count; p++) {
        const page_plan *page = &w->pages[p];
        float parent_error;
        trn_sphere sphere;
        result = page_bounds(cook, page, &model, &parent_error, &sphere);
        if (result != TRN_OK) return result;
        put_page(page, w->bytes + w->tables[PAGES] + (size_t)p * TRNI_PAGE_SIZE, parent_error, &sphere);
        put_level(w, page, w->bytes + w->tables[LEVELS] + (size_t)page->level * TRNI_LEVEL_SIZE, parent_error, &sphere);
    }
    for (uint32_t i = 0; i < w->dependency_count; i++)
        trni_put_u32(w->bytes + w->tables[DEPENDENCIES] + 4 * (size_t)i, w->dependencies[i]);
    const chunk_plan *chunks = w->chunks.data;
    for (uint32_t i = 0; i < w->chunk_count; i++) {
        const chunk_plan *chunk = &chunks[i];
        unsigned char *at = w->bytes + w->tables[CHUNKS] + (size_t)i * TRNI_CHUNK_SIZE;
        put_payload(w, chunk);
        trni_put_u64(at + TRNI_CHUNK_OFFSET, chunk->offset);
        trni_put_u32(at + TRNI_CHUNK_STORED_BYTES, chunk->bytes);
        trni_put_u32(at + TRNI_CHUNK_DECODED_BYTES, chunk->bytes);
        trni_put_u32(at + TRNI_CHUNK_KIND, chunk->kind);
        trni_put_u32(at + TRNI_CHUNK_FIRST, chunk->first);
        trni_put_u32(at + TRNI_CHUNK_COUNT, chunk->count);
        trni_put_u64(at + TRNI_CHUNK_HASH, XXH64(w->bytes + chunk->offset, chunk->bytes, 0));
    }
    uint64_t string = 0;
    for (uint32_t m = 0; m < w->material_count; m++) {
        char made[32];
        const char *name = material_name(w, m, made);
        size_t length = strlen(name);
        unsigned char *at = w->bytes + w->tables[MATERIALS] + (size_t)m * TRNI_MATERIAL_SIZE;
        trni_put_u32(at + TRNI_MATERIAL_NAME, (uint32_t)string);
        trni_put_u32(at + TRNI_MATERIAL_NAME_BYTES, (uint32_t)length);
        memcpy(w->bytes + w->tables[STRINGS] + string, name, length);
        string += length + 1;
    }
    trni_put_u64(w->bytes + TRNI_HEAD_HASH, XXH64(w->bytes, (size_t)w->head_bytes, 0));
    return TRN_OK;
}

static void fill_stats(writer *w) {
    trni_cook *cook = w->cook;
    const trni_cook_group *groups = cook->groups.data;
    trn_cook_stats *stats = &cook->stats;
    stats->level_count = cook->level_count;
    stats->group_count = cook->group_count;
    stats->cluster_count = cook->cluster_count;
    stats->stored_triangles = cook->cluster_corner_count / 3;
    stats->stored_vertices = w->emitted_count;
    for (uint32_t i = 0; i < cook->cluster_count; i++) stats->terminal_clusters += cluster_at(cook, i)->parent_group == TRNI_NONE;
    for (uint32_t i = 0; i < cook->group_count; i++)
        if (groups[i].error > stats->coarsest_error) stats->coarsest_error = groups[i].error;
}

trn_result trni_cook_write(trni_cook *cook, const trn_cook_mesh *mesh, void **bytes, uint64_t *size, trn_error *error) {
    writer w = {.cook = cook, .mesh = mesh};
    trn_result result = plan(&w, error);
    if (result == TRN_OK) {
        fill_stats(&w);
        w.bytes = trni_alloc_zero(&cook->allocator, (size_t)w.file_bytes, 1);
        result = w.bytes ? put_all(&w) : TRN_ERROR_OUT_OF_MEMORY;
    }
    writer_free(&w);
    if (result != TRN_OK) {
        trni_free(&cook->allocator, w.bytes, (size_t)w.file_bytes, 1);
        return result;
    }
    *bytes = w.bytes;
    *size = w.file_bytes;
    return TRN_OK;
}
