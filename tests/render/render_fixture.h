/* SPDX-License-Identifier: MIT */
/* What the render tests share: one renderer, the picture it made, and what a picture of a sphere must show. */
#ifndef TEST_RENDER_FIXTURE_H
#define TEST_RENDER_FIXTURE_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "patch_model.h"
#include "png.h"
#include "renderer.h"
#include "support/random.h"

#define SKIPPED 77 /* what ctest takes for "not run here" */
#define SIZE 384u
#define PIXELS (SIZE * SIZE)
#define FOV 0.8f
#define NEAR 0.05f

static renderer *shared;
static uint8_t picture[PIXELS * 4];
static float distances[PIXELS];

static const renderer_def small_renderer = {
    .width = SIZE, .height = SIZE, .vertex_memory_bytes = 8u << 20, .cluster_memory_bytes = 8u << 20};

static inline void identity(float m[16]) {
    for (int i = 0; i < 16; i++) m[i] = i % 5 == 0 ? 1.0f : 0.0f;
}

/* A sphere of radius 1, model 1, at a place: as the world would ask for it with the eye at the render origin. */
static inline trn_draw sphere_draw(float x, float y, float z, uint32_t page_count) {
    trn_draw draw = {.eye = {-x, -y, -z},
                     .pixels_per_error = (float)SIZE / (2 * tanf(FOV / 2)),
                     .sphere = {0, 0, 0, 1.001f},
                     .near_distance = NEAR,
                     .page_count = page_count,
                     .model = 1};
    identity(draw.matrix);
    draw.matrix[12] = x;
    draw.matrix[13] = y;
    draw.matrix[14] = z;
    return draw;
}

/* The eye at the render origin, looking along -z. */
static inline renderer_frame plain_frame(renderer_mode mode) {
    renderer_frame frame = {.fov_y = FOV, .near_plane = NEAR, .mode = mode};
    identity(frame.view);
    return frame;
}

static inline renderer_stats draw_scene(const trn_draw *draws, uint32_t count, const renderer_frame *frame) {
    renderer_stats stats;
    renderer_set_draws(shared, draws, count);
    assert_true(renderer_draw(shared, frame, &stats));
    renderer_read_pixels(shared, picture);
    renderer_read_distance(shared, distances);
    return stats;
}

static inline bool covered(uint32_t x, uint32_t y) { return distances[y * SIZE + x] < FLT_MAX; }

static inline uint32_t covered_pixels(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < PIXELS; i++) count += distances[i] < FLT_MAX;
    return count;
}

/* Radius in pixels of a unit sphere's outline, straight ahead. */
static inline double outline_radius(double distance) {
    return 1 / sqrt(distance * distance - 1) * SIZE / (2 * tan((double)FOV / 2));
}

/* A unit sphere straight ahead: its disc has the right area, within 2 % or what an error of so many pixels does to the
 * outline; no hole inside; background in the corners. */
static inline void expect_disc(double distance, renderer_mode mode, double error_px) {
    double radius = outline_radius(distance), area = 3.14159265358979 * radius * radius;
    assert_float_equal((float)(covered_pixels() / area), 1.0f, (float)fmax(0.02, 2 * error_px / radius));
    static const uint32_t corners[4][2] = {{0, 0}, {SIZE - 1, 0}, {0, SIZE - 1}, {SIZE - 1, SIZE - 1}};
    for (int i = 0; i < 4; i++) {
        const uint8_t *pixel = picture + 4 * (corners[i][1] * SIZE + corners[i][0]);
        assert_false(covered(corners[i][0], corners[i][1]));
        if (mode == RENDERER_DEBUG)
            assert_true(pixel[0] == 14 && pixel[1] == 17 && pixel[2] == 22);
        else
            assert_true(pixel[2] > pixel[0]); /* sky */
    }
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            double dx = x + 0.5 - SIZE / 2.0, dy = y + 0.5 - SIZE / 2.0;
            if (dx * dx + dy * dy < 0.81 * radius * radius) assert_true(covered(x, y));
        }
    }
}

/* SPEC L3 on the CPU. */
static inline bool cpu_draws(const trn_cluster_record *c, const trn_draw *d, const trn_page_entry *pages) {
    const float *p = c->parent_sphere, *o = c->own_sphere;
    if (!(c->counts & TRN_CLUSTER_NO_PARENT_GROUP) &&
        !trn_refine_test(c->parent_error, p[0], p[1], p[2], p[3], d->eye[0], d->eye[1], d->eye[2], d->pixels_per_error,
                         d->near_distance))
        return false;
    if (c->counts & TRN_CLUSTER_NO_OWN_GROUP) return true;
    if (!trn_refine_test(c->own_error, o[0], o[1], o[2], o[3], d->eye[0], d->eye[1], d->eye[2], d->pixels_per_error,
                         d->near_distance))
        return true;
    return c->child_page >= d->page_count || !(pages[d->first_page + c->child_page].state & TRN_PAGE_RESIDENT);
}

/* Prints why when there is nothing to draw with. */
static inline bool fixture_open(void) {
    char text[RENDERER_ERROR_BYTES] = "";
    shared = renderer_create(&small_renderer, text);
    if (shared != NULL)
        printf("on %s\n", renderer_device(shared));
    else
        printf("skipped: %s\n", text);
    return shared != NULL;
}

#endif
