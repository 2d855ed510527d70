/* SPDX-License-Identifier: MIT */
/* After warm-up an update calls no allocator, whatever happens in it. */
#include "support/world_rig.h"

static void an_update_calls_no_allocator_after_warm_up(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 3, 4);
    rig.latency = 4;
    rig.lag = 2;
    rig.fail_percent = 3;
    rig.twice_percent = 5;
    rig.def.mesh_memory_bytes = 4u << 20;
    rig.def.pressure_updates = 20;
    rig.def.idle_updates = 10;
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    for (uint32_t i = 0; i < 100; i++) {
        double x = (i % 10) * 60.0, z = (i / 10) * 60.0;
        trn_region_def region = {.box = {.min = {x, 0, z}, .max = {x + 60, 10, z + 60}},
                                 .payload = {.file = 0, .bytes = 64}};
        trn_region_id id;
        assert_int_equal(trn_region_create(rig.world, &region, &id), TRN_OK);
        trn_instance_def instance = {.region = id, .model = rig.models[i % 4].id, .pose = {.position = {x, 0, z}}};
        trn_instance_id made;
        assert_int_equal(trn_instance_create(rig.world, &instance, &made), TRN_OK);
    }
    uint64_t warm_calls = 0, warm_frees = 0;
    for (uint32_t f = 0; f < 2000; f++) {
        double x = f % 97 == 0 ? random_between(&rig.random, 0, 600) : 300 + 250 * sin(f * 0.02),
               z = 300 + 250 * cos(f * 0.03);
        trn_source source = {.position = {x, 0, z}, .radius = 120};
        trn_view views[2] = {
            {.position = {x, 2, z}, .fov_y = 1.0f, .viewport_height = 1080},
            {.position = {x, 50, z}, .ortho_height = 100.0f, .viewport_height = 512, .threshold_px = 2.0f}};
        assert_int_equal(rig_frame(&rig, &source, 1, views, 2), TRN_OK);
        if (f == 20) warm_calls = rig.memory.calls, warm_frees = rig.memory.frees;
    }
    assert_true(rig.memory.calls == warm_calls);
    assert_true(rig.memory.frees == warm_frees);
    rig_destroy(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_update_calls_no_allocator_after_warm_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
