/* SPDX-License-Identifier: MIT */
/* The level choice against its sentence in doubles: a page is needed while its error, in pixels at the image centre and at
 * the nearest point of its sphere, is more than the threshold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "lod/lod_internal.h"
#include "support/random.h"
#include "terrane/shader/terrane_shared.h"

static void rotate(const float q[4], const double v[3], double out[3]) {
    double u[3] = {q[0], q[1], q[2]}, w = q[3], a[3], b[3];
    for (int i = 0; i < 3; i++) a[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    for (int i = 0; i < 3; i++) b[i] = u[(i + 1) % 3] * a[(i + 2) % 3] - u[(i + 2) % 3] * a[(i + 1) % 3];
    for (int i = 0; i < 3; i++) out[i] = v[i] + 2 * (w * a[i] + b[i]);
}

/* Pixels that the page's error covers, over the threshold. */
static double oracle(const trni_lod_page *page, const trn_pose *pose, float scale, const trn_view *view) {
    double center[3], local[3], distance = 0, near_plane = view->near_plane > 0 ? view->near_plane : 0.1;
    double threshold = view->threshold_px > 0 ? view->threshold_px : 1;
    for (int i = 0; i < 3; i++) local[i] = (double)page->sphere[i] * scale;
    rotate(pose->rotation, local, center);
    for (int i = 0; i < 3; i++) {
        double d = view->position[i] - (pose->position[i] + center[i]);
        distance += d * d;
    }
    distance = sqrt(distance) - (double)page->sphere[3] * scale;
    if (distance < near_plane) distance = near_plane;
    double error = (double)page->parent_error * scale;
    if (view->ortho_height > 0) return error * view->viewport_height / view->ortho_height / threshold;
    return error * view->viewport_height / (2 * tan(view->fov_y * 0.5)) / distance / threshold;
}

static trn_pose random_pose(uint64_t *random, double far_away) {
    trn_pose pose = {{0}, {0}}, made;
    double length = 0, q[4];
    for (int i = 0; i < 3; i++) pose.position[i] = far_away + random_between(random, -50, 50);
    for (int i = 0; i < 4; i++) q[i] = random_between(random, -1, 1), length += q[i] * q[i];
    for (int i = 0; i < 4; i++) pose.rotation[i] = (float)(q[i] / sqrt(length));
    assert_true(trni_pose_make(&made, &pose));
    return made;
}

static void needs_follow_the_sentence(bool ortho, double far_away) {
    uint64_t random = 7;
    int near_the_edge = 0, needed_count = 0;
    for (int round = 0; round < 20000; round++) {
        float scale = (float)exp(random_between(&random, -3, 3));
        trn_pose pose = random_pose(&random, far_away);
        trn_view view = {.viewport_height = (float)random_between(&random, 100, 2000)};
        for (int i = 0; i < 3; i++) view.position[i] = pose.position[i] + random_between(&random, -300, 300);
        if (ortho)
            view.ortho_height = (float)random_between(&random, 1, 500);
        else
            view.fov_y = (float)random_between(&random, 0.2, 2.5);
        if (round % 2) view.threshold_px = (float)random_between(&random, 0.5, 4);
        trni_lod_page pages[2] = {{.parent_error = TRN_ERROR_WITHOUT_PARENT, .level = 1}, {.level = 0}};
        pages[1].parent_error = (float)exp(random_between(&random, -9, 1));
        for (int i = 0; i < 3; i++) pages[1].sphere[i] = (float)random_between(&random, -5, 5);
        pages[1].sphere[3] = (float)random_between(&random, 0, 20);
        trni_lod_model model = {
            .pages = pages, .page_count = 2, .root_count = 1, .level_count = 2, .page_a_level = true};
        uint8_t needs[2] = {0};
        trni_lod_eye eye = trni_lod_eye_make(&pose, scale, &view);
        trni_lod_add_needs(&model, &eye, 0, 1.3f, 0, needs);
        double pixels = oracle(&pages[1], &pose, scale, &view);
        assert_int_equal(needs[0], TRNI_NEED_ALL);
        if (fabs(pixels - 1) < 1e-3 || fabs(pixels * 1.3 - 1) < 1e-3) {
            near_the_edge++; /* float against double */
            continue;
        }
        assert_int_equal((needs[1] & TRNI_NEED_FIT) != 0, pixels > 1);
        assert_int_equal((needs[1] & TRNI_NEED_KEEP) != 0, pixels * 1.3 > 1);
        needed_count += pixels > 1;
    }
    assert_true(near_the_edge < 200);
    assert_true(needed_count > 1000 && needed_count < 19000);
}

static void perspective(void **state) {
    (void)state;
    needs_follow_the_sentence(false, 0);
}
static void orthographic(void **state) {
    (void)state;
    needs_follow_the_sentence(true, 0);
}
static void far_from_the_origin(void **state) {
    (void)state;
    needs_follow_the_sentence(false, 1e7);
}

static void the_bias_asks_for_coarser_levels_and_keeps_what_is_there(void **state) {
    (void)state;
    trni_lod_page pages[5];
    for (uint32_t p = 0; p < 5; p++)
        pages[p] = (trni_lod_page){.parent_error = p == 0 ? TRN_ERROR_WITHOUT_PARENT : 1.0f, .level = 4 - p};
    trni_lod_model model = {.pages = pages, .page_count = 5, .root_count = 1, .level_count = 5, .page_a_level = true};
    trni_lod_eye eye = {.position = {0.5f, 0, 0}, .pixels_per_error = 100, .near_distance = 0.1f};
    const uint32_t first_dependency[6] = {0, 0, 1, 2, 3, 4}, dependencies[4] = {0, 1, 2, 3};
    for (uint32_t bias = 0; bias <= 4; bias++) {
        uint8_t needs[5] = {0};
        trni_lod_add_needs(&model, &eye, 0, 1.3f, bias, needs);
        trni_lod_close_needs(&model, first_dependency, dependencies, bias, needs);
        assert_int_equal(trni_lod_finest(&model, needs, TRNI_NEED_FIT), 0);
        assert_int_equal(trni_lod_finest(&model, needs, TRNI_NEED_KEEP), 0);
        assert_int_equal(trni_lod_finest(&model, needs, TRNI_NEED_WANT), bias);
    }
}

static void what_a_needed_page_depends_on_is_needed(void **state) {
    (void)state;
    trni_lod_page pages[4] = {{.level = 2}, {.level = 1}, {.level = 1}, {.level = 0}};
    trni_lod_model model = {.pages = pages, .page_count = 4, .root_count = 1, .level_count = 3};
    const uint32_t first_dependency[5] = {0, 0, 1, 2, 3}, dependencies[3] = {0, 0, 2};
    uint8_t needs[4] = {0, 0, 0, TRNI_NEED_WANT | TRNI_NEED_KEEP};
    trni_lod_close_needs(&model, first_dependency, dependencies, 0, needs);
    assert_int_equal(needs[2], TRNI_NEED_WANT | TRNI_NEED_KEEP);
    assert_int_equal(needs[0], TRNI_NEED_WANT | TRNI_NEED_KEEP);
    assert_int_equal(needs[1], 0);
}

static void a_matrix_carries_points_where_the_pose_does(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int round = 0; round < 1000; round++) {
        trn_pose pose = random_pose(&random, 1e6);
        double origin[3], point[3], scaled[3], turned[3];
        float matrix[16], scale = (float)random_between(&random, 0.1, 10);
        for (int i = 0; i < 3; i++) {
            origin[i] = pose.position[i] + random_between(&random, -100, 100);
            point[i] = random_between(&random, -10, 10);
            scaled[i] = point[i] * scale;
        }
        rotate(pose.rotation, scaled, turned);
        trni_pose_matrix(&pose, scale, origin, matrix);
        for (int row = 0; row < 3; row++) {
            double there = matrix[12 + row];
            for (int column = 0; column < 3; column++) there += (double)matrix[column * 4 + row] * point[column];
            assert_true(fabs(there - (pose.position[row] + turned[row] - origin[row])) < 1e-3);
        }
    }
}

static void bad_poses_and_views_are_refused(void **state) {
    (void)state;
    trn_pose made, pose = {{0}, {0, 0, 0, 1}};
    assert_true(trni_pose_make(&made, &pose));
    pose.rotation[3] = 1.1f;
    assert_false(trni_pose_make(&made, &pose));
    pose.rotation[3] = NAN;
    assert_false(trni_pose_make(&made, &pose));
    pose = (trn_pose){{INFINITY, 0, 0}, {0}};
    assert_false(trni_pose_make(&made, &pose));
    trn_view view = {.fov_y = 1, .viewport_height = 100};
    assert_true(trni_view_valid(&view));
    trn_view bad[] = {{.fov_y = 0, .viewport_height = 100},
                      {.fov_y = 4, .viewport_height = 100},
                      {.fov_y = NAN, .viewport_height = 100},
                      {.fov_y = 1, .viewport_height = 0},
                      {.fov_y = 1, .viewport_height = 100, .near_plane = -1},
                      {.fov_y = 1, .viewport_height = 100, .threshold_px = NAN},
                      {.fov_y = 1, .viewport_height = 100, .ortho_height = -1},
                      {.fov_y = 1, .viewport_height = 100, .position = {NAN, 0, 0}}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(trni_view_valid(&bad[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perspective),
        cmocka_unit_test(orthographic),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(the_bias_asks_for_coarser_levels_and_keeps_what_is_there),
        cmocka_unit_test(what_a_needed_page_depends_on_is_needed),
        cmocka_unit_test(a_matrix_carries_points_where_the_pose_does),
        cmocka_unit_test(bad_poses_and_views_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
