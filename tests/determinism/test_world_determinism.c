/* SPDX-License-Identifier: MIT */
/* The same inputs and the same completions give the same outputs, in whatever order a frame's completions came. */
#include "support/world_rig.h"

static uint64_t run(bool in_order, uint32_t sources_turned) {
    world_rig rig;
    rig_make(&rig, 11, 3);
    rig.serves_in_order = in_order;
    rig.def.mesh_memory_bytes = 3u << 20;
    rig.def.pressure_updates = 20;
    rig.def.idle_updates = 10;
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    for (uint32_t i = 0; i < 64; i++) {
        double x = (i % 8) * 50.0, z = (i / 8) * 50.0;
        trn_region_def region = {.box = {.min = {x, 0, z}, .max = {x + 50, 10, z + 50}}};
        trn_region_id id;
        assert_int_equal(trn_region_create(rig.world, &region, &id), TRN_OK);
        trn_instance_def instance = {.region = id, .model = rig.models[i % 3].id, .pose = {.position = {x, 0, z}}};
        trn_instance_id made;
        assert_int_equal(trn_instance_create(rig.world, &instance, &made), TRN_OK);
    }
    for (uint32_t f = 0; f < 400; f++) {
        double x = 200 + 180 * sin(f * 0.05), z = 200 + 180 * cos(f * 0.04);
        trn_source sources[2] = {{.position = {x, 0, z}, .radius = 90},
                                 {.position = {z, 0, x}, .radius = 60, .target = TRN_STATE_RESIDENT}};
        trn_source turned[2] = {sources[sources_turned], sources[1 - sources_turned]};
        trn_view view = {.position = {x, 2, z}, .fov_y = 1.0f, .viewport_height = 1080};
        assert_int_equal(rig_frame(&rig, turned, 2, &view, 1), TRN_OK);
    }
    uint64_t hash = rig.hash;
    rig_destroy(&rig);
    return hash;
}

static void completions_of_a_frame_may_come_in_any_order(void **state) {
    (void)state;
    uint64_t first = run(true, 0);
    assert_true(first == run(true, 0));
    assert_true(first == run(false, 0));
}

static void sources_may_come_in_any_order(void **state) {
    (void)state;
    assert_true(run(true, 0) == run(true, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(completions_of_a_frame_may_come_in_any_order),
                                       cmocka_unit_test(sources_may_come_in_any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
