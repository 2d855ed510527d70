/* SPDX-License-Identifier: MIT */
/* Opening a model's head. Nothing in the bytes is believed: sizes come first, then the hash, then every record; after
 * that the tables are plain structs and the rest of the library uses them unchecked. */
#include "base/base_internal.h"
#include "base/little_endian.h"
#include "model_format.h"

#include <string.h>
#include <terrane/model.h>
#include <terrane/shader/terrane_shared.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HEAD_MAX (1ull << 30)
#define KNOWN_ATTRIBUTES \
    (TRN_ATTRIBUTE_NORMAL | TRN_ATTRIBUTE_TANGENT | TRN_ATTRIBUTE_UV0 | TRN_ATTRIBUTE_UV1 | TRN_ATTRIBUTE_COLOR)

struct trn_model {
    trn_allocator allocator;
    size_t bytes; /* of the whole object */
    trn_model_info info;
    trn_model_level *levels;
    trn_model_page *pages;
    trn_model_chunk *chunks;
    uint32_t *dependencies;
    uint32_t *material_names; /* offsets in the strings */
    char *strings;
};

/* What a check needs to say where it failed. */
typedef struct opening {
    const unsigned char *head;
    uint64_t head_bytes;
    const char *name;
    trn_error *error;
} opening;

static bool refuse(const opening *o, uint64_t place, const char *reason) {
    trni_fail(o->error, TRN_ERROR_FORMAT, 0, place, "%s: byte %llu: %s", o->name, (unsigned long long)place, reason);
    return false;
}

static bool finite_float(float value) { return value - value == 0.0f; }

/* ---- header ---- */

trn_result trn_model_head_bytes(const void *header, size_t bytes, uint64_t *head_bytes, trn_error *error) {
    if (!header || !head_bytes) return TRN_ERROR_ARGUMENT;
    const unsigned char *head = header;
    if (bytes < TRNI_HEAD_SIZE || memcmp(head, TRNI_MODEL_MAGIC, 8) != 0)
        return trni_fail(error, TRN_ERROR_FORMAT, 0, 0, "not a Terrane model");
    if (trni_get_u32(head + TRNI_HEAD_VERSION) != TRNI_MODEL_VERSION)
        return trni_fail(error, TRN_ERROR_VERSION, 0, TRNI_HEAD_VERSION, "model of version %u, this library reads %u",
                         trni_get_u32(head + TRNI_HEAD_VERSION), TRNI_MODEL_VERSION);
    uint64_t size = trni_get_u64(head + TRNI_HEAD_HEAD_BYTES);
    if (size < TRNI_HEAD_SIZE || size > HEAD_MAX)
        return trni_fail(error, TRN_ERROR_FORMAT, 0, TRNI_HEAD_HEAD_BYTES, "its head claims a size that cannot be");
    *head_bytes = size;
    return TRN_OK;
}

/* The hash covers the head with its own eight bytes as zero. */
static uint64_t head_hash(const unsigned char *head, uint64_t bytes) {
    unsigned char header[TRNI_HEAD_SIZE];
    memcpy(header, head, sizeof header);
    memset(header + TRNI_HEAD_HASH, 0, 8);
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    XXH64_update(&state, header, sizeof header);
    XXH64_update(&state, head + sizeof header, (size_t)bytes - sizeof header);
    return XXH64_digest(&state);
}

static bool all_zero(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0) return false;
    return true;
}

/* A power of two, not denormal. */
static bool power_of_two(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x807fffffu) == 0 && bits >> 23 > 0 && bits >> 23 < 255;
}

static bool read_header(const opening *o, trn_model_info *info) {
    const unsigned char *head = o->head;
    if (trni_get_u32(head + TRNI_HEAD_FEATURES) & ~TRNI_MODEL_FEATURES)
        return refuse(o, TRNI_HEAD_FEATURES, "it uses features that this library does not know");
    if (trni_get_u32(head + TRNI_HEAD_VERTEX_LAYOUT) != 0)
        return refuse(o, TRNI_HEAD_VERTEX_LAYOUT, "unknown vertex layout");
    if (trni_get_u32(head + TRNI_HEAD_RESERVED) != 0 || !all_zero(head + TRNI_HEAD_RESERVED2, 16))
        return refuse(o, TRNI_HEAD_RESERVED, "reserved bytes are not zero");
    *info = (trn_model_info){.file_bytes = trni_get_u64(head + TRNI_HEAD_FILE_BYTES),
                             .head_bytes = o->head_bytes,
                             .version = trni_get_u32(head + TRNI_HEAD_VERSION),
                             .level_count = trni_get_u32(head + TRNI_HEAD_LEVEL_COUNT),
                             .page_count = trni_get_u32(head + TRNI_HEAD_PAGE_COUNT),
                             .chunk_count = trni_get_u32(head + TRNI_HEAD_CHUNK_COUNT),
                             .dependency_count = trni_get_u32(head + TRNI_HEAD_DEPENDENCY_COUNT),
                             .material_count = trni_get_u32(head + TRNI_HEAD_MATERIAL_COUNT),
                             .group_count = trni_get_u32(head + TRNI_HEAD_GROUP_COUNT),
                             .cluster_count = trni_get_u32(head + TRNI_HEAD_CLUSTER_COUNT),
                             .source_triangles = trni_get_u64(head + TRNI_HEAD_SOURCE_TRIANGLES),
                             .stored_triangles = trni_get_u64(head + TRNI_HEAD_STORED_TRIANGLES),
                             .stored_vertices = trni_get_u64(head + TRNI_HEAD_STORED_VERTICES),
                             .grid_step = trni_get_f32(head + TRNI_HEAD_GRID_STEP),
                             .quantisation_error = trni_get_f32(head + TRNI_HEAD_QUANTISATION_ERROR),
                             .vertex_bytes = TRN_VERTEX_BYTES,
                             .attributes = trni_get_u32(head + TRNI_HEAD_ATTRIBUTES),
                             .simplifier_version = trni_get_u32(head + TRNI_HEAD_SIMPLIFIER_VERSION)};
    uint32_t rule = trni_get_u32(head + TRNI_HEAD_ERROR_RULE);
    if (rule != TRN_ERROR_RULE_ADDITIVE && rule != TRN_ERROR_RULE_MAX)
        return refuse(o, TRNI_HEAD_ERROR_RULE, "unknown error rule");
    info->error_rule = (trn_error_rule)rule;
    for (int axis = 0; axis < 3; axis++) {
        info->grid_origin[axis] = trni_get_f64(head + TRNI_HEAD_GRID_ORIGIN + 8 * axis);
        info->box.min[axis] = trni_get_f32(head + TRNI_HEAD_BOX_MIN + 4 * axis);
        info->box.max[axis] = trni_get_f32(head + TRNI_HEAD_BOX_MAX + 4 * axis);
        info->sphere.center[axis] = trni_get_f32(head + TRNI_HEAD_SPHERE + 4 * axis);
        if (info->grid_origin[axis] - info->grid_origin[axis] != 0.0)
            return refuse(o, TRNI_HEAD_GRID_ORIGIN, "grid is not finite");
        if (!finite_float(info->box.min[axis]) || !finite_float(info->box.max[axis]) ||
            info->box.min[axis] > info->box.max[axis])
            return refuse(o, TRNI_HEAD_BOX_MIN, "the box is not one");
        if (!finite_float(info->sphere.center[axis])) return refuse(o, TRNI_HEAD_SPHERE, "the sphere is not finite");
    }
    info->sphere.radius = trni_get_f32(head + TRNI_HEAD_SPHERE + 12);
    if (!(info->sphere.radius >= 0.0f) || !finite_float(info->sphere.radius))
        return refuse(o, TRNI_HEAD_SPHERE, "the sphere's radius is not one");
    if (info->attributes & ~KNOWN_ATTRIBUTES) return refuse(o, TRNI_HEAD_ATTRIBUTES, "unknown attributes");
    if (!power_of_two(info->grid_step)) return refuse(o, TRNI_HEAD_GRID_STEP, "the grid's step is no power of two");
    if (!(info->quantisation_error >= 0.0f) || !finite_float(info->quantisation_error))
        return refuse(o, TRNI_HEAD_QUANTISATION_ERROR, "the quantisation error is not a length");
    if (info->level_count < 1 || info->level_count > 64)
        return refuse(o, TRNI_HEAD_LEVEL_COUNT, "1 to 64 levels are possible");
    if (info->page_count < info->level_count) return refuse(o, TRNI_HEAD_PAGE_COUNT, "fewer pages than levels");
    if (info->stored_triangles > TRNI_MODEL_MAX_ELEMENTS || info->stored_vertices > TRNI_MODEL_MAX_ELEMENTS)
        return refuse(o, TRNI_HEAD_STORED_TRIANGLES, "more triangles or vertices than can be counted");
    if (info->file_bytes < o->head_bytes) return refuse(o, TRNI_HEAD_FILE_BYTES, "the file is smaller than its head");
    return true;
}

/* ---- tables: they follow the header without gaps, and end with the head ---- */

typedef struct table_places {
    uint64_t levels, pages, dependencies, chunks, materials, strings, string_bytes;
} table_places;

static bool next_table(const opening *o, uint32_t field, uint64_t *place, uint64_t count, uint64_t size) {
    uint64_t bytes;
    if (trni_get_u64(o->head + field) != *place) return refuse(o, field, "a table is not where the one before it ends");
    if (!trni_mul_u64(count, size, &bytes) || bytes > o->head_bytes - *place)
        return refuse(o, field, "a table does not fit in the head");
    *place += bytes;
    return true;
}

static bool find_tables(const opening *o, const trn_model_info *info, table_places *at) {
    uint64_t place = TRNI_HEAD_SIZE;
    at->levels = place;
    if (!next_table(o, TRNI_HEAD_LEVEL_TABLE, &place, info->level_count, TRNI_LEVEL_SIZE)) return false;
    at->pages = place;
    if (!next_table(o, TRNI_HEAD_PAGE_TABLE, &place, info->page_count, TRNI_PAGE_SIZE)) return false;
    at->dependencies = place;
    if (!next_table(o, TRNI_HEAD_DEPENDENCY_TABLE, &place, info->dependency_count, TRNI_DEPENDENCY_SIZE)) return false;
    at->chunks = place;
    if (!next_table(o, TRNI_HEAD_CHUNK_TABLE, &place, info->chunk_count, TRNI_CHUNK_SIZE)) return false;
    at->materials = place;
    if (!next_table(o, TRNI_HEAD_MATERIAL_TABLE, &place, info->material_count, TRNI_MATERIAL_SIZE)) return false;
    at->strings = place;
    at->string_bytes = trni_get_u64(o->head + TRNI_HEAD_STRING_BYTES);
    if (!next_table(o, TRNI_HEAD_STRINGS, &place, at->string_bytes, 1)) return false;
    return place == o->head_bytes || refuse(o, TRNI_HEAD_HEAD_BYTES, "bytes follow the last table");
}

static trn_model *make_model(const trn_allocator *allocator, const trn_model_info *info, const table_places *at) {
    /* One block, 8-byte records first: the counts are bounded by the head's size, so the sum cannot overflow. */
    size_t levels = sizeof(trn_model), chunks = levels + info->level_count * sizeof(trn_model_level);
    size_t pages = chunks + info->chunk_count * sizeof(trn_model_chunk);
    size_t dependencies = pages + info->page_count * sizeof(trn_model_page);
    size_t materials = dependencies + info->dependency_count * sizeof(uint32_t);
    size_t strings = materials + info->material_count * sizeof(uint32_t);
    size_t bytes = strings + (size_t)at->string_bytes;
    char *block = trni_alloc_zero(allocator, bytes, 1);
    if (!block) return NULL;
    trn_model *model = (trn_model *)(void *)block;
    *model = (trn_model){.allocator = *allocator,
                         .bytes = bytes,
                         .info = *info,
                         .levels = (trn_model_level *)(void *)(block + levels),
                         .pages = (trn_model_page *)(void *)(block + pages),
                         .chunks = (trn_model_chunk *)(void *)(block + chunks),
                         .dependencies = (uint32_t *)(void *)(block + dependencies),
                         .material_names = (uint32_t *)(void *)(block + materials),
                         .strings = block + strings};
    return model;
}

static bool read_sphere(const unsigned char *at, trn_sphere *sphere) {
    for (int axis = 0; axis < 3; axis++) {
        sphere->center[axis] = trni_get_f32(at + 4 * axis);
        if (!finite_float(sphere->center[axis])) return false;
    }
    sphere->radius = trni_get_f32(at + 12);
    return sphere->radius >= 0.0f && finite_float(sphere->radius);
}

static bool valid_error(float error) { return error >= 0.0f && error < TRN_ERROR_WITHOUT_PARENT; }
/* The error of what replaces something: a length, or the mark for "nothing does". */
static bool valid_parent_error(float error) { return valid_error(error) || error == TRN_ERROR_WITHOUT_PARENT; }

static bool read_levels(const opening *o, const table_places *at, trn_model *model) {
    for (uint32_t i = 0; i < model->info.level_count; i++) {
        uint64_t place = at->levels + (uint64_t)i * TRNI_LEVEL_SIZE;
        const unsigned char *from = o->head + place;
        trn_model_level *level = &model->levels[i];
        level->parent_error = trni_get_f32(from + TRNI_LEVEL_PARENT_ERROR);
        level->own_error = trni_get_f32(from + TRNI_LEVEL_OWN_ERROR);
        level->first_page = trni_get_u32(from + TRNI_LEVEL_FIRST_PAGE);
        level->page_count = trni_get_u32(from + TRNI_LEVEL_PAGE_COUNT);
        level->cluster_count = trni_get_u32(from + TRNI_LEVEL_CLUSTER_COUNT);
        level->triangle_count = trni_get_u64(from + TRNI_LEVEL_TRIANGLE_COUNT);
        if (!read_sphere(from + TRNI_LEVEL_SPHERE, &level->sphere) || !valid_parent_error(level->parent_error) ||
            !valid_error(level->own_error))
            return refuse(o, place, "a level's error or sphere is not one");
        if (trni_get_u32(from + TRNI_LEVEL_RESERVED) != 0)
            return refuse(o, place, "reserved bytes of a level are not zero");
        if ((level->parent_error == TRN_ERROR_WITHOUT_PARENT) != (i + 1 == model->info.level_count))
            return refuse(o, place, "the coarsest level alone has nothing coarser");
        if (level->page_count < 1) return refuse(o, place, "a level has no page");
        if (level->cluster_count < 1 || level->cluster_count > model->info.cluster_count ||
            level->triangle_count < level->cluster_count || level->triangle_count > model->info.stored_triangles)
            return refuse(o, place, "a level's clusters or triangles are more than there are");
    }
    uint64_t page = 0; /* coarse to fine, without gaps */
    for (uint32_t i = model->info.level_count; i-- > 0;) {
        if (model->levels[i].first_page != page)
            return refuse(o, at->levels, "the levels do not share the pages in order");
        page += model->levels[i].page_count;
    }
    return page == model->info.page_count || refuse(o, at->levels, "the levels do not share all pages");
}

static bool read_pages(const opening *o, const table_places *at, trn_model *model) {
    uint64_t chunk = 0, dependency = 0, group = 0, cluster = 0, triangles = 0, vertices = 0;
    for (uint32_t i = 0; i < model->info.page_count; i++) {
        uint64_t place = at->pages + (uint64_t)i * TRNI_PAGE_SIZE;
        const unsigned char *from = o->head + place;
        trn_model_page *page = &model->pages[i];
        page->parent_error = trni_get_f32(from + TRNI_PAGE_PARENT_ERROR);
        page->level = trni_get_u32(from + TRNI_PAGE_LEVEL);
        page->first_chunk = trni_get_u32(from + TRNI_PAGE_FIRST_CHUNK);
        page->chunk_count = trni_get_u32(from + TRNI_PAGE_CHUNK_COUNT);
        page->first_dependency = trni_get_u32(from + TRNI_PAGE_FIRST_DEPENDENCY);
        page->dependency_count = trni_get_u32(from + TRNI_PAGE_DEPENDENCY_COUNT);
        page->vertex_count = trni_get_u32(from + TRNI_PAGE_VERTEX_COUNT);
        page->cluster_count = trni_get_u32(from + TRNI_PAGE_CLUSTER_COUNT);
        page->triangle_count = trni_get_u32(from + TRNI_PAGE_TRIANGLE_COUNT);
        page->first_group = trni_get_u32(from + TRNI_PAGE_FIRST_GROUP);
        page->group_count = trni_get_u32(from + TRNI_PAGE_GROUP_COUNT);
        if (!read_sphere(from + TRNI_PAGE_SPHERE, &page->sphere) || !valid_parent_error(page->parent_error))
            return refuse(o, place, "a page's error or sphere is not one");
        if (trni_get_u32(from + TRNI_PAGE_RESERVED) != 0)
            return refuse(o, place, "reserved bytes of a page are not zero");
        if (page->level >= model->info.level_count) return refuse(o, place, "a page is of a level that is not there");
        const trn_model_level *level = &model->levels[page->level];
        if (i < level->first_page || i - level->first_page >= level->page_count)
            return refuse(o, place, "a page is not among its level's");
        bool coarsest = page->level + 1 == model->info.level_count;
        if ((page->parent_error == TRN_ERROR_WITHOUT_PARENT) != coarsest)
            return refuse(o, place, "pages of the coarsest level alone have nothing coarser");
        if (page->vertex_count < 1 || page->cluster_count < 1) return refuse(o, place, "an empty page");
        if (page->triangle_count < page->cluster_count ||
            page->triangle_count > (uint64_t)page->cluster_count * TRN_CLUSTER_MAX_TRIANGLES)
            return refuse(o, place, "a page's triangles do not go with its clusters");
        if (page->first_chunk != chunk || page->chunk_count < 2)
            return refuse(o, place, "the pages do not share the chunks in order");
        if (page->first_dependency != dependency)
            return refuse(o, place, "the pages do not share the dependencies in order");
        if (page->first_group != group) return refuse(o, place, "the pages do not share the groups in order");
        if (coarsest ? page->dependency_count != 0 || page->group_count != 0
                     : page->dependency_count == 0 || page->group_count == 0)
            return refuse(o, place, "a page depends on coarser ones unless it is of the coarsest level");
        chunk += page->chunk_count, dependency += page->dependency_count, group += page->group_count;
        cluster += page->cluster_count, triangles += page->triangle_count, vertices += page->vertex_count;
        if (chunk > model->info.chunk_count || dependency > model->info.dependency_count ||
            group > model->info.group_count)
            return refuse(o, place, "a page's chunks, dependencies or groups go past the tables");
    }
    if (chunk != model->info.chunk_count || dependency != model->info.dependency_count ||
        group != model->info.group_count || cluster != model->info.cluster_count ||
        triangles != model->info.stored_triangles || vertices != model->info.stored_vertices)
        return refuse(o, at->pages, "the pages do not add up to the header's counts");
    return true;
}

static bool read_dependencies(const opening *o, const table_places *at, trn_model *model) {
    for (uint32_t p = 0; p < model->info.page_count; p++) {
        const trn_model_page *page = &model->pages[p];
        for (uint32_t d = 0; d < page->dependency_count; d++) {
            uint32_t entry = page->first_dependency + d;
            uint64_t place = at->dependencies + (uint64_t)entry * TRNI_DEPENDENCY_SIZE;
            uint32_t on = trni_get_u32(o->head + place);
            if (on >= p || model->pages[on].level <= page->level)
                return refuse(o, place, "a page depends on one that is not coarser");
            if (d > 0 && on <= model->dependencies[entry - 1]) return refuse(o, place, "dependencies are not in order");
            model->dependencies[entry] = on;
        }
    }
    return true;
}

/* Elements of each kind must cover the page's, in order. */
static bool count_chunk(const trn_model_page *page, trn_model_chunk *chunk, uint32_t covered[3]) {
    uint32_t total = chunk->kind == TRN_CHUNK_VERTICES   ? page->vertex_count
                     : chunk->kind == TRN_CHUNK_CLUSTERS ? page->cluster_count
                                                         : page->group_count;
    if (chunk->first != covered[chunk->kind] || chunk->count < 1 || chunk->count > total - chunk->first) return false;
    covered[chunk->kind] += chunk->count;
    return true;
}

static bool chunk_sizes_valid(trn_model_chunk *chunk) {
    uint64_t placed = 0, least = 0, most = 0, count = chunk->count;
    if (chunk->kind == TRN_CHUNK_VERTICES) placed = least = most = count * TRN_VERTEX_BYTES;
    if (chunk->kind == TRN_CHUNK_CLUSTERS) {
        placed = count * TRN_CLUSTER_BYTES;
        least = count * (TRNI_CLUSTER_ENTRY_SIZE + 2 + 3);
        most = count * (TRNI_CLUSTER_ENTRY_SIZE + 2 * TRN_CLUSTER_MAX_VERTICES + 3 * TRN_CLUSTER_MAX_TRIANGLES);
    }
    if (chunk->kind == TRN_CHUNK_GROUPS) least = most = count * TRNI_GROUP_SIZE;
    chunk->placed_bytes = (uint32_t)placed;
    return placed <= TRN_CHUNK_MAX_BYTES && chunk->decoded_bytes >= least && chunk->decoded_bytes <= most &&
           chunk->decoded_bytes <= TRN_CHUNK_MAX_BYTES && chunk->stored_bytes == chunk->decoded_bytes;
}

static bool read_chunks(const opening *o, const table_places *at, trn_model *model) {
    uint64_t end = o->head_bytes;
    for (uint32_t p = 0; p < model->info.page_count; p++) {
        const trn_model_page *page = &model->pages[p];
        uint32_t covered[3] = {0, 0, 0}, last_kind = 0;
        for (uint32_t c = 0; c < page->chunk_count; c++) {
            uint64_t place = at->chunks + (uint64_t)(page->first_chunk + c) * TRNI_CHUNK_SIZE;
            const unsigned char *from = o->head + place;
            trn_model_chunk *chunk = &model->chunks[page->first_chunk + c];
            uint32_t kind = trni_get_u32(from + TRNI_CHUNK_KIND);
            *chunk = (trn_model_chunk){.offset = trni_get_u64(from + TRNI_CHUNK_OFFSET),
                                       .stored_bytes = trni_get_u32(from + TRNI_CHUNK_STORED_BYTES),
                                       .decoded_bytes = trni_get_u32(from + TRNI_CHUNK_DECODED_BYTES),
                                       .codec = trni_get_u32(from + TRNI_CHUNK_CODEC),
                                       .first = trni_get_u32(from + TRNI_CHUNK_FIRST),
                                       .count = trni_get_u32(from + TRNI_CHUNK_COUNT),
                                       .hash = trni_get_u64(from + TRNI_CHUNK_HASH),
                                       .page_vertex_count = page->vertex_count,
                                       .page = p,
                                       .level = page->level};
            if (kind > TRN_CHUNK_GROUPS || kind < last_kind) return refuse(o, place, "a chunk's kind is out of order");
            chunk->kind = (trn_chunk_kind)kind;
            last_kind = kind;
            if (chunk->codec != 0) return refuse(o, place, "a chunk's codec is unknown");
            if (trni_get_u64(from + TRNI_CHUNK_RESERVED) != 0)
                return refuse(o, place, "reserved bytes of a chunk are not zero");
            if (!count_chunk(page, chunk, covered))
                return refuse(o, place, "the chunks do not share the page's elements in order");
            if (!chunk_sizes_valid(chunk)) return refuse(o, place, "a chunk's size does not go with what it holds");
            if (chunk->offset % 16 != 0 || chunk->offset < end || chunk->offset > model->info.file_bytes ||
                chunk->stored_bytes > model->info.file_bytes - chunk->offset)
                return refuse(o, place, "a chunk is not in the file, or overlaps another");
            end = chunk->offset + chunk->stored_bytes;
        }
        if (covered[0] != page->vertex_count || covered[1] != page->cluster_count || covered[2] != page->group_count)
            return refuse(o, at->chunks, "the chunks do not hold all of a page");
    }
    return true;
}

static bool read_materials(const opening *o, const table_places *at, trn_model *model) {
    memcpy(model->strings, o->head + at->strings, (size_t)at->string_bytes);
    for (uint32_t m = 0; m < model->info.material_count; m++) {
        uint64_t place = at->materials + (uint64_t)m * TRNI_MATERIAL_SIZE;
        uint64_t offset = trni_get_u32(o->head + place + TRNI_MATERIAL_NAME);
        uint64_t bytes = trni_get_u32(o->head + place + TRNI_MATERIAL_NAME_BYTES);
        if (offset + bytes >= at->string_bytes || model->strings[offset + bytes] != 0)
            return refuse(o, place, "a material's name is not among the strings");
        model->material_names[m] = (uint32_t)offset;
    }
    return true;
}

trn_result trn_model_open(const void *head, size_t bytes, uint64_t file_bytes, const char *name,
                          const trn_allocator *hook, trn_model **opened, trn_error *error) {
    trn_allocator allocator;
    if (!head || !opened || !trni_allocator_make(&allocator, hook)) return TRN_ERROR_ARGUMENT;
    opening o = {.head = head, .name = name ? name : "model", .error = error};
    trn_error found = {0};
    trn_result result = trn_model_head_bytes(head, bytes, &o.head_bytes, &found);
    if (result != TRN_OK) return trni_fail(error, result, 0, found.place, "%s: %s", o.name, found.text);
    if (bytes < o.head_bytes)
        return trni_fail(error, TRN_ERROR_FORMAT, 0, bytes, "%s: cut off: %llu of %llu bytes of its head", o.name,
                         (unsigned long long)bytes, (unsigned long long)o.head_bytes);
    if (head_hash(o.head, o.head_bytes) != trni_get_u64(o.head + TRNI_HEAD_HASH))
        return trni_fail(error, TRN_ERROR_CHECKSUM, 0, TRNI_HEAD_HASH,
                         "%s: byte %u: its head does not match its checksum", o.name, (unsigned)TRNI_HEAD_HASH);
    trn_model_info info;
    table_places at;
    if (!read_header(&o, &info) || !find_tables(&o, &info, &at)) return TRN_ERROR_FORMAT;
    if (file_bytes != 0 && file_bytes < info.file_bytes)
        return trni_fail(error, TRN_ERROR_FORMAT, 0, file_bytes, "%s: cut off: %llu of %llu bytes", o.name,
                         (unsigned long long)file_bytes, (unsigned long long)info.file_bytes);
    trn_model *model = make_model(&allocator, &info, &at);
    if (!model) return trni_fail(error, TRN_ERROR_OUT_OF_MEMORY, 0, 0, "%s: no memory for its tables", o.name);
    if (!read_levels(&o, &at, model) || !read_pages(&o, &at, model) || !read_dependencies(&o, &at, model) ||
        !read_chunks(&o, &at, model) || !read_materials(&o, &at, model)) {
        trn_model_close(model);
        return TRN_ERROR_FORMAT;
    }
    *opened = model;
    return TRN_OK;
}

void trn_model_close(trn_model *model) {
    if (!model) return;
    trn_allocator allocator = model->allocator;
    trni_free(&allocator, model, model->bytes, 1);
}

/* ---- questions ---- */

void trn_model_get_info(const trn_model *model, trn_model_info *info) { *info = model->info; }

trn_result trn_model_get_level(const trn_model *model, uint32_t level, trn_model_level *info) {
    if (!model || !info || level >= model->info.level_count) return TRN_ERROR_ARGUMENT;
    *info = model->levels[level];
    return TRN_OK;
}
trn_result trn_model_get_page(const trn_model *model, uint32_t page, trn_model_page *info) {
    if (!model || !info || page >= model->info.page_count) return TRN_ERROR_ARGUMENT;
    *info = model->pages[page];
    return TRN_OK;
}
trn_result trn_model_get_chunk(const trn_model *model, uint32_t chunk, trn_model_chunk *info) {
    if (!model || !info || chunk >= model->info.chunk_count) return TRN_ERROR_ARGUMENT;
    *info = model->chunks[chunk];
    return TRN_OK;
}
trn_result trn_model_get_dependency(const trn_model *model, uint32_t entry, uint32_t *page) {
    if (!model || !page || entry >= model->info.dependency_count) return TRN_ERROR_ARGUMENT;
    *page = model->dependencies[entry];
    return TRN_OK;
}
const char *trn_model_material_name(const trn_model *model, uint32_t material) {
    if (!model || material >= model->info.material_count) return NULL;
    return model->strings + model->material_names[material];
}
