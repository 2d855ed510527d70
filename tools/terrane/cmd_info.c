/* SPDX-License-Identifier: MIT */
#include "model_file.h"
#include "model_table.h"
#include "options.h"
#include "report.h"
#include "subcommands.h"

#include <stdio.h>

static const char usage[] =
    "usage: terrane info FILE [--json]\n\n"
    "Shows the tables of a model file: header, levels, pages, chunks, materials. Reads its head alone;\n"
    "whether the rest is whole is what terrane verify tells.\n";

static const struct {
    uint32_t bit;
    const char *name;
} attributes[] = {{TRN_ATTRIBUTE_NORMAL, "normal"},
                  {TRN_ATTRIBUTE_TANGENT, "tangent"},
                  {TRN_ATTRIBUTE_UV0, "uv0"},
                  {TRN_ATTRIBUTE_UV1, "uv1"},
                  {TRN_ATTRIBUTE_COLOR, "color"}};

enum { ATTRIBUTE_COUNT = sizeof attributes / sizeof *attributes };

static void print_header(const trn_model_info *i) {
    printf("file            %llu bytes, head %llu bytes, version %u\n", (unsigned long long)i->file_bytes,
           (unsigned long long)i->head_bytes, i->version);
    printf("content         %u levels, %u pages, %u chunks, %u dependencies, %u groups, %u clusters\n", i->level_count,
           i->page_count, i->chunk_count, i->dependency_count, i->group_count, i->cluster_count);
    printf("triangles       %llu in the source, %llu stored with %llu vertices of %u bytes\n",
           (unsigned long long)i->source_triangles, (unsigned long long)i->stored_triangles,
           (unsigned long long)i->stored_vertices, i->vertex_bytes);
    if (i->source_triangles > 0)
        printf("size            %.2f bytes per source triangle\n", (double)i->file_bytes / (double)i->source_triangles);
    printf("box             (%.9g, %.9g, %.9g) ... (%.9g, %.9g, %.9g)\n", (double)i->box.min[0], (double)i->box.min[1],
           (double)i->box.min[2], (double)i->box.max[0], (double)i->box.max[1], (double)i->box.max[2]);
    printf("sphere          (%.9g, %.9g, %.9g) radius %.9g\n", (double)i->sphere.center[0], (double)i->sphere.center[1],
           (double)i->sphere.center[2], (double)i->sphere.radius);
    printf("grid            step %.9g, origin (%.17g, %.17g, %.17g), error %.6g\n", (double)i->grid_step,
           i->grid_origin[0], i->grid_origin[1], i->grid_origin[2], (double)i->quantisation_error);
    printf("attributes     ");
    for (int a = 0; a < ATTRIBUTE_COUNT; a++) {
        if (i->attributes & attributes[a].bit) printf(" %s", attributes[a].name);
    }
    printf("%s\n", i->attributes ? "" : " none");
    printf("errors          %s, by meshoptimizer %u.%u\n\n", error_rule_name(i->error_rule),
           i->simplifier_version / 1000, i->simplifier_version % 1000 / 10);
}

static void json_header(const trn_model_info *i, json *j) {
    char simplifier[32];
    json_u64(j, "version", i->version);
    json_u64(j, "file_bytes", i->file_bytes);
    json_u64(j, "head_bytes", i->head_bytes);
    json_u64(j, "source_triangles", i->source_triangles);
    json_u64(j, "stored_triangles", i->stored_triangles);
    json_u64(j, "stored_vertices", i->stored_vertices);
    json_u64(j, "vertex_bytes", i->vertex_bytes);
    json_u64(j, "group_count", i->group_count);
    json_u64(j, "cluster_count", i->cluster_count);
    json_u64(j, "dependency_count", i->dependency_count);
    json_object(j, "box");
    json_floats(j, "min", i->box.min, 3);
    json_floats(j, "max", i->box.max, 3);
    json_end(j);
    json_object(j, "sphere");
    json_floats(j, "center", i->sphere.center, 3);
    json_float(j, "radius", i->sphere.radius);
    json_end(j);
    json_object(j, "grid");
    json_array(j, "origin");
    for (int k = 0; k < 3; k++) json_double(j, NULL, i->grid_origin[k]);
    json_end(j);
    json_float(j, "step", i->grid_step);
    json_end(j);
    json_float(j, "quantisation_error", i->quantisation_error);
    json_array(j, "attributes");
    for (int a = 0; a < ATTRIBUTE_COUNT; a++) {
        if (i->attributes & attributes[a].bit) json_text(j, NULL, attributes[a].name);
    }
    json_end(j);
    json_text(j, "error_rule", error_rule_name(i->error_rule));
    snprintf(simplifier, sizeof simplifier, "%u.%u", i->simplifier_version / 1000, i->simplifier_version % 1000 / 10);
    json_text(j, "meshoptimizer", simplifier);
}

int cmd_info(int argc, char **argv) {
    enum { JSON, COUNT };
    option list[COUNT] = {[JSON] = {.name = "--json", .is_flag = true}};
    options all = {.subcommand = "info", .usage = usage, .list = list, .count = COUNT, .operand_name = "FILE"};
    const options_next next = options_parse(&all, argc, argv);
    if (next != OPTIONS_GO_ON) return next == OPTIONS_DONE ? TOOL_DONE : TOOL_USAGE;

    trn_model *model;
    const int exit_code = model_file_open_head(all.operand, &model);
    if (exit_code != TOOL_DONE) return exit_code;
    trn_model_info info;
    trn_model_get_info(model, &info);
    if (list[JSON].value) {
        json j = {.to = stdout};
        json_object(&j, NULL);
        json_text(&j, "file", all.operand);
        json_header(&info, &j);
        model_json_levels(model, &j);
        model_json_pages(model, &j);
        model_json_chunks(model, &j);
        model_json_materials(model, &j);
        json_end(&j);
    } else {
        print_header(&info);
        model_table_levels(model);
        putchar('\n');
        model_table_pages(model);
        putchar('\n');
        model_table_chunks(model);
        putchar('\n');
        model_table_materials(model);
    }
    trn_model_close(model);
    return TOOL_DONE;
}
