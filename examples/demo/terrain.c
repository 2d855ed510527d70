/* SPDX-License-Identifier: MIT */
#include "terrain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrane_cook/cook.h>

#include "demo_progress.h"
#include "island.h"

enum { tiles = ISLAND_TILES * ISLAND_TILES, tree_job = tiles, rock_job, job_count };

typedef struct terrain_job {
    const char *folder;
    uint32_t number;
    double seconds;
    char error[256]; /* empty: done */
} terrain_job;

void terrain_path(char path[512], const char *folder, uint32_t column, uint32_t row) {
    snprintf(path, 512, "%s/tile_%02u_%02u.trn", folder, column, row);
}

static bool write_file(const char *path, const void *bytes, uint64_t size) {
    FILE *to = fopen(path, "wb");
    if (!to) return false;
    bool good = fwrite(bytes, 1, size, to) == size;
    return fclose(to) == 0 && good;
}

static void cook(void *context) {
    terrain_job *job = context;
    double start = progress_seconds();
    uint32_t column = job->number % ISLAND_TILES, row = job->number / ISLAND_TILES;
    char path[512];
    island_mesh mesh;
    bool made, tile = job->number < tiles;
    if (tile) {
        made = island_tile(column, row, &mesh);
        terrain_path(path, job->folder, column, row);
    } else {
        made = job->number == tree_job ? island_tree(&mesh) : island_rock(&mesh);
        snprintf(path, sizeof path, "%s/%s.trn", job->folder, job->number == tree_job ? "tree" : "rock");
    }
    if (!made) {
        snprintf(job->error, sizeof job->error, "%.200s: out of memory", path);
        return;
    }
    /* A locked border leaves little to a tile's last levels: beyond the fourth they get much worse and hardly
     * smaller. */
    trn_cook_def def = {.levels = tile ? 4 : TRN_COOK_LEVELS_AUTO, .lock_mesh_border = tile, .name = path};
    trn_cook_mesh source = {.positions = mesh.positions,
                            .normals = mesh.normals,
                            .colors = mesh.colors,
                            .vertex_count = mesh.vertex_count,
                            .indices = mesh.indices,
                            .index_count = mesh.index_count};
    trn_cooked cooked;
    trn_error error;
    if (trn_cook(&def, &source, &cooked, &error) != TRN_OK) {
        snprintf(job->error, sizeof job->error, "%.250s", error.text);
    } else {
        if (!write_file(path, cooked.bytes, cooked.size))
            snprintf(job->error, sizeof job->error, "%.200s: cannot be written", path);
        trn_cooked_free(&cooked);
    }
    island_mesh_free(&mesh);
    job->seconds = progress_seconds() - start;
}

bool terrain_cook(const char *folder, trn_jobs jobs, double seconds[2], char error[256]) {
    terrain_job *work = calloc(job_count, sizeof *work);
    void *handles[job_count];
    if (!work) return snprintf(error, 256, "out of memory"), false;
    progress_show("cooking the island", 0, job_count);
    for (uint32_t i = 0; i < job_count; i++) {
        work[i] = (terrain_job){.folder = folder, .number = i};
        handles[i] = jobs.enqueue(jobs.user, cook, &work[i]);
    }
    bool good = true;
    for (uint32_t i = 0; i < job_count; i++) {
        if (handles[i]) jobs.finish(jobs.user, handles[i]);
        if (good && work[i].error[0]) {
            snprintf(error, 256, "%s", work[i].error);
            good = false;
        }
        progress_show("cooking the island", i + 1, job_count);
    }
    seconds[0] = work[tree_job].seconds;
    seconds[1] = work[rock_job].seconds;
    free(work);
    return good;
}
