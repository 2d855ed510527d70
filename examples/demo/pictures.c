/* SPDX-License-Identifier: MIT */
#include "pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo_progress.h"
#include "png.h"
#include "renderer.h"

enum { width = 1280, height = 720 };

struct pictures {
    renderer *renderer;
    uint8_t *pixels;
};

pictures *pictures_create(trn_world *world, const catalog *models, const trn_model_id *ids, char error[512]) {
    pictures *p = calloc(1, sizeof *p);
    snprintf(error, 512, "out of memory");
    if (!p) return NULL;
    p->pixels = malloc((size_t)width * height * 4);
    if (!p->pixels) return pictures_destroy(p), NULL;
    p->renderer =
        renderer_create(&(renderer_def){.width = width,
                                        .height = height,
                                        .vertex_memory_bytes = trn_world_arena_bytes(world, TRN_ARENA_VERTICES),
                                        .cluster_memory_bytes = trn_world_arena_bytes(world, TRN_ARENA_CLUSTERS)},
                        error);
    if (!p->renderer) return pictures_destroy(p), NULL;
    for (uint32_t i = 0; i < models->count; i++) {
        if (!models->entries[i].tables) continue;
        const trn_model_info *info = &models->entries[i].info;
        renderer_model model = {.grid_step = info->grid_step, .color = {1, 1, 1}};
        for (int axis = 0; axis < 3; axis++) model.grid_origin[axis] = (float)info->grid_origin[axis];
        if (i < LAYOUT_TILES)
            model.flags = RENDERER_MODEL_TERRAIN;
        else
            memcpy(model.color, demo_models[i - LAYOUT_FIRST_MODEL].color, sizeof model.color);
        renderer_set_model(p->renderer, ids[i].index1, &model);
    }
    return p;
}

void pictures_destroy(pictures *p) {
    if (!p) return;
    renderer_destroy(p->renderer);
    free(p->pixels);
    free(p);
}

const char *pictures_device(const pictures *p) { return renderer_device(p->renderer); }

void pictures_follow(pictures *p, const trn_world *world) {
    const trn_copy *copies;
    uint32_t count = trn_world_copies(world, &copies);
    for (uint32_t i = 0; i < count; i++)
        renderer_copy(p->renderer, copies[i].arena, copies[i].to, copies[i].from, copies[i].bytes);
    const trn_page_entry *entries;
    uint32_t first, changed;
    trn_world_page_table(world, &entries, &first, &changed);
    if (changed > 0) renderer_set_pages(p->renderer, entries + first, first, changed);
}

/* World to eye space of a camera at `pose`, relative to the render origin; the eye looks along -z. */
static void look_at(const flight_pose *pose, const double origin[3], float view[16]) {
    double back[3], right[3], up[3], length = 0;
    for (int i = 0; i < 3; i++) back[i] = pose->position[i] - pose->target[i];
    for (int i = 0; i < 3; i++) length += back[i] * back[i];
    length = sqrt(length);
    for (int i = 0; i < 3; i++) back[i] /= length;
    double flat = sqrt(back[0] * back[0] + back[2] * back[2]);
    right[0] = back[2] / flat; /* (0, 1, 0) x back */
    right[1] = 0;
    right[2] = -back[0] / flat;
    up[0] = back[1] * right[2] - back[2] * right[1];
    up[1] = back[2] * right[0] - back[0] * right[2];
    up[2] = back[0] * right[1] - back[1] * right[0];
    const double *const rows[3] = {right, up, back};
    memset(view, 0, 16 * sizeof *view);
    for (int row = 0; row < 3; row++) {
        double shift = 0;
        for (int i = 0; i < 3; i++) {
            view[i * 4 + row] = (float)rows[row][i];
            shift -= rows[row][i] * (pose->position[i] - origin[i]);
        }
        view[12 + row] = (float)shift;
    }
    view[15] = 1;
}

/* Half the size in both directions, averaged. */
static void halve(uint8_t *pixels) {
    for (size_t y = 0; y < height / 2; y++)
        for (size_t x = 0; x < width / 2; x++)
            for (size_t c = 0; c < 4; c++) {
                const uint8_t *from = pixels + (2 * y * width + 2 * x) * 4 + c;
                pixels[(y * (width / 2) + x) * 4 + c] =
                    (uint8_t)((from[0] + from[4] + from[width * 4] + from[width * 4 + 4] + 2) / 4);
            }
}

static char *base64(const uint8_t *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((count + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; text && i < count; i += 3) {
        uint32_t left = (uint32_t)(count - i), three = (uint32_t)bytes[i] << 16;
        if (left > 1) three |= (uint32_t)bytes[i + 1] << 8;
        if (left > 2) three |= bytes[i + 2];
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[three & 63] : '=';
    }
    if (text) *to = 0;
    return text;
}

/* A file as base64 text; the file is removed. */
static char *take_file(const char *path) {
    FILE *from = fopen(path, "rb");
    char *text = NULL;
    if (!from) return NULL;
    if (fseek(from, 0, SEEK_END) == 0) {
        long size = ftell(from);
        uint8_t *bytes = size > 0 ? malloc((size_t)size) : NULL;
        rewind(from);
        if (bytes && fread(bytes, 1, (size_t)size, from) == (size_t)size) text = base64(bytes, (size_t)size);
        free(bytes);
    }
    fclose(from);
    remove(path);
    return text;
}

bool pictures_take(pictures *p, const trn_world *world, const trn_view *view, const flight_pose *pose,
                   const double origin[3], const char *folder, uint32_t frame, record_picture *picture) {
    double start = progress_seconds();
    const trn_draw *draws;
    uint32_t draw_count = trn_world_draws(world, 0, &draws);
    renderer_set_draws(p->renderer, draws, draw_count);
    renderer_frame now = {.fov_y = view->fov_y, .near_plane = view->near_plane, .water = true, .haze_distance = 9000};
    look_at(pose, origin, now.view);
    memcpy(now.render_origin, origin, sizeof now.render_origin);
    picture->frame = frame;
    bool good = true;
    for (int mode = 0; mode < 2; mode++) {
        renderer_stats stats = {0};
        now.mode = mode ? RENDERER_DEBUG : RENDERER_SHADED;
        good = renderer_draw(p->renderer, &now, &stats) && good;
        renderer_read_pixels(p->renderer, p->pixels);
        char path[600];
        snprintf(picture->file[mode], sizeof picture->file[mode], "frame_%03u_%s.png", frame,
                 mode ? "levels" : "shaded");
        snprintf(path, sizeof path, "%.500s/%s", folder, picture->file[mode]);
        good = png_write(path, p->pixels, width, height) && good;
        halve(p->pixels);
        snprintf(path, sizeof path, "%.500s/small.png", folder);
        good = png_write(path, p->pixels, width / 2, height / 2) && good;
        picture->small[mode] = take_file(path);
        picture->triangles = stats.triangles;
        picture->clusters = stats.clusters;
        picture->draws = stats.draws_in_view;
    }
    picture->seconds = progress_seconds() - start;
    return good;
}
