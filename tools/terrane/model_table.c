/* SPDX-License-Identifier: MIT */
#include "model_table.h"

#include <terrane/shader/terrane_shared.h>

static bool has_error(float error) { return error < TRN_ERROR_WITHOUT_PARENT; }

const char *error_rule_name(trn_error_rule rule) {
    return rule == TRN_ERROR_RULE_ADDITIVE ? "additive" : rule == TRN_ERROR_RULE_MAX ? "max" : "unknown";
}

static const char *kind_name(trn_chunk_kind kind) {
    static const char *const names[] = {"vertices", "clusters", "groups"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

static const char *codec_name(uint32_t codec) { return codec == 0 ? "none" : "unknown"; }

/* A column of errors. */
static void print_error(float error) {
    if (has_error(error))
        printf(" %12.6g", (double)error);
    else
        printf(" %12s", "-");
}

static void print_sphere(const trn_sphere *s) {
    printf("  (%.6g, %.6g, %.6g) %.6g\n", (double)s->center[0], (double)s->center[1], (double)s->center[2],
           (double)s->radius);
}

/* What a level's own pages hold; clusters of coarser levels that it lists are not among them. */
static uint64_t level_bytes(const trn_model *model, const trn_model_level *level, bool placed) {
    uint64_t bytes = 0;
    for (uint32_t p = 0; p < level->page_count; p++) {
        trn_model_page page;
        trn_model_get_page(model, level->first_page + p, &page);
        for (uint32_t c = 0; c < page.chunk_count; c++) {
            trn_model_chunk chunk;
            trn_model_get_chunk(model, page.first_chunk + c, &chunk);
            bytes += placed ? chunk.placed_bytes : chunk.stored_bytes;
        }
    }
    return bytes;
}

void model_table_levels(const trn_model *model) {
    trn_model_info info;
    trn_model_get_info(model, &info);
    printf("level    triangles   clusters  pages       stored       placed    own error parent error\n");
    for (uint32_t i = 0; i < info.level_count; i++) {
        trn_model_level level;
        trn_model_get_level(model, i, &level);
        printf("%5u %12llu %10u %6u %12llu %12llu", i, (unsigned long long)level.triangle_count, level.cluster_count,
               level.page_count, (unsigned long long)level_bytes(model, &level, false),
               (unsigned long long)level_bytes(model, &level, true));
        print_error(level.own_error);
        print_error(level.parent_error);
        putchar('\n');
    }
}

void model_table_pages(const trn_model *model) {
    trn_model_info info;
    trn_model_get_info(model, &info);
    printf(" page level    triangles   vertices   clusters   groups chunks depends on parent error  sphere\n");
    for (uint32_t i = 0; i < info.page_count; i++) {
        trn_model_page page;
        trn_model_get_page(model, i, &page);
        printf("%5u %5u %12u %10u %10u %8u %6u %10u", i, page.level, page.triangle_count, page.vertex_count,
               page.cluster_count, page.group_count, page.chunk_count, page.dependency_count);
        print_error(page.parent_error);
        print_sphere(&page.sphere);
    }
}

void model_table_chunks(const trn_model *model) {
    trn_model_info info;
    trn_model_get_info(model, &info);
    printf("chunk  page kind       codec         offset    stored   decoded    placed     first     count  hash\n");
    for (uint32_t i = 0; i < info.chunk_count; i++) {
        trn_model_chunk chunk;
        trn_model_get_chunk(model, i, &chunk);
        printf("%5u %5u %-10s %-7s %12llu %9u %9u %9u %9u %9u  %016llx\n", i, chunk.page, kind_name(chunk.kind),
               codec_name(chunk.codec), (unsigned long long)chunk.offset, chunk.stored_bytes, chunk.decoded_bytes,
               chunk.placed_bytes, chunk.first, chunk.count, (unsigned long long)chunk.hash);
    }
}

void model_table_materials(const trn_model *model) {
    trn_model_info info;
    trn_model_get_info(model, &info);
    printf("material  name\n");
    for (uint32_t i = 0; i < info.material_count; i++) {
        printf("%8u  ", i);
        /* Names come from other programs; a control character must not reach the terminal. */
        for (const char *c = trn_model_material_name(model, i); c && *c; c++) {
            putchar((unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c);
        }
        putchar('\n');
    }
}

void model_json_error(json *j, const char *key, float error) {
    if (has_error(error))
        json_float(j, key, error);
    else
        json_null(j, key);
}

static void json_sphere(json *j, const trn_sphere *sphere) {
    json_object(j, "sphere");
    json_floats(j, "center", sphere->center, 3);
    json_float(j, "radius", sphere->radius);
    json_end(j);
}

void model_json_levels(const trn_model *model, json *j) {
    trn_model_info info;
    trn_model_get_info(model, &info);
    json_array(j, "levels");
    for (uint32_t i = 0; i < info.level_count; i++) {
        trn_model_level level;
        trn_model_get_level(model, i, &level);
        json_object(j, NULL);
        json_u64(j, "triangles", level.triangle_count);
        json_u64(j, "clusters", level.cluster_count);
        json_u64(j, "first_page", level.first_page);
        json_u64(j, "pages", level.page_count);
        json_u64(j, "stored_bytes", level_bytes(model, &level, false));
        json_u64(j, "placed_bytes", level_bytes(model, &level, true));
        model_json_error(j, "own_error", level.own_error);
        model_json_error(j, "parent_error", level.parent_error);
        json_sphere(j, &level.sphere);
        json_end(j);
    }
    json_end(j);
}

void model_json_pages(const trn_model *model, json *j) {
    trn_model_info info;
    trn_model_get_info(model, &info);
    json_array(j, "pages");
    for (uint32_t i = 0; i < info.page_count; i++) {
        trn_model_page page;
        trn_model_get_page(model, i, &page);
        json_object(j, NULL);
        json_u64(j, "level", page.level);
        json_u64(j, "triangles", page.triangle_count);
        json_u64(j, "vertices", page.vertex_count);
        json_u64(j, "clusters", page.cluster_count);
        json_u64(j, "groups", page.group_count);
        json_u64(j, "first_chunk", page.first_chunk);
        json_u64(j, "chunks", page.chunk_count);
        json_array(j, "depends_on");
        for (uint32_t d = 0; d < page.dependency_count; d++) {
            uint32_t other = 0;
            trn_model_get_dependency(model, page.first_dependency + d, &other);
            json_u64(j, NULL, other);
        }
        json_end(j);
        model_json_error(j, "parent_error", page.parent_error);
        json_sphere(j, &page.sphere);
        json_end(j);
    }
    json_end(j);
}

void model_json_chunks(const trn_model *model, json *j) {
    trn_model_info info;
    trn_model_get_info(model, &info);
    json_array(j, "chunks");
    for (uint32_t i = 0; i < info.chunk_count; i++) {
        trn_model_chunk chunk;
        char hash[20];
        trn_model_get_chunk(model, i, &chunk);
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)chunk.hash);
        json_object(j, NULL);
        json_u64(j, "page", chunk.page);
        json_text(j, "kind", kind_name(chunk.kind));
        json_text(j, "codec", codec_name(chunk.codec));
        json_u64(j, "offset", chunk.offset);
        json_u64(j, "stored_bytes", chunk.stored_bytes);
        json_u64(j, "decoded_bytes", chunk.decoded_bytes);
        json_u64(j, "placed_bytes", chunk.placed_bytes);
        json_u64(j, "first", chunk.first);
        json_u64(j, "count", chunk.count);
        json_text(j, "hash", hash);
        json_end(j);
    }
    json_end(j);
}

void model_json_materials(const trn_model *model, json *j) {
    trn_model_info info;
    trn_model_get_info(model, &info);
    json_array(j, "materials");
    for (uint32_t i = 0; i < info.material_count; i++) json_text(j, NULL, trn_model_material_name(model, i));
    json_end(j);
}
