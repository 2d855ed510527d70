/* SPDX-License-Identifier: MIT */
/* The demo's layout, camera path and plots' ticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "chart.h"
#include "flight.h"
#include "layout.h"

static void make(layout *plan, bool dragon) {
    layout_shape shapes[64];
    assert_true(demo_model_count <= 64);
    for (uint32_t i = 0; i < demo_model_count; i++) shapes[i] = (layout_shape){true, {{-1, -2, -1}, {1, 3, 2}}};
    shapes[DEMO_DRAGON].present = dragon;
    assert_true(layout_make(shapes, plan));
}

static void layout_has_thousands_of_placements_in_over_a_thousand_regions(void **state) {
    (void)state;
    layout plan;
    make(&plan, true);
    assert_true(plan.region_count > 1000);
    assert_true(plan.placement_count > 3000 && plan.placement_count < 8000);
    uint32_t next = 0;
    for (uint32_t i = 0; i < plan.region_count; i++) {
        assert_int_equal(plan.regions[i].first, next);
        next += plan.regions[i].count;
    }
    assert_int_equal(next, plan.placement_count);
    layout_free(&plan);
}

static void layout_is_the_same_twice(void **state) {
    (void)state;
    layout a, b;
    make(&a, true);
    make(&b, true);
    assert_int_equal(a.placement_count, b.placement_count);
    for (uint32_t i = 0; i < a.placement_count; i++) {
        unsigned char x[LAYOUT_PLACEMENT_BYTES], y[LAYOUT_PLACEMENT_BYTES];
        layout_pack(&a.placements[i], x);
        layout_pack(&b.placements[i], y);
        assert_memory_equal(x, y, sizeof x);
    }
    layout_free(&a);
    layout_free(&b);
}

static void layout_without_the_dragon_places_none_and_fills_the_plaza(void **state) {
    (void)state;
    layout with, without;
    make(&with, true);
    make(&without, false);
    assert_int_equal(with.placement_count, without.placement_count);
    for (uint32_t i = 0; i < without.placement_count; i++)
        assert_true(without.placements[i].model != LAYOUT_FIRST_MODEL + DEMO_DRAGON);
    layout_free(&with);
    layout_free(&without);
}

static void placement_survives_its_bytes(void **state) {
    (void)state;
    layout_placement in = {.model = 0x01020304,
                           .scale = 2.5f,
                           .position = {1, -2, 3.25f},
                           .rotation = {0, 0.6f, 0, 0.8f}},
                     out;
    unsigned char bytes[LAYOUT_PLACEMENT_BYTES];
    layout_pack(&in, bytes);
    assert_int_equal(bytes[0], 4); /* little-endian */
    layout_unpack(bytes, &out);
    assert_int_equal(out.model, in.model);
    assert_true(out.scale == in.scale && out.position[2] == in.position[2] && out.rotation[3] == in.rotation[3]);
}

/* Where a point of the model comes to lie. */
static void place(const layout_placement *placed, const float p[3], float out[3]) {
    const float *q = placed->rotation;
    float c[3] = {q[1] * p[2] - q[2] * p[1] + q[3] * p[0], q[2] * p[0] - q[0] * p[2] + q[3] * p[1],
                  q[0] * p[1] - q[1] * p[0] + q[3] * p[2]};
    float r[3] = {p[0] + 2 * (q[1] * c[2] - q[2] * c[1]), p[1] + 2 * (q[2] * c[0] - q[0] * c[2]),
                  p[2] + 2 * (q[0] * c[1] - q[1] * c[0])};
    for (int i = 0; i < 3; i++) out[i] = r[i] * placed->scale + placed->position[i];
}

static void model_stands_upright_with_its_foot_on_the_ground(void **state) {
    (void)state;
    const trn_box box = {{-1, -2, 0}, {1, 2, 10}}; /* ten high along its z axis */
    layout_placement placed = layout_stand(7, &box, DEMO_UP_Z, 100, 5, 200, 0.3, 20);
    const float foot[3] = {0, 0, 0}, head[3] = {0, 0, 10};
    float at[3];
    place(&placed, foot, at);
    assert_true(fabsf(at[0] - 100) < 1e-3f && fabsf(at[1] - 5) < 1e-3f && fabsf(at[2] - 200) < 1e-3f);
    place(&placed, head, at);
    assert_true(fabsf(at[0] - 100) < 1e-3f && fabsf(at[1] - 25) < 1e-3f && fabsf(at[2] - 200) < 1e-3f);
}

static void camera_stays_above_ground_and_jumps_once(void **state) {
    (void)state;
    flight_pose before = flight_at(0);
    for (uint32_t frame = 0; frame < FLIGHT_FRAMES; frame++) {
        flight_pose pose = flight_at(frame);
        assert_true(pose.position[1] >= island_height(pose.position[0], pose.position[2]) + 1.69);
        assert_true(pose.position[1] >= 1.69);
        double step =
            sqrt(pow(pose.position[0] - before.position[0], 2) + pow(pose.position[1] - before.position[1], 2) +
                 pow(pose.position[2] - before.position[2], 2));
        if (frame == FLIGHT_TELEPORT)
            assert_true(step > 500);
        else
            assert_true(step < 20);
        before = pose;
    }
}

static void pictures_rise_and_lie_on_both_sides_of_the_jump(void **state) {
    (void)state;
    for (int i = 1; i < FLIGHT_PICTURES; i++) assert_true(flight_pictures[i - 1] < flight_pictures[i]);
    assert_true(flight_pictures[0] < FLIGHT_TELEPORT && flight_pictures[FLIGHT_PICTURES - 1] > FLIGHT_TELEPORT);
    assert_true(flight_pictures[FLIGHT_PICTURES - 1] < FLIGHT_FRAMES);
}

static void ticks_are_round_and_few(void **state) {
    (void)state;
    assert_true(chart_tick(1) == 0.2);
    assert_true(chart_tick(600) == 100);
    for (double top = 0.01; top < 1e6; top *= 1.37)
        assert_true(top / chart_tick(top) >= 2.4 && top / chart_tick(top) <= 6.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_has_thousands_of_placements_in_over_a_thousand_regions),
        cmocka_unit_test(layout_is_the_same_twice),
        cmocka_unit_test(layout_without_the_dragon_places_none_and_fills_the_plaza),
        cmocka_unit_test(placement_survives_its_bytes),
        cmocka_unit_test(model_stands_upright_with_its_foot_on_the_ground),
        cmocka_unit_test(camera_stays_above_ground_and_jumps_once),
        cmocka_unit_test(pictures_rise_and_lie_on_both_sides_of_the_jump),
        cmocka_unit_test(ticks_are_round_and_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
