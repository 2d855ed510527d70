/* SPDX-License-Identifier: MIT */
/* Loads a whole model file: every chunk checked, clusters and groups unpacked, positions welded on the grid. */
#include "model_data.h"

#include <string.h>
#include <terrane/shader/terrane_shared.h>

#include "base/little_endian.h"
#include "model/model_format.h"

/* Positions by grid place: open addressing, twice as many slots as vertices, so that a free one is near. */
typedef struct weld_table {
    uint64_t *keys; /* place + 1; 0: free */
    uint32_t *ids;
    size_t slots; /* 1 << bits */
    uint32_t bits;
} weld_table;

static bool make_weld_table(const trn_allocator *allocator, weld_table *table, uint64_t vertices) {
    table->bits = 6;
    while ((uint64_t)1 << table->bits < vertices * 2) table->bits++;
    table->slots = (size_t)1 << table->bits;
    table->keys = TRNI_NEW_ARRAY(allocator, uint64_t, table->slots);
    table->ids = trni_alloc(allocator, table->slots, sizeof *table->ids);
    return table->keys && table->ids;
}

static void free_weld_table(const trn_allocator *allocator, weld_table *table) {
    trni_free(allocator, table->keys, table->slots, sizeof *table->keys);
    trni_free(allocator, table->ids, table->slots, sizeof *table->ids);
}

static uint32_t weld(trn_model_data *data, weld_table *table, const unsigned char *vertex) {
    uint16_t place[3];
    for (int axis = 0; axis < 3; axis++) place[axis] = trni_get_u16(vertex + TRNI_VERTEX_POSITION + 2 * axis);
    uint64_t key = ((uint64_t)place[0] | (uint64_t)place[1] << 16 | (uint64_t)place[2] << 32) + 1;
    size_t slot = (size_t)((key * 0x9e3779b97f4a7c15u) >> (64 - table->bits));
    while (table->keys[slot] != 0 && table->keys[slot] != key) slot = (slot + 1) & (table->slots - 1);
    if (table->keys[slot] == 0) {
        table->keys[slot] = key;
        table->ids[slot] = data->position_count;
        memcpy(data->positions + 3 * (size_t)data->position_count++, place, sizeof place);
    }
    return table->ids[slot];
}

static void get_sphere(const unsigned char *at, float sphere[4]) {
    for (int i = 0; i < 4; i++) sphere[i] = trni_get_f32(at + 4 * i);
}

static void load_clusters(trn_model_data *data, const trn_model_chunk *chunk, const unsigned char *bytes,
                          uint32_t first_cluster, const uint32_t *vertex_ids) {
    const unsigned char *reference = bytes + (size_t)chunk->count * TRNI_CLUSTER_ENTRY_SIZE, *corner = reference;
    for (uint32_t i = 0; i < chunk->count; i++)
        corner += 2 * (trni_get_u32(bytes + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE + TRNI_CLUSTER_COUNTS) & 0xff);
    for (uint32_t i = 0; i < chunk->count; i++) {
        const unsigned char *entry = bytes + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE;
        uint32_t counts = trni_get_u32(entry + TRNI_CLUSTER_COUNTS),
                 base = trni_get_u32(entry + TRNI_CLUSTER_VERTEX_BASE);
        data_cluster *cluster = &data->clusters[first_cluster + chunk->first + i];
        get_sphere(entry + TRNI_CLUSTER_OWN_SPHERE, cluster->own_sphere);
        get_sphere(entry + TRNI_CLUSTER_PARENT_SPHERE, cluster->parent_sphere);
        get_sphere(entry + TRNI_CLUSTER_CULL_SPHERE, cluster->cull_sphere);
        cluster->own_error = trni_get_f32(entry + TRNI_CLUSTER_OWN_ERROR);
        cluster->parent_error = trni_get_f32(entry + TRNI_CLUSTER_PARENT_ERROR);
        cluster->flags = counts & 0xff000000u;
        cluster->born = counts >> 16 & 0xff;
        cluster->stored = chunk->level;
        cluster->page = chunk->page;
        cluster->child_page = trni_get_u32(entry + TRNI_CLUSTER_CHILD_PAGE);
        cluster->own_group = trni_get_u32(entry + TRNI_CLUSTER_OWN_GROUP);
        cluster->parent_group = trni_get_u32(entry + TRNI_CLUSTER_PARENT_GROUP);
        cluster->material = trni_get_u32(entry + TRNI_CLUSTER_MATERIAL);
        cluster->first_triangle = data->triangle_end;
        cluster->triangle_count = counts >> 8 & 0xff;
        for (uint32_t c = 0; c < 3 * cluster->triangle_count; c++)
            data->corners[3 * (size_t)data->triangle_end + c] =
                vertex_ids[base + trni_get_u16(reference + 2 * (size_t)*corner++)];
        data->triangle_end += cluster->triangle_count;
        reference += 2 * (counts & 0xff);
    }
}

static void load_groups(trn_model_data *data, const trn_model_chunk *chunk, const unsigned char *bytes,
                        uint32_t first_group) {
    for (uint32_t i = 0; i < chunk->count; i++) {
        const unsigned char *record = bytes + (size_t)i * TRNI_GROUP_SIZE;
        data_group *group = &data->groups[first_group + chunk->first + i];
        group->error = trni_get_f32(record + TRNI_GROUP_ERROR);
        get_sphere(record + TRNI_GROUP_SPHERE, group->sphere);
        group->level = trni_get_u32(record + TRNI_GROUP_LEVEL);
        group->page = chunk->page;
        group->member_count = trni_get_u32(record + TRNI_GROUP_MEMBER_COUNT);
        group->product_count = trni_get_u32(record + TRNI_GROUP_PRODUCT_COUNT);
    }
}

/* Group numbers are indices from here on. */
static trn_result check_groups(const trn_model_data *data, uint32_t first, uint32_t count, const char *name,
                               trn_error *error) {
    for (uint32_t c = first; c < first + count; c++) {
        const data_cluster *cluster = &data->clusters[c];
        if ((cluster->own_group != TRNI_NO_GROUP && cluster->own_group >= data->info.group_count) ||
            (cluster->parent_group != TRNI_NO_GROUP && cluster->parent_group >= data->info.group_count))
            return trni_fail(error, TRN_ERROR_FORMAT, c, 0, "%s: cluster %u names a group that is not there", name, c);
        if (cluster->material >= data->info.material_count)
            return trni_fail(error, TRN_ERROR_FORMAT, c, 0, "%s: cluster %u names a material that is not there", name,
                             c);
    }
    return TRN_OK;
}

static trn_result load_page(trn_model_data *data, uint32_t index, uint32_t first_cluster, const unsigned char *file,
                            weld_table *table, uint32_t *vertex_ids, const char *name, trn_error *error) {
    trn_model_page page;
    trn_model_get_page(data->tables, index, &page);
    uint32_t triangles_before = data->triangle_end;
    for (uint32_t c = 0; c < page.chunk_count; c++) {
        trn_model_chunk chunk;
        trn_error found = {0};
        trn_model_get_chunk(data->tables, page.first_chunk + c, &chunk);
        const unsigned char *bytes = file + chunk.offset;
        trn_result result = trn_chunk_check(&chunk, data->info.page_count, bytes, chunk.stored_bytes, &found);
        if (result != TRN_OK) return trni_fail(error, result, index, chunk.offset, "%s: %s", name, found.text);
        if (chunk.kind == TRN_CHUNK_VERTICES)
            for (uint32_t v = 0; v < chunk.count; v++)
                vertex_ids[chunk.first + v] = weld(data, table, bytes + (size_t)v * TRNI_VERTEX_SIZE);
        if (chunk.kind == TRN_CHUNK_CLUSTERS) {
            uint64_t triangles = 0;
            for (uint32_t i = 0; i < chunk.count; i++)
                triangles +=
                    trni_get_u32(bytes + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE + TRNI_CLUSTER_COUNTS) >> 8 & 0xff;
            if (triangles > page.triangle_count - (data->triangle_end - triangles_before))
                return trni_fail(error, TRN_ERROR_FORMAT, index, chunk.offset,
                                 "%s: page %u has more triangles than it says", name, index);
            load_clusters(data, &chunk, bytes, first_cluster, vertex_ids);
        }
        if (chunk.kind == TRN_CHUNK_GROUPS) load_groups(data, &chunk, bytes, page.first_group);
    }
    if (data->triangle_end - triangles_before != page.triangle_count)
        return trni_fail(error, TRN_ERROR_FORMAT, index, 0, "%s: page %u has fewer triangles than it says", name,
                         index);
    return check_groups(data, first_cluster, page.cluster_count, name, error);
}

static trn_result load_pages(trn_model_data *data, const unsigned char *file, const char *name, trn_error *error) {
    weld_table table = {0};
    uint32_t *vertex_ids = NULL, largest = 0, cluster = 0;
    for (uint32_t p = 0; p < data->info.page_count; p++) {
        trn_model_page page;
        trn_model_get_page(data->tables, p, &page);
        if (page.vertex_count > largest) largest = page.vertex_count;
    }
    vertex_ids = TRNI_NEW_ARRAY(&data->allocator, uint32_t, largest);
    trn_result result = TRN_ERROR_OUT_OF_MEMORY;
    if (make_weld_table(&data->allocator, &table, data->info.stored_vertices) && vertex_ids) {
        result = TRN_OK;
        for (uint32_t p = 0; p < data->info.page_count && result == TRN_OK; p++) {
            trn_model_page page;
            trn_model_get_page(data->tables, p, &page);
            result = load_page(data, p, cluster, file, &table, vertex_ids, name, error);
            cluster += page.cluster_count;
        }
    }
    free_weld_table(&data->allocator, &table);
    trni_free(&data->allocator, vertex_ids, largest, sizeof *vertex_ids);
    return result;
}

trn_result trn_model_data_load(const void *file, uint64_t size, const char *name, const trn_allocator *hook,
                               trn_model_data **loaded, trn_error *error) {
    trn_allocator allocator;
    if (!file || !loaded || !trni_allocator_make(&allocator, hook)) return TRN_ERROR_ARGUMENT;
    if (!name) name = "model";
    trn_model_data *data = TRNI_NEW(&allocator, trn_model_data);
    if (!data) return trni_fail(error, TRN_ERROR_OUT_OF_MEMORY, 0, 0, "%s: no memory", name);
    data->allocator = allocator;
    trn_result result = trn_model_open(file, (size_t)size, size, name, &allocator, &data->tables, error);
    if (result == TRN_OK) {
        trn_model_get_info(data->tables, &data->info);
        data->clusters = TRNI_NEW_ARRAY(&allocator, data_cluster, data->info.cluster_count);
        data->groups = TRNI_NEW_ARRAY(&allocator, data_group, data->info.group_count);
        data->corners = TRNI_NEW_ARRAY(&allocator, uint32_t, (size_t)data->info.stored_triangles * 3);
        data->positions = TRNI_NEW_ARRAY(&allocator, uint16_t, (size_t)data->info.stored_vertices * 3);
        bool made = data->clusters && data->groups && data->corners && data->positions;
        result = made ? load_pages(data, file, name, error) : TRN_ERROR_OUT_OF_MEMORY;
        if (result == TRN_ERROR_OUT_OF_MEMORY) trni_fail(error, result, 0, 0, "%s: no memory", name);
    }
    if (result != TRN_OK) {
        trn_model_data_free(data);
        return result;
    }
    *loaded = data;
    return TRN_OK;
}

void trn_model_data_free(trn_model_data *data) {
    if (!data) return;
    const trn_allocator allocator = data->allocator;
    trni_free(&allocator, data->clusters, data->info.cluster_count, sizeof *data->clusters);
    trni_free(&allocator, data->groups, data->info.group_count, sizeof *data->groups);
    trni_free(&allocator, data->corners, (size_t)data->info.stored_triangles * 3, sizeof *data->corners);
    trni_free(&allocator, data->positions, (size_t)data->info.stored_vertices * 3, sizeof *data->positions);
    trn_model_close(data->tables);
    trni_free(&allocator, data, 1, sizeof *data);
}

const trn_model *trn_model_data_tables(const trn_model_data *data) { return data->tables; }
