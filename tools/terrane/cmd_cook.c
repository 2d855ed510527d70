/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "mesh_import.h"
#include "model_table.h"
#include "options.h"
#include "output_file.h"
#include "report.h"
#include "subcommands.h"

#include <meshoptimizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: terrane cook IN -o OUT.trn [options]\n"
    "\n"
    "Makes a model file of a mesh. IN is anything that assimp reads (glTF, GLB, OBJ, PLY, STL, OFF, FBX ...), also "
    "gzipped.\n"
    "OUT.trn appears whole or not at all.\n"
    "\n"
    "  -o OUT.trn            where the model goes; an existing file is replaced\n"
    "  --levels N|auto       levels of detail, 1 to 64; auto: until one cluster a material is left (1)\n"
    "  --group N             clusters a group, 2 to 64 (8)\n"
    "  --page-bytes N        size of a page; 0: one page a level, and nothing else in this version (0)\n"
    "  --codec none          how pages are packed; nothing else in this version (none)\n"
    "  --error-rule R        additive: errors of following levels add up; max: the largest counts (additive)\n"
    "  --lock-mesh-border    real borders keep every vertex, as tiles of a terrain need it\n"
    "  --weights normal=W,uv=W   how much normals and UVs steer, 0: not at all (normal=0.5,uv=0.5)\n"
    "  --jobs N              threads; 1, and nothing else in this version (1)\n"
    "  --import-seconds N    time for reading IN (120)\n"
    "  --import-memory MB    memory for reading IN (8192)\n"
    "  --json                one JSON object instead of tables\n";

enum {
    OUTPUT,
    LEVELS,
    GROUP,
    PAGE_BYTES,
    CODEC,
    ERROR_RULE,
    LOCK_MESH_BORDER,
    WEIGHTS,
    JOBS,
    IMPORT_SECONDS,
    IMPORT_MEMORY,
    JSON,
    COUNT
};

/* ---- Options ---------------------------------------------------------------------------------------------------- */

static bool is_text(const option *o, const char *text) { return strcmp(o->value, text) == 0; }

/* What a later version will do is refused, not ignored. */
static bool is_of_this_version(const options *all) {
    const option *list = all->list;
    uint64_t page_bytes = 0, jobs = 1;
    if (!options_u64(all, PAGE_BYTES, 0, UINT32_MAX, &page_bytes) || !options_u64(all, JOBS, 1, 4096, &jobs))
        return false;
    if (page_bytes != 0) {
        report(TOOL_USAGE, "cook: this version makes one page a level, so --page-bytes must be 0");
        return false;
    }
    if (jobs != 1) {
        report(TOOL_USAGE, "cook: this version cooks on one thread, so --jobs must be 1");
        return false;
    }
    if (list[CODEC].value && !is_text(&list[CODEC], "none")) {
        const bool is_known = is_text(&list[CODEC], "meshopt") || is_text(&list[CODEC], "meshopt+zstd");
        report(TOOL_USAGE,
               is_known ? "cook: this version packs nothing, so --codec must be none, not '%s'"
                        : "cook: --codec wants none, not '%s'",
               list[CODEC].value);
        return false;
    }
    return true;
}

static bool parse_levels(const options *all, uint32_t *levels) {
    uint64_t count = 1;
    if (all->list[LEVELS].value && is_text(&all->list[LEVELS], "auto")) {
        *levels = TRN_COOK_LEVELS_AUTO;
        return true;
    }
    if (all->list[LEVELS].value && (!text_u64(all->list[LEVELS].value, &count) || count < 1 || count > 64)) {
        report(TOOL_USAGE, "cook: --levels wants a whole number from 1 to 64, or auto, not '%s'",
               all->list[LEVELS].value);
        return false;
    }
    *levels = (uint32_t)count;
    return true;
}

static bool parse_error_rule(const option *rule, trn_error_rule *to) {
    *to = TRN_ERROR_RULE_ADDITIVE;
    if (!rule->value || is_text(rule, "additive")) return true;
    *to = TRN_ERROR_RULE_MAX;
    if (is_text(rule, "max")) return true;
    report(TOOL_USAGE,
           is_text(rule, "measured")
               ? "cook: this version measures no errors: --error-rule wants additive or max, not '%s'"
               : "cook: --error-rule wants additive or max, not '%s'",
           rule->value);
    return false;
}

/* "normal=W,uv=W", either or both, in any order. */
static bool parse_weights(const option *weights, trn_cook_def *def) {
    static const char *const names[] = {"normal=", "uv="};
    float *const to[] = {&def->normal_weight, &def->uv_weight};
    bool is_given[] = {false, false};
    const char *next = weights->value;
    while (next) {
        char item[64];
        const size_t length = strcspn(next, ",");
        const unsigned which = strncmp(next, names[0], strlen(names[0])) == 0 ? 0 : 1;
        double weight = -1;
        if (length < sizeof item && strncmp(next, names[which], strlen(names[which])) == 0 && !is_given[which]) {
            memcpy(item, next, length);
            item[length] = 0;
            if (!text_number(item + strlen(names[which]), &weight)) weight = -1;
        }
        if (!(weight >= 0 && weight <= 1000)) {
            report(TOOL_USAGE, "cook: --weights wants normal=W,uv=W with numbers from 0 to 1000, not '%s'",
                   weights->value);
            return false;
        }
        is_given[which] = true;
        /* In the definition 0 is the default, and less is none. */
        *to[which] = (float)weight > 0 ? (float)weight : -1;
        next = next[length] ? next + length + 1 : NULL;
    }
    return true;
}

/* ---- Notes and figures ------------------------------------------------------------------------------------------ */

enum { NOTES_MAX = 64, NOTE_BYTES = 256 };

/* What the cook repaired, made or left out. */
typedef struct notes {
    char text[NOTES_MAX][NOTE_BYTES];
    uint32_t count;
    uint32_t more; /* that had no place */
} notes;

static void take_note(void *user, const trn_log_message *message) {
    notes *n = user;
    if (n->count < NOTES_MAX)
        snprintf(n->text[n->count++], NOTE_BYTES, "%s", message->text);
    else
        n->more++;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct seconds {
    double import, cook, write;
} seconds;

/* meshoptimizer has no way to say that it has no memory; this one ends with the code for it. Nothing is on the disk yet. */
static void *MESHOPTIMIZER_ALLOC_CALLCONV allocate_or_end(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) _exit(report(TOOL_OUT_OF_MEMORY, "the simplifier ran out of memory"));
    return memory;
}

static void MESHOPTIMIZER_ALLOC_CALLCONV free_memory(void *memory) { free(memory); }

static void print_summary(const char *path, const trn_cooked *cooked, const trn_model *model, const notes *n,
                          const seconds *s) {
    const trn_cook_stats *t = &cooked->stats;
    printf("%s: %llu bytes, %.2f for each of %llu source triangles\n", path, (unsigned long long)cooked->size,
           (double)cooked->size / (double)t->source_triangles, (unsigned long long)t->source_triangles);
    printf("source          %llu triangles, %llu vertices; %llu triangles dropped, %llu vertices welded\n",
           (unsigned long long)t->source_triangles, (unsigned long long)t->source_vertices,
           (unsigned long long)t->dropped_triangles, (unsigned long long)t->duplicate_vertices);
    printf("stored          %llu triangles, %llu vertices; %u clusters (%u without anything coarser), %u groups\n",
           (unsigned long long)t->stored_triangles, (unsigned long long)t->stored_vertices, t->cluster_count,
           t->terminal_clusters, t->group_count);
    printf("errors          coarsest %.6g, UV %.6g; %u groups reduced by the fallback\n", (double)t->coarsest_error,
           (double)t->uv_error, t->fallback_groups);
    printf("memory          %.1f MB at most, without the simplifier's own\n", (double)t->peak_bytes / (1 << 20));
    printf("time            import %.2f s, cook %.2f s, write %.2f s\n\n", s->import, s->cook, s->write);
    model_table_levels(model);
    if (n->count > 0) putchar('\n');
    for (uint32_t i = 0; i < n->count; i++) printf("note: %s\n", n->text[i]);
    if (n->more > 0) printf("note: %u more of these\n", n->more);
}

static void json_summary(const char *input, const char *output, const trn_cooked *cooked, const trn_model *model,
                         const notes *n, const seconds *s) {
    const trn_cook_stats *t = &cooked->stats;
    json j = {.to = stdout};
    json_object(&j, NULL);
    json_text(&j, "input", input);
    json_text(&j, "output", output);
    json_u64(&j, "file_bytes", cooked->size);
    json_object(&j, "stats");
    json_u64(&j, "source_triangles", t->source_triangles);
    json_u64(&j, "source_vertices", t->source_vertices);
    json_u64(&j, "dropped_triangles", t->dropped_triangles);
    json_u64(&j, "duplicate_vertices", t->duplicate_vertices);
    json_u64(&j, "level_count", t->level_count);
    json_u64(&j, "group_count", t->group_count);
    json_u64(&j, "terminal_clusters", t->terminal_clusters);
    json_u64(&j, "cluster_count", t->cluster_count);
    json_u64(&j, "fallback_groups", t->fallback_groups);
    json_u64(&j, "stored_triangles", t->stored_triangles);
    json_u64(&j, "stored_vertices", t->stored_vertices);
    json_float(&j, "coarsest_error", t->coarsest_error);
    json_float(&j, "uv_error", t->uv_error);
    json_u64(&j, "peak_bytes", t->peak_bytes);
    json_end(&j);
    json_object(&j, "seconds");
    json_double(&j, "import", s->import);
    json_double(&j, "cook", s->cook);
    json_double(&j, "write", s->write);
    json_end(&j);
    model_json_levels(model, &j);
    model_json_materials(model, &j);
    json_array(&j, "notes");
    for (uint32_t i = 0; i < n->count; i++) json_text(&j, NULL, n->text[i]);
    json_end(&j);
    json_u64(&j, "notes_left_out", n->more);
    json_end(&j);
}

/* ---- The steps -------------------------------------------------------------------------------------------------- */

static int write_model(const char *path, const trn_cooked *cooked) {
    output_file out;
    int exit_code = output_open(&out, path);
    if (exit_code == TOOL_DONE) exit_code = output_write(&out, cooked->bytes, (size_t)cooked->size);
    if (exit_code == TOOL_DONE) exit_code = output_commit(&out);
    output_discard(&out);
    return exit_code;
}

/* Opens what was cooked, for its tables. */
static int open_cooked(const char *path, const trn_cooked *cooked, trn_model **model) {
    trn_error error = {.code = TRN_OK};
    uint64_t head_bytes = 0;
    trn_result result = cooked->size < TRN_MODEL_HEADER_BYTES ? TRN_ERROR_INTERNAL : TRN_OK;
    if (result == TRN_OK) result = trn_model_head_bytes(cooked->bytes, TRN_MODEL_HEADER_BYTES, &head_bytes, &error);
    if (result == TRN_OK && head_bytes > cooked->size) result = TRN_ERROR_INTERNAL;
    if (result == TRN_OK)
        result = trn_model_open(cooked->bytes, (size_t)head_bytes, cooked->size, path, NULL, model, &error);
    if (result == TRN_OK) return TOOL_DONE;
    const int exit_code = report_result(result, &error, path);
    return exit_code == TOOL_OUT_OF_MEMORY ? exit_code : TOOL_INTERNAL;
}

static int cook(const options *all, trn_cook_def *def, const import_limits *limits, notes *n) {
    const char *input = all->operand, *output = all->list[OUTPUT].value;
    progress bar;
    progress_start(&bar);
    seconds s;
    const double start = seconds_now();
    imported_mesh imported;
    int exit_code = mesh_import(input, limits, &bar, &imported);
    if (exit_code != TOOL_DONE) return exit_code;
    const double imported_at = seconds_now();
    s.import = imported_at - start;
    if (imported.left_out > 0)
        snprintf(n->text[n->count++], NOTE_BYTES, "%llu points, lines or faces of two corners are left out",
                 (unsigned long long)imported.left_out);

    trn_cooked cooked = {0};
    trn_error error = {.code = TRN_OK};
    def->name = input;
    def->progress = progress_tell;
    def->progress_user = &bar;
    def->log = (trn_log){n, take_note};
    meshopt_setAllocator(allocate_or_end, free_memory);
    const trn_result result = trn_cook(def, &imported.mesh, &cooked, &error);
    progress_end(&bar);
    mesh_import_free(&imported);
    if (result == TRN_ERROR_CANCELLED) return report(TOOL_CANCELLED, "%s: cancelled", input);
    if (result != TRN_OK) return report_result(result, &error, input);
    const double cooked_at = seconds_now();
    s.cook = cooked_at - imported_at;

    trn_model *model = NULL;
    exit_code = open_cooked(output, &cooked, &model);
    if (exit_code == TOOL_DONE) exit_code = write_model(output, &cooked);
    s.write = seconds_now() - cooked_at;
    if (exit_code == TOOL_DONE && all->list[JSON].value)
        json_summary(input, output, &cooked, model, n, &s);
    else if (exit_code == TOOL_DONE)
        print_summary(output, &cooked, model, n, &s);
    trn_model_close(model);
    trn_cooked_free(&cooked);
    return exit_code;
}

int cmd_cook(int argc, char **argv) {
    option list[COUNT] = {[OUTPUT] = {.name = "-o"},
                          [LEVELS] = {.name = "--levels"},
                          [GROUP] = {.name = "--group"},
                          [PAGE_BYTES] = {.name = "--page-bytes"},
                          [CODEC] = {.name = "--codec"},
                          [ERROR_RULE] = {.name = "--error-rule"},
                          [LOCK_MESH_BORDER] = {.name = "--lock-mesh-border", .is_flag = true},
                          [WEIGHTS] = {.name = "--weights"},
                          [JOBS] = {.name = "--jobs"},
                          [IMPORT_SECONDS] = {.name = "--import-seconds"},
                          [IMPORT_MEMORY] = {.name = "--import-memory"},
                          [JSON] = {.name = "--json", .is_flag = true}};
    options all = {.subcommand = "cook", .usage = usage, .list = list, .count = COUNT, .operand_name = "IN"};
    const options_next next = options_parse(&all, argc, argv);
    if (next != OPTIONS_GO_ON) return next == OPTIONS_DONE ? TOOL_DONE : TOOL_USAGE;
    if (!list[OUTPUT].value || !list[OUTPUT].value[0])
        return report(TOOL_USAGE, "cook: missing: -o OUT.trn (see terrane cook --help)");

    trn_cook_def def = {.lock_mesh_border = list[LOCK_MESH_BORDER].value != NULL};
    import_limits limits = IMPORT_DEFAULT_LIMITS;
    uint64_t group = 8, import_seconds = limits.seconds;
    if (!is_of_this_version(&all) || !parse_levels(&all, &def.levels) || !options_u64(&all, GROUP, 2, 64, &group) ||
        !parse_error_rule(&list[ERROR_RULE], &def.error_rule) || !parse_weights(&list[WEIGHTS], &def) ||
        !options_u64(&all, IMPORT_SECONDS, 1, 1000000, &import_seconds) ||
        !options_u64(&all, IMPORT_MEMORY, 1, UINT32_MAX, &limits.megabytes))
        return TOOL_USAGE;
    def.group_size = (uint32_t)group;
    limits.seconds = (uint32_t)import_seconds;

    int exit_code = output_check(list[OUTPUT].value, all.operand);
    if (exit_code != TOOL_DONE) return exit_code;
    notes *n = calloc(1, sizeof *n);
    if (!n) return report(TOOL_OUT_OF_MEMORY, "cook: out of memory");
    exit_code = cook(&all, &def, &limits, n);
    free(n);
    return exit_code;
}
