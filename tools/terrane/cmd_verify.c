/* SPDX-License-Identifier: MIT */
#include "json_write.h"
#include "mesh_import.h"
#include "model_file.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "subcommands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char usage[] = "usage: terrane verify FILE [--source MESH] [--cuts N] [--json]\n"
                            "\n"
                            "Tries to refute a model file. Exit code 0: every proof holds; 1: one does not.\n"
                            "\n"
                            "  --source MESH         the mesh that it was made from: its triangles and box must agree "
                            "with the file. How far the\n"
                            "                        levels stray from it is not checked by this version.\n"
                            "  --cuts N              random cuts to look at for cracks (32)\n"
                            "  --import-seconds N    time for reading MESH (120)\n"
                            "  --import-memory MB    memory for reading MESH (8192)\n"
                            "  --json                one JSON object instead of a table\n";

enum { SOURCE, CUTS, IMPORT_SECONDS, IMPORT_MEMORY, JSON, COUNT };

typedef enum proof_result { NOT_CHECKED, PASS, FAIL } proof_result;

typedef struct proof {
    const char *name;
    const char *sentence;
    proof_result result;
} proof;

enum {
#define COUNT_PROOF(name, bit, sentence) PROOF_##name,
    TRN_VERIFY_PROOFS(COUNT_PROOF)
#undef COUNT_PROOF
        SOURCE_TRIANGLES,
    SOURCE_BOX,
    SOURCE_DISTANCE,
    PROOF_COUNT
};

/* All that verify says, in the order it is shown. */
typedef struct verdict {
    proof proofs[PROOF_COUNT];
    uint32_t proof_count; /* without a source the last ones are left out */
    trn_verify_report report;
    char source_text[256]; /* what the source has that the file has not */
} verdict;

static const char *result_name(proof_result result) {
    return result == PASS ? "pass" : result == FAIL ? "fail" : "not checked";
}

static void take_report(verdict *v) {
    uint32_t n = 0;
#define TAKE_PROOF(name, bit, sentence)                           \
    v->proofs[n++] = (proof){#name, sentence,                     \
                             v->report.failed >> (bit)&1   ? FAIL \
                             : v->report.passed >> (bit)&1 ? PASS \
                                                           : NOT_CHECKED};
    TRN_VERIFY_PROOFS(TAKE_PROOF)
#undef TAKE_PROOF
    v->proof_count = n;
}

/* ---- Against the source ------------------------------------------------------------------------------------------ */

static bool has_area(const float *a, const float *b, const float *c) {
    double normal = 0;
    for (int k = 0; k < 3; k++) {
        const int x = (k + 1) % 3, y = (k + 2) % 3;
        const double side = ((double)b[x] - (double)a[x]) * ((double)c[y] - (double)a[y]) -
                            ((double)b[y] - (double)a[y]) * ((double)c[x] - (double)a[x]);
        normal += fabs(side);
    }
    return normal > 0;
}

/* The box of all triangles with an area; false when an index is past the end. */
static bool box_of(const trn_cook_mesh *mesh, trn_box *box) {
    for (int k = 0; k < 3; k++) {
        box->min[k] = INFINITY;
        box->max[k] = -INFINITY;
    }
    for (uint64_t i = 0; i + 2 < mesh->index_count; i += 3) {
        const float *corner[3];
        for (uint64_t c = 0; c < 3; c++) {
            if (mesh->indices[i + c] >= mesh->vertex_count) return false;
            corner[c] = &mesh->positions[(size_t)mesh->indices[i + c] * 3];
        }
        if (!has_area(corner[0], corner[1], corner[2])) continue;
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                box->min[k] = fminf(box->min[k], corner[c][k]);
                box->max[k] = fmaxf(box->max[k], corner[c][k]);
            }
        }
    }
    return true;
}

/* A vertex may move to the nearest point of the grid, and a triangle smaller than a cell may go. */
static bool boxes_agree(const trn_box *source, const trn_model_info *info) {
    for (int k = 0; k < 3; k++) {
        const double rounding = 4e-7 * fmax(fabs((double)source->min[k]), fabs((double)source->max[k]));
        const double allowed = 1.01 * (double)info->grid_step + rounding;
        if (!(fabs((double)source->min[k] - (double)info->box.min[k]) <= allowed)) return false;
        if (!(fabs((double)source->max[k] - (double)info->box.max[k]) <= allowed)) return false;
    }
    return true;
}

static int check_source(verdict *v, const trn_model_info *info, const options *all, const import_limits *limits,
                        progress *bar) {
    const char *path = all->list[SOURCE].value;
    imported_mesh imported;
    const int exit_code = mesh_import(path, limits, bar, &imported);
    if (exit_code != TOOL_DONE) return exit_code;
    const uint64_t triangles = imported.mesh.index_count / 3;
    trn_box box;
    const bool is_box_known = box_of(&imported.mesh, &box);
    mesh_import_free(&imported);
    if (!is_box_known) return report(TOOL_BAD_INPUT, "%s: import: a face refers to a vertex that does not exist", path);

    v->proofs[v->proof_count++] =
        (proof){"SOURCE_TRIANGLES", "the file was made from as many triangles as the source has",
                triangles == info->source_triangles ? PASS : FAIL};
    v->proofs[v->proof_count++] = (proof){"SOURCE_BOX", "the file's box is the source's, to a step of the grid",
                                          boxes_agree(&box, info) ? PASS : FAIL};
    v->proofs[v->proof_count++] =
        (proof){"SOURCE_DISTANCE", "no level is farther from the source than it says; this version does not measure it",
                NOT_CHECKED};
    if (triangles != info->source_triangles)
        snprintf(v->source_text, sizeof v->source_text, "the source has %llu triangles, the file was made from %llu",
                 (unsigned long long)triangles, (unsigned long long)info->source_triangles);
    else if (!boxes_agree(&box, info))
        snprintf(v->source_text, sizeof v->source_text, "the source's box is (%.9g, %.9g, %.9g) ... (%.9g, %.9g, %.9g)",
                 (double)box.min[0], (double)box.min[1], (double)box.min[2], (double)box.max[0], (double)box.max[1],
                 (double)box.max[2]);
    return TOOL_DONE;
}

/* ---- Showing ------------------------------------------------------------------------------------------------------ */

/* Every proof of the library must pass; those with the source must not fail, as one is for a later version. */
static bool holds(const verdict *v) {
    for (uint32_t i = 0; i < v->proof_count; i++) {
        if (v->proofs[i].result == FAIL || (v->proofs[i].result == NOT_CHECKED && i != SOURCE_DISTANCE)) return false;
    }
    return true;
}

static void print_verdict(const char *file, const verdict *v) {
    for (uint32_t i = 0; i < v->proof_count; i++)
        printf("%-11s  %-16s  %s\n", result_name(v->proofs[i].result), v->proofs[i].name, v->proofs[i].sentence);
    printf("\n%u cuts, %llu open edges in the finest level\n", v->report.cuts_checked,
           (unsigned long long)v->report.open_edges);
    if (v->report.text[0]) printf("%s\n", v->report.text);
    if (v->source_text[0]) printf("%s\n", v->source_text);
    printf("%s: %s\n", file, holds(v) ? "every proof holds" : "REFUTED");
}

static void json_verdict(const char *file, const char *source, const verdict *v) {
    json j = {.to = stdout};
    json_object(&j, NULL);
    json_text(&j, "file", file);
    json_text(&j, "source", source);
    json_bool(&j, "holds", holds(v));
    json_array(&j, "proofs");
    for (uint32_t i = 0; i < v->proof_count; i++) {
        json_object(&j, NULL);
        json_text(&j, "name", v->proofs[i].name);
        json_text(&j, "sentence", v->proofs[i].sentence);
        json_text(&j, "result", result_name(v->proofs[i].result));
        json_end(&j);
    }
    json_end(&j);
    json_u64(&j, "cuts", v->report.cuts_checked);
    json_u64(&j, "open_edges", v->report.open_edges);
    json_text(&j, "failure", v->report.text[0] ? v->report.text : v->source_text[0] ? v->source_text : NULL);
    json_end(&j);
}

static int verify(const options *all, const trn_model_data *data, trn_verify_def *def, const import_limits *limits) {
    progress bar;
    progress_start(&bar);
    def->progress = progress_tell;
    def->progress_user = &bar;
    verdict v = {0};
    const trn_result result = trn_cook_verify(data, def, &v.report);
    progress_end(&bar);
    if (result == TRN_ERROR_CANCELLED) return report(TOOL_CANCELLED, "%s: cancelled", all->operand);
    if (result != TRN_OK) return report_result(result, NULL, all->operand);
    take_report(&v);
    if (all->list[SOURCE].value) {
        trn_model_info info;
        trn_model_get_info(trn_model_data_tables(data), &info);
        const int exit_code = check_source(&v, &info, all, limits, &bar);
        if (exit_code != TOOL_DONE) return exit_code;
    }
    if (all->list[JSON].value)
        json_verdict(all->operand, all->list[SOURCE].value, &v);
    else
        print_verdict(all->operand, &v);
    return holds(&v) ? TOOL_DONE : TOOL_NO;
}

int cmd_verify(int argc, char **argv) {
    option list[COUNT] = {[SOURCE] = {.name = "--source"},
                          [CUTS] = {.name = "--cuts"},
                          [IMPORT_SECONDS] = {.name = "--import-seconds"},
                          [IMPORT_MEMORY] = {.name = "--import-memory"},
                          [JSON] = {.name = "--json", .is_flag = true}};
    options all = {.subcommand = "verify", .usage = usage, .list = list, .count = COUNT, .operand_name = "FILE"};
    const options_next next = options_parse(&all, argc, argv);
    if (next != OPTIONS_GO_ON) return next == OPTIONS_DONE ? TOOL_DONE : TOOL_USAGE;
    import_limits limits = IMPORT_DEFAULT_LIMITS;
    uint64_t cuts = 0, seconds = limits.seconds;
    if (!options_u64(&all, CUTS, 1, 1000000, &cuts) || !options_u64(&all, IMPORT_SECONDS, 1, 1000000, &seconds) ||
        !options_u64(&all, IMPORT_MEMORY, 1, UINT32_MAX, &limits.megabytes))
        return TOOL_USAGE;
    limits.seconds = (uint32_t)seconds;

    trn_model_data *data;
    int exit_code = model_file_load(all.operand, &data);
    if (exit_code != TOOL_DONE) return exit_code;
    trn_verify_def def = {.cuts = (uint32_t)cuts};
    exit_code = verify(&all, data, &def, &limits);
    trn_model_data_free(data);
    return exit_code;
}
