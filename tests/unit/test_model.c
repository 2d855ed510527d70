/* SPDX-License-Identifier: MIT */
/* Model files: what a good one says, and that no bad one gets through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <terrane_cook/cook.h>

#include "support/random.h"
#include "support/tiny_model.h"

/* ---- helpers ---- */

static trn_result open_model(const uint8_t *bytes, size_t size, trn_error *error) {
    trn_model *model = NULL;
    trn_result result = trn_model_open(bytes, size, size, "tiny", NULL, &model, error);
    if (result == TRN_OK) trn_model_close(model);
    return result;
}

static trn_result load_model(const uint8_t *bytes, size_t size, trn_error *error) {
    trn_model_data *data = NULL;
    trn_result result = trn_model_data_load(bytes, size, "tiny", NULL, &data, error);
    if (result == TRN_OK) trn_model_data_free(data);
    return result;
}

/* Bytes of exactly their size, so that the address sanitizer sees what is read behind them. */
static uint8_t *exact_copy(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size) memcpy(copy, bytes, size);
    return copy;
}

/* With everything that a valid file is used for. */
static trn_result use_model(const uint8_t *bytes, size_t size) {
    trn_model_data *data = NULL;
    trn_result result = trn_model_data_load(bytes, size, NULL, NULL, &data, NULL);
    if (result != TRN_OK) return result;
    trn_cut cut;
    trn_cut_def by_error = {.error = 0.015f};
    trn_cut_def by_camera = {.by_camera = true, .camera = {3, 0, 0}, .viewport_height = 1000, .fov_y = 1};
    if (trn_cut_make(data, &by_error, &cut, NULL) == TRN_OK) trn_cut_free(&cut);
    if (trn_cut_make(data, &by_camera, &cut, NULL) == TRN_OK) trn_cut_free(&cut);
    trn_verify_report report;
    trn_verify_def verify = {.cuts = 4};
    assert_int_equal(trn_cook_verify(data, &verify, &report), TRN_OK);
    trn_model_data_free(data);
    return TRN_OK;
}

static uint64_t head_bytes_of(const uint8_t *bytes) { return trni_get_u64(bytes + TRNI_HEAD_HEAD_BYTES); }

/* ---- what a good file says ---- */

static void tables_say_what_was_written(void **state) {
    (void)state;
    tiny_model_def def = {.levels = 4, .clusters = 5, .page_vertices = 300, .chunk_vertices = 128};
    uint8_t *bytes;
    size_t size = tiny_model_make(&def, &bytes);
    trn_model *model;
    trn_error error = {0};
    assert_int_equal(trn_model_open(bytes, size, size, "tiny", NULL, &model, &error), TRN_OK);
    trn_model_info info;
    trn_model_get_info(model, &info);
    assert_int_equal(info.file_bytes, size);
    assert_int_equal(info.level_count, 4);
    assert_int_equal(info.page_count, 4);
    assert_int_equal(info.chunk_count, 4 * 3 + 4 * 1 + 3);
    assert_int_equal(info.dependency_count, 3);
    assert_int_equal(info.group_count, 15);
    assert_int_equal(info.cluster_count, 20);
    assert_int_equal(info.stored_triangles, 5 * 2 * (8 + 4 + 2 + 1));
    assert_int_equal(info.stored_vertices, 4 * 300);
    assert_int_equal(info.vertex_bytes, TRN_VERTEX_BYTES);
    assert_string_equal(trn_model_material_name(model, 0), "tiny");
    assert_null(trn_model_material_name(model, 1));

    trn_model_level level;
    assert_int_equal(trn_model_get_level(model, 1, &level), TRN_OK);
    assert_int_equal(level.first_page, 2);
    assert_int_equal(level.triangle_count, 5 * 2 * 4);
    assert_true(level.own_error > 0.0f && level.parent_error == 2 * level.own_error);
    assert_int_equal(trn_model_get_level(model, 4, &level), TRN_ERROR_ARGUMENT);

    trn_model_page page;
    uint32_t on;
    assert_int_equal(trn_model_get_page(model, 3, &page), TRN_OK);
    assert_int_equal(page.level, 0);
    assert_int_equal(page.chunk_count, 3 + 1 + 1);
    assert_int_equal(trn_model_get_dependency(model, page.first_dependency, &on), TRN_OK);
    assert_int_equal(on, 2);
    assert_int_equal(trn_model_get_page(model, 4, &page), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_model_get_dependency(model, 3, &on), TRN_ERROR_ARGUMENT);

    trn_model_chunk chunk;
    assert_int_equal(trn_model_get_chunk(model, 2, &chunk), TRN_OK);
    assert_int_equal(chunk.kind, TRN_CHUNK_VERTICES);
    assert_int_equal(chunk.first, 256);
    assert_int_equal(chunk.count, 44);
    assert_int_equal(chunk.placed_bytes, 44 * TRN_VERTEX_BYTES);
    assert_int_equal(trn_model_get_chunk(model, info.chunk_count, &chunk), TRN_ERROR_ARGUMENT);
    trn_model_close(model);
    trn_model_close(NULL);
    free(bytes);
}

static void tiny_models_of_every_shape_hold_every_proof(void **state) {
    (void)state;
    tiny_model_def defs[] = {{0},
                             {.levels = 1, .clusters = 1},
                             {.levels = 8, .clusters = 1},
                             {.levels = 64, .clusters = 2},
                             {.levels = 3, .clusters = 1000},
                             {.levels = 2, .clusters = 3, .page_vertices = 300000}};
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        uint8_t *bytes;
        size_t size = tiny_model_make(&defs[i], &bytes);
        trn_model_data *data;
        trn_error error = {0};
        trn_verify_report report;
        if (trn_model_data_load(bytes, size, "tiny", NULL, &data, &error) != TRN_OK) fail_msg("%s", error.text);
        assert_int_equal(trn_cook_verify(data, NULL, &report), TRN_OK);
        assert_string_equal(report.text, "");
        assert_int_equal(report.failed, 0);
        assert_int_equal(report.passed, 255);
        assert_int_equal(report.cuts_checked, 32);
        assert_int_equal(report.open_edges, 0);
        trn_model_data_free(data);
        free(bytes);
    }
}

static void runs_of_elements_are_placed_as_the_whole_is(void **state) {
    (void)state;
    tiny_model_def def = {.levels = 3, .clusters = 7};
    uint8_t *bytes;
    size_t size = tiny_model_make(&def, &bytes);
    trn_model *model;
    trn_model_info info;
    uint64_t random = 1;
    assert_int_equal(trn_model_open(bytes, size, size, NULL, NULL, &model, NULL), TRN_OK);
    trn_model_get_info(model, &info);
    for (uint32_t c = 0; c < info.chunk_count; c++) {
        trn_model_chunk chunk;
        trn_model_get_chunk(model, c, &chunk);
        const uint8_t *stored = bytes + chunk.offset;
        assert_int_equal(trn_chunk_check(&chunk, info.page_count, stored, chunk.stored_bytes, NULL), TRN_OK);
        size_t unit = chunk.kind == TRN_CHUNK_VERTICES ? TRN_VERTEX_BYTES : TRN_CLUSTER_BYTES;
        if (chunk.kind == TRN_CHUNK_GROUPS) {
            assert_int_equal(chunk.placed_bytes, 0);
            continue;
        }
        assert_int_equal(chunk.placed_bytes, chunk.count * unit);
        uint8_t *whole = malloc(chunk.placed_bytes), *parts = malloc(chunk.placed_bytes);
        memset(whole, 0xaa, chunk.placed_bytes);
        trn_chunk_place(&chunk, stored, 0, chunk.count, whole);
        for (int round = 0; round < 20; round++) {
            memset(parts, 0x55, chunk.placed_bytes);
            for (uint32_t first = 0, count; first < chunk.count; first += count) {
                count = 1 + random_below(&random, chunk.count - first);
                uint8_t *to = exact_copy(parts, count * unit);
                trn_chunk_place(&chunk, stored, first, count, to);
                memcpy(parts + first * unit, to, count * unit);
                free(to);
            }
            assert_memory_equal(parts, whole, chunk.placed_bytes);
        }
        for (uint32_t i = 0; chunk.kind == TRN_CHUNK_CLUSTERS && i < chunk.count; i++) { /* the fill is as promised */
            const uint8_t *cluster = whole + i * unit, *corners = cluster + 4 * TRN_CLUSTER_CORNER_WORD;
            uint32_t counts = trni_get_u32(cluster + TRNI_CLUSTER_COUNTS);
            for (uint32_t v = counts & 0xff; v < TRN_CLUSTER_MAX_VERTICES; v++)
                assert_memory_equal(cluster + 80 + 2 * v, cluster + 80, 2);
            for (uint32_t t = counts >> 8 & 0xff; t < TRN_CLUSTER_TRIANGLES; t++)
                assert_true(corners[3 * t] == corners[3 * t + 1] && corners[3 * t] == corners[3 * t + 2]);
        }
        free(whole);
        free(parts);
    }
    trn_model_close(model);
    free(bytes);
}

/* ---- damage ---- */

static void file_cut_off_at_any_byte_is_refused(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = tiny_model_make(&(tiny_model_def){.levels = 2, .clusters = 1}, &bytes);
    for (size_t n = 0; n < size; n++) {
        uint8_t *copy = exact_copy(bytes, n);
        trn_error error = {0};
        trn_result opened = open_model(copy, n, &error);
        assert_int_equal(opened, TRN_ERROR_FORMAT);
        assert_int_equal(error.code, TRN_ERROR_FORMAT);
        assert_true(error.text[0] != 0);
        assert_int_equal(load_model(copy, n, NULL), TRN_ERROR_FORMAT);
        free(copy);
    }
    /* The head alone is enough to open; then nothing says that the file is short. */
    trn_model *model;
    assert_int_equal(trn_model_open(bytes, (size_t)head_bytes_of(bytes), 0, NULL, NULL, &model, NULL), TRN_OK);
    trn_model_close(model);
    free(bytes);
}

static void every_flipped_byte_of_the_head_is_refused(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = tiny_model_make(&(tiny_model_def){.levels = 3, .clusters = 2}, &bytes);
    for (size_t i = 0; i < head_bytes_of(bytes); i++)
        for (int bit = 0; bit < 9; bit++) {
            uint8_t old = bytes[i];
            bytes[i] ^= (uint8_t)(bit < 8 ? 1u << bit : 0xffu);
            trn_result result = open_model(bytes, size, NULL);
            trn_result expected = i < 8                       ? TRN_ERROR_FORMAT
                                  : i < TRNI_HEAD_VERSION + 4 ? TRN_ERROR_VERSION
                                                              : TRN_ERROR_CHECKSUM;
            bool size_field = i >= TRNI_HEAD_HEAD_BYTES && i < TRNI_HEAD_HEAD_BYTES + 8;
            assert_true(result == expected || (size_field && result == TRN_ERROR_FORMAT));
            bytes[i] = old;
        }
    assert_int_equal(open_model(bytes, size, NULL), TRN_OK);
    free(bytes);
}

static void every_flipped_byte_of_a_chunk_is_refused(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = tiny_model_make(&(tiny_model_def){.levels = 2, .clusters = 1}, &bytes);
    trn_model *model;
    trn_model_info info;
    assert_int_equal(trn_model_open(bytes, size, size, NULL, NULL, &model, NULL), TRN_OK);
    trn_model_get_info(model, &info);
    for (uint32_t c = 0; c < info.chunk_count; c++) {
        trn_model_chunk chunk;
        trn_error error = {0};
        trn_model_get_chunk(model, c, &chunk);
        for (uint32_t i = 0; i < chunk.stored_bytes; i++) {
            bytes[chunk.offset + i] ^= 0x10;
            assert_int_equal(trn_chunk_check(&chunk, info.page_count, bytes + chunk.offset, chunk.stored_bytes, &error),
                             TRN_ERROR_CHECKSUM);
            assert_int_equal(load_model(bytes, size, NULL), TRN_ERROR_CHECKSUM);
            bytes[chunk.offset + i] ^= 0x10;
        }
        assert_int_equal(trn_chunk_check(&chunk, info.page_count, bytes + chunk.offset, chunk.stored_bytes - 1, &error),
                         TRN_ERROR_FORMAT);
        chunk.codec = 7;
        assert_int_equal(trn_chunk_check(&chunk, info.page_count, bytes + chunk.offset, chunk.stored_bytes, &error),
                         TRN_ERROR_UNSUPPORTED);
    }
    trn_model_close(model);
    free(bytes);
}

/* ---- lies, with the hashes right ---- */

typedef struct lie {
    const char *what;
    uint32_t table; /* field with the table's offset; 0: the header */
    uint32_t record, record_size;
    uint32_t field;
    uint32_t bytes; /* of the field */
    uint64_t value;
} lie;

#define LEVEL_0 TRNI_HEAD_LEVEL_TABLE, 0, TRNI_LEVEL_SIZE
#define PAGE_0 TRNI_HEAD_PAGE_TABLE, 0, TRNI_PAGE_SIZE
#define PAGE_1 TRNI_HEAD_PAGE_TABLE, 1, TRNI_PAGE_SIZE
#define CHUNK_0 TRNI_HEAD_CHUNK_TABLE, 0, TRNI_CHUNK_SIZE
#define CHUNK_1 TRNI_HEAD_CHUNK_TABLE, 1, TRNI_CHUNK_SIZE
#define NAN_BITS 0x7fc00000u
#define MINUS_ONE_BITS 0xbf800000u
#define WITHOUT_PARENT_BITS 0x7149f2cau

static const lie lies[] = {
    {"unknown feature", 0, 0, 0, TRNI_HEAD_FEATURES, 4, 1},
    {"file smaller than its head", 0, 0, 0, TRNI_HEAD_FILE_BYTES, 8, 300},
    {"file larger than it is", 0, 0, 0, TRNI_HEAD_FILE_BYTES, 8, 1u << 30},
    {"head without header", 0, 0, 0, TRNI_HEAD_HEAD_BYTES, 8, 255},
    {"head of 2 GiB", 0, 0, 0, TRNI_HEAD_HEAD_BYTES, 8, 1u << 31},
    {"grid origin not a number", 0, 0, 0, TRNI_HEAD_GRID_ORIGIN + 8, 8, 0x7ff8000000000000u},
    {"grid step 0", 0, 0, 0, TRNI_HEAD_GRID_STEP, 4, 0},
    {"grid step 3", 0, 0, 0, TRNI_HEAD_GRID_STEP, 4, 0x40400000u},
    {"grid step -1", 0, 0, 0, TRNI_HEAD_GRID_STEP, 4, MINUS_ONE_BITS},
    {"negative quantisation error", 0, 0, 0, TRNI_HEAD_QUANTISATION_ERROR, 4, MINUS_ONE_BITS},
    {"box upside down", 0, 0, 0, TRNI_HEAD_BOX_MIN, 4, 0x41000000u},
    {"box not a number", 0, 0, 0, TRNI_HEAD_BOX_MAX, 4, NAN_BITS},
    {"sphere not a number", 0, 0, 0, TRNI_HEAD_SPHERE, 4, NAN_BITS},
    {"negative radius", 0, 0, 0, TRNI_HEAD_SPHERE + 12, 4, MINUS_ONE_BITS},
    {"no level", 0, 0, 0, TRNI_HEAD_LEVEL_COUNT, 4, 0},
    {"65 levels", 0, 0, 0, TRNI_HEAD_LEVEL_COUNT, 4, 65},
    {"more levels", 0, 0, 0, TRNI_HEAD_LEVEL_COUNT, 4, 3},
    {"fewer pages", 0, 0, 0, TRNI_HEAD_PAGE_COUNT, 4, 1},
    {"many pages", 0, 0, 0, TRNI_HEAD_PAGE_COUNT, 4, UINT32_MAX},
    {"many chunks", 0, 0, 0, TRNI_HEAD_CHUNK_COUNT, 4, UINT32_MAX},
    {"many dependencies", 0, 0, 0, TRNI_HEAD_DEPENDENCY_COUNT, 4, UINT32_MAX},
    {"many materials", 0, 0, 0, TRNI_HEAD_MATERIAL_COUNT, 4, UINT32_MAX},
    {"many groups", 0, 0, 0, TRNI_HEAD_GROUP_COUNT, 4, UINT32_MAX},
    {"many clusters", 0, 0, 0, TRNI_HEAD_CLUSTER_COUNT, 4, UINT32_MAX},
    {"unknown vertex", 0, 0, 0, TRNI_HEAD_VERTEX_LAYOUT, 4, 1},
    {"many triangles", 0, 0, 0, TRNI_HEAD_STORED_TRIANGLES, 8, UINT64_MAX},
    {"other triangles", 0, 0, 0, TRNI_HEAD_STORED_TRIANGLES, 8, 1},
    {"many vertices", 0, 0, 0, TRNI_HEAD_STORED_VERTICES, 8, UINT64_MAX},
    {"other vertices", 0, 0, 0, TRNI_HEAD_STORED_VERTICES, 8, 1},
    {"no error rule", 0, 0, 0, TRNI_HEAD_ERROR_RULE, 4, 0},
    {"unknown error rule", 0, 0, 0, TRNI_HEAD_ERROR_RULE, 4, 3},
    {"unknown attributes", 0, 0, 0, TRNI_HEAD_ATTRIBUTES, 4, 32},
    {"reserved in header", 0, 0, 0, TRNI_HEAD_RESERVED, 4, 1},
    {"reserved at its end", 0, 0, 0, TRNI_HEAD_RESERVED2 + 15, 1, 1},
    {"level table elsewhere", 0, 0, 0, TRNI_HEAD_LEVEL_TABLE, 8, 0},
    {"page table elsewhere", 0, 0, 0, TRNI_HEAD_PAGE_TABLE, 8, UINT64_MAX},
    {"dependency table elsewhere", 0, 0, 0, TRNI_HEAD_DEPENDENCY_TABLE, 8, 256},
    {"chunk table elsewhere", 0, 0, 0, TRNI_HEAD_CHUNK_TABLE, 8, 257},
    {"material table elsewhere", 0, 0, 0, TRNI_HEAD_MATERIAL_TABLE, 8, 0},
    {"strings elsewhere", 0, 0, 0, TRNI_HEAD_STRINGS, 8, 0},
    {"long strings", 0, 0, 0, TRNI_HEAD_STRING_BYTES, 8, UINT64_MAX},
    {"short strings", 0, 0, 0, TRNI_HEAD_STRING_BYTES, 8, 1},

    {"level error negative", LEVEL_0, TRNI_LEVEL_PARENT_ERROR, 4, MINUS_ONE_BITS},
    {"level without parent", LEVEL_0, TRNI_LEVEL_PARENT_ERROR, 4, WITHOUT_PARENT_BITS},
    {"level error above all", LEVEL_0, TRNI_LEVEL_PARENT_ERROR, 4, 0x7f800000u},
    {"level sphere", LEVEL_0, TRNI_LEVEL_SPHERE + 12, 4, MINUS_ONE_BITS},
    {"level first page", LEVEL_0, TRNI_LEVEL_FIRST_PAGE, 4, 0},
    {"level without page", LEVEL_0, TRNI_LEVEL_PAGE_COUNT, 4, 0},
    {"level with all pages", LEVEL_0, TRNI_LEVEL_PAGE_COUNT, 4, UINT32_MAX},
    {"level without clusters", LEVEL_0, TRNI_LEVEL_CLUSTER_COUNT, 4, 0},
    {"level with many triangles", LEVEL_0, TRNI_LEVEL_TRIANGLE_COUNT, 8, UINT64_MAX},
    {"level own error", LEVEL_0, TRNI_LEVEL_OWN_ERROR, 4, NAN_BITS},
    {"level reserved", LEVEL_0, TRNI_LEVEL_RESERVED, 4, 1},

    {"page error", PAGE_1, TRNI_PAGE_PARENT_ERROR, 4, NAN_BITS},
    {"root page with parent", PAGE_0, TRNI_PAGE_PARENT_ERROR, 4, 0},
    {"page sphere", PAGE_1, TRNI_PAGE_SPHERE, 4, NAN_BITS},
    {"page of no level", PAGE_1, TRNI_PAGE_LEVEL, 4, 2},
    {"page of another level", PAGE_1, TRNI_PAGE_LEVEL, 4, 1},
    {"page first chunk", PAGE_1, TRNI_PAGE_FIRST_CHUNK, 4, 0},
    {"page with one chunk", PAGE_1, TRNI_PAGE_CHUNK_COUNT, 4, 1},
    {"page with many chunks", PAGE_1, TRNI_PAGE_CHUNK_COUNT, 4, UINT32_MAX},
    {"page first dependency", PAGE_1, TRNI_PAGE_FIRST_DEPENDENCY, 4, 1},
    {"page without dependency", PAGE_1, TRNI_PAGE_DEPENDENCY_COUNT, 4, 0},
    {"root page with dependency", PAGE_0, TRNI_PAGE_DEPENDENCY_COUNT, 4, 1},
    {"page without vertices", PAGE_1, TRNI_PAGE_VERTEX_COUNT, 4, 0},
    {"page with many vertices", PAGE_1, TRNI_PAGE_VERTEX_COUNT, 4, UINT32_MAX},
    {"page without clusters", PAGE_1, TRNI_PAGE_CLUSTER_COUNT, 4, 0},
    {"page with many clusters", PAGE_1, TRNI_PAGE_CLUSTER_COUNT, 4, UINT32_MAX},
    {"page without triangles", PAGE_1, TRNI_PAGE_TRIANGLE_COUNT, 4, 0},
    {"page with many triangles", PAGE_1, TRNI_PAGE_TRIANGLE_COUNT, 4, UINT32_MAX},
    {"page first group", PAGE_1, TRNI_PAGE_FIRST_GROUP, 4, 1},
    {"page without groups", PAGE_1, TRNI_PAGE_GROUP_COUNT, 4, 0},
    {"root page with groups", PAGE_0, TRNI_PAGE_GROUP_COUNT, 4, 1},
    {"page reserved", PAGE_1, TRNI_PAGE_RESERVED, 4, 1},

    {"dependency on itself", TRNI_HEAD_DEPENDENCY_TABLE, 0, 4, 0, 4, 1},
    {"dependency on no page", TRNI_HEAD_DEPENDENCY_TABLE, 0, 4, 0, 4, UINT32_MAX},

    {"chunk in the head", CHUNK_0, TRNI_CHUNK_OFFSET, 8, 0},
    {"chunk behind the file", CHUNK_0, TRNI_CHUNK_OFFSET, 8, 1ull << 40},
    {"chunk at a number that wraps", CHUNK_0, TRNI_CHUNK_OFFSET, 8, UINT64_MAX - 15},
    {"chunk longer", CHUNK_0, TRNI_CHUNK_STORED_BYTES, 4, UINT32_MAX},
    {"chunk empty", CHUNK_0, TRNI_CHUNK_STORED_BYTES, 4, 0},
    {"chunk decodes to more", CHUNK_0, TRNI_CHUNK_DECODED_BYTES, 4, UINT32_MAX},
    {"chunk decodes to less", CHUNK_1, TRNI_CHUNK_DECODED_BYTES, 4, 16},
    {"chunk kind unknown", CHUNK_1, TRNI_CHUNK_KIND, 4, 3},
    {"chunk kind twice", CHUNK_1, TRNI_CHUNK_KIND, 4, 0},
    {"chunk codec", CHUNK_0, TRNI_CHUNK_CODEC, 4, 1},
    {"chunk first", CHUNK_0, TRNI_CHUNK_FIRST, 4, 1},
    {"chunk without elements", CHUNK_0, TRNI_CHUNK_COUNT, 4, 0},
    {"chunk with fewer elements", CHUNK_0, TRNI_CHUNK_COUNT, 4, 1},
    {"chunk with many elements", CHUNK_0, TRNI_CHUNK_COUNT, 4, UINT32_MAX},
    {"chunk reserved", CHUNK_0, TRNI_CHUNK_RESERVED, 8, 1},

    {"name outside", TRNI_HEAD_MATERIAL_TABLE, 0, 8, TRNI_MATERIAL_NAME, 4, UINT32_MAX},
    {"name too long", TRNI_HEAD_MATERIAL_TABLE, 0, 8, TRNI_MATERIAL_NAME_BYTES, 4, 5},
    {"name without end", TRNI_HEAD_MATERIAL_TABLE, 0, 8, TRNI_MATERIAL_NAME_BYTES, 4, 3},
};

static void lies_in_the_head_are_refused(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = tiny_model_make(&(tiny_model_def){.levels = 2, .clusters = 2}, &bytes);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        const lie *l = &lies[i];
        uint8_t *copy = exact_copy(bytes, size);
        uint64_t at = (l->table ? trni_get_u64(copy + l->table) + (uint64_t)l->record * l->record_size : 0) + l->field;
        for (uint32_t b = 0; b < l->bytes; b++) copy[at + b] = (uint8_t)(l->value >> (8 * b));
        tiny_model_rehash(copy, size);
        trn_error error = {0};
        trn_result result = open_model(copy, size, &error);
        if (result != TRN_ERROR_FORMAT) fail_msg("%s: %s", l->what, trn_result_text(result));
        assert_true(strncmp(error.text, "tiny: ", 6) == 0);
        free(copy);
    }
    free(bytes);
}

/* Kind, record of the chunk's first element, field, value: in the finest page. */
typedef struct chunk_lie {
    const char *what;
    trn_chunk_kind kind;
    uint32_t field, bytes;
    uint64_t value;
} chunk_lie;

static const chunk_lie chunk_lies[] = {
    {"own sphere where there is none", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_OWN_SPHERE, 4, 1},
    {"parent sphere not a number", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_PARENT_SPHERE, 4, NAN_BITS},
    {"cull sphere negative", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_CULL_SPHERE + 12, 4, MINUS_ONE_BITS},
    {"own error where there is none", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_OWN_ERROR, 4, 0x3f800000u},
    {"parent error negative", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_PARENT_ERROR, 4, MINUS_ONE_BITS},
    {"parent error above all", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_PARENT_ERROR, 4, WITHOUT_PARENT_BITS},
    {"no vertices", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_COUNTS, 1, 0},
    {"65 vertices", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_COUNTS, 1, 65},
    {"no triangles", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_COUNTS + 1, 1, 0},
    {"127 triangles", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_COUNTS + 1, 1, 127},
    {"fewer triangles", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_COUNTS + 1, 1, 1},
    {"born later", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_COUNTS + 2, 1, 1},
    {"flags unknown", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_COUNTS + 3, 1, 0x84},
    {"flags without mark", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_COUNTS + 3, 1, 0},
    {"material", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_MATERIAL, 4, 1},
    {"child page where there is none", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_CHILD_PAGE, 4, 0},
    {"vertex base", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_VERTEX_BASE, 4, UINT32_MAX},
    {"number", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_CLUSTER, 4, 1},
    {"own group where there is none", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_OWN_GROUP, 4, 0},
    {"no parent group", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_PARENT_GROUP, 4, UINT32_MAX},
    {"parent group outside", TRN_CHUNK_CLUSTERS, TRNI_CLUSTER_PARENT_GROUP, 4, 2},
    {"reference outside", TRN_CHUNK_CLUSTERS, 2 * TRNI_CLUSTER_ENTRY_SIZE, 2, UINT16_MAX},
    {"corner outside", TRN_CHUNK_CLUSTERS, 2 * TRNI_CLUSTER_ENTRY_SIZE + 4 * 7, 1, 7},
    {"group error", TRN_CHUNK_GROUPS, TRNI_GROUP_ERROR, 4, NAN_BITS},
    {"group error above all", TRN_CHUNK_GROUPS, TRNI_GROUP_ERROR, 4, WITHOUT_PARENT_BITS},
    {"group sphere", TRN_CHUNK_GROUPS, TRNI_GROUP_SPHERE + 12, 4, MINUS_ONE_BITS},
    {"group level", TRN_CHUNK_GROUPS, TRNI_GROUP_LEVEL, 4, 1},
    {"group without members", TRN_CHUNK_GROUPS, TRNI_GROUP_MEMBER_COUNT, 4, 0},
    {"group without products", TRN_CHUNK_GROUPS, TRNI_GROUP_PRODUCT_COUNT, 4, 0},
};

static void lies_in_chunks_are_refused(void **state) {
    (void)state;
    uint8_t *bytes; /* the finest level has 4 pieces a slice: 7 vertices and 8 triangles a cluster */
    size_t size = tiny_model_make(&(tiny_model_def){.levels = 2, .clusters = 2}, &bytes);
    trn_model *model;
    trn_model_page page;
    assert_int_equal(trn_model_open(bytes, size, size, NULL, NULL, &model, NULL), TRN_OK);
    trn_model_get_page(model, 1, &page);
    for (size_t i = 0; i < sizeof chunk_lies / sizeof *chunk_lies; i++) {
        const chunk_lie *l = &chunk_lies[i];
        trn_model_chunk chunk;
        trn_model_get_chunk(model, page.first_chunk + (uint32_t)l->kind, &chunk); /* one chunk a kind */
        uint8_t *copy = exact_copy(bytes, size);
        for (uint32_t b = 0; b < l->bytes; b++) copy[chunk.offset + l->field + b] = (uint8_t)(l->value >> (8 * b));
        tiny_model_rehash(copy, size);
        trn_error error = {0};
        trn_result result = load_model(copy, size, &error);
        if (result != TRN_ERROR_FORMAT) fail_msg("%s: %s", l->what, trn_result_text(result));
        free(copy);
    }
    trn_model_close(model);
    free(bytes);
}

/* Every word of a file takes on every suspicious value: it is refused or harmless. */
static void no_lie_does_harm(void **state) {
    (void)state;
    static const uint32_t values[] = {
        0,           1,           2,           0x7fffffffu,         0x80000000u, UINT32_MAX,  NAN_BITS,
        0x7f800000u, 0xff800000u, 0x7f7fffffu, WITHOUT_PARENT_BITS, 0x04040404u, 0x01000100u, 0x00800000u};
    uint8_t *bytes;
    size_t size = tiny_model_make(&(tiny_model_def){.levels = 3, .clusters = 1}, &bytes), used = 0;
    for (size_t at = 8; at + 4 <= size; at += 4)
        for (size_t i = 0; i < sizeof values / sizeof *values + 4; i++) {
            uint8_t *copy = exact_copy(bytes, size);
            uint32_t old = trni_get_u32(copy + at);
            uint32_t near_old[4] = {old + 1, old - 1, old ^ 0x00010000u, old ^ 0x01000000u};
            trni_put_u32(copy + at, i < 4 ? near_old[i] : values[i - 4]);
            tiny_model_rehash(copy, size);
            used += use_model(copy, size) == TRN_OK;
            free(copy);
        }
    assert_true(used > 0); /* colours, errors and such may be anything */
    free(bytes);
}

static void free_nothing(void *user, void *memory, size_t size, size_t align) {
    (void)user, (void)memory, (void)size, (void)align;
}

static void misuse_is_refused(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = tiny_model_make(NULL, &bytes);
    uint64_t head;
    trn_model *model;
    trn_model_data *data;
    trn_verify_report report;
    trn_allocator half = {.free = free_nothing};
    assert_int_equal(trn_model_head_bytes(NULL, 256, &head, NULL), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_model_head_bytes(bytes, 255, &head, NULL), TRN_ERROR_FORMAT);
    assert_int_equal(trn_model_head_bytes(bytes, 256, &head, NULL), TRN_OK);
    assert_int_equal(head, head_bytes_of(bytes));
    assert_int_equal(trn_model_open(NULL, size, size, NULL, NULL, &model, NULL), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_model_open(bytes, size, size, NULL, &half, &model, NULL), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_model_data_load(NULL, size, NULL, NULL, &data, NULL), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_cook_verify(NULL, NULL, &report), TRN_ERROR_ARGUMENT);
    trn_model_data_free(NULL);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_say_what_was_written),
        cmocka_unit_test(tiny_models_of_every_shape_hold_every_proof),
        cmocka_unit_test(runs_of_elements_are_placed_as_the_whole_is),
        cmocka_unit_test(file_cut_off_at_any_byte_is_refused),
        cmocka_unit_test(every_flipped_byte_of_the_head_is_refused),
        cmocka_unit_test(every_flipped_byte_of_a_chunk_is_refused),
        cmocka_unit_test(lies_in_the_head_are_refused),
        cmocka_unit_test(lies_in_chunks_are_refused),
        cmocka_unit_test(no_lie_does_harm),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
