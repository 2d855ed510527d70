/* SPDX-License-Identifier: MIT */
/* A world whose allocator refuses the Nth request, for every N, once and for good: each call gives an error and changes
 * nothing, or works; nothing leaks; frames go on. */
#include "support/world_rig.h"

static bool ok_or_no_memory(trn_result result) {
    assert_true(result == TRN_OK || result == TRN_ERROR_OUT_OF_MEMORY);
    return result == TRN_OK;
}

static void scenario(world_rig *rig) {
    if (!ok_or_no_memory(rig_start_world(rig))) return;
    if (!ok_or_no_memory(rig_add_models(rig))) {
        rig->model_count = 0; /* the checks of the rig are about models that are there */
        return;
    }
    for (uint32_t i = 0; i < 40; i++) {
        trn_region_def region = {.box = {.min = {i * 10.0, 0, 0}, .max = {i * 10.0 + 10, 10, 10}}};
        trn_region_id id;
        if (!ok_or_no_memory(trn_region_create(rig->world, &region, &id))) continue;
        trn_instance_def instance = {
            .region = id, .model = rig->models[i % 2].id, .pose = {.position = {i * 10.0, 0, 0}}};
        trn_instance_id made;
        ok_or_no_memory(trn_instance_create(rig->world, &instance, &made));
    }
    for (uint32_t f = 0; f < 8; f++) {
        trn_source source = {.position = {f * 20.0, 0, 0}, .radius = 60};
        trn_view views[2] = {{.position = {f * 20.0, 2, 0}, .fov_y = 1.0f, .viewport_height = 1080},
                             {.position = {f * 20.0, 9, 0}, .fov_y = 1.0f, .viewport_height = 512}};
        ok_or_no_memory(rig_frame(rig, &source, 1, views, 1 + f % 2));
    }
}

static void every_refused_allocation(bool keep_failing) {
    world_rig rig;
    for (uint64_t n = 0;; n++) {
        uint32_t models = 2;
        if (n == 0) rig_make(&rig, 5, models);
        rig.model_count = models;
        rig.memory = (fault_allocator){.armed = true, .fail_at = n, .keep_failing = keep_failing};
        scenario(&rig);
        bool refused = rig.memory.refused > 0;
        rig.model_count = models;
        if (rig.world) rig_end_world(&rig);
        assert_true(rig.memory.live_count == 0);
        assert_true(rig.memory.wrong_frees == 0);
        if (!refused) {
            assert_true(n > 30); /* the scenario does allocate */
            break;
        }
    }
    rig_destroy(&rig);
}

static void each_allocation_may_fail_once(void **state) {
    (void)state;
    every_refused_allocation(false);
}
static void all_allocations_may_fail_from_any_on(void **state) {
    (void)state;
    every_refused_allocation(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail_once),
                                       cmocka_unit_test(all_allocations_may_fail_from_any_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
