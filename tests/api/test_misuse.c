/* SPDX-License-Identifier: MIT */
/* Misuse of the public interface: an error code each time, nothing changed, never a crash. And what must never change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "support/world_rig.h"

static void results_are_pinned(void **state) {
    (void)state;
    assert_int_equal(TRN_OK, 0);
    assert_int_equal(TRN_ERROR_ARGUMENT, -1);
    assert_int_equal(TRN_ERROR_STALE_ID, -2);
    assert_int_equal(TRN_ERROR_STATE, -3);
    assert_int_equal(TRN_ERROR_BUSY, -4);
    assert_int_equal(TRN_ERROR_FULL, -5);
    assert_int_equal(TRN_ERROR_NOT_FOUND, -6);
    assert_int_equal(TRN_ERROR_EXISTS, -7);
    assert_int_equal(TRN_ERROR_VERSION, -8);
    assert_int_equal(TRN_ERROR_OUT_OF_MEMORY, -20);
    assert_int_equal(TRN_ERROR_IO, -21);
    assert_int_equal(TRN_ERROR_CANCELLED, -22);
    assert_int_equal(TRN_ERROR_FORMAT, -40);
    assert_int_equal(TRN_ERROR_CHECKSUM, -41);
    assert_int_equal(TRN_ERROR_UNSUPPORTED, -42);
    assert_int_equal(TRN_ERROR_MESH, -43);
    assert_int_equal(TRN_ERROR_INTERNAL, -99);
    assert_string_equal(trn_result_text(TRN_ERROR_STALE_ID), "the id is null or its object no longer exists");
    assert_string_equal(trn_result_text((trn_result)-1234), "unknown result");
    assert_int_equal(trn_version(), TRN_VERSION);
}

static void records_have_the_size_that_the_gpu_expects(void **state) {
    (void)state;
    assert_int_equal(sizeof(trn_cluster_record), 80);
    assert_int_equal(sizeof(trn_page_entry), 16);
    assert_int_equal(sizeof(trn_draw), 128);
    assert_int_equal(TRN_CLUSTER_WORDS * 4, TRN_CLUSTER_BYTES);
}

static uint32_t asserts_heard;
static void hear(void *user, const char *condition, const char *file, int line) {
    (void)user, (void)condition, (void)file, (void)line;
    asserts_heard++;
}

static void bad_world_definitions_are_refused_and_the_hook_hears_why(void **state) {
    (void)state;
    trn_inbox *inbox;
    trn_inbox_def inbox_def = {0};
    assert_int_equal(trn_inbox_create(&inbox_def, &inbox), TRN_OK);
    trn_world_def good = {.inbox = inbox, .assert_hook = {NULL, hear}},
                  bad[] = {good, good, good, good, good, good, good, good};
    bad[0].inbox = NULL;
    bad[1].ring_bytes = 3 * (uint64_t)TRN_CHUNK_MAX_BYTES - 48; /* a slice smaller than a chunk */
    bad[2].upload_bytes = 20u << 20;                            /* more than a slice */
    bad[3].hysteresis = 0.5f;
    bad[4].margin = NAN;
    bad[5].ring_slices = 1;
    bad[6].vertex_memory_bytes = 1ull << 40;
    bad[7].vertex_memory = &good; /* one mapped arena of two */
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        trn_world *world = NULL;
        uint32_t before = asserts_heard;
        assert_int_equal(trn_world_create(&bad[i], &world), TRN_ERROR_ARGUMENT);
        assert_null(world);
        assert_true(asserts_heard > before);
    }
    trn_world *world = NULL;
    trn_allocator half = good.allocator;
    half.alloc = fault_alloc;
    good.allocator = half;
    assert_int_equal(trn_world_create(&good, &world), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_world_create_sized(NULL, 0, &world), TRN_ERROR_ARGUMENT);
    trn_inbox_destroy(inbox);
}

/* A host built with newer headers, whose definitions are longer: fine while what is new is zero. */
static void definitions_may_grow(void **state) {
    (void)state;
    struct {
        trn_inbox_def def;
        uint64_t newer;
    } longer = {{0}, 0};
    trn_inbox *inbox;
    assert_int_equal(trn_inbox_create_sized(&longer.def, sizeof longer, &inbox), TRN_OK);
    trn_inbox_destroy(inbox);
    longer.newer = 1;
    assert_int_equal(trn_inbox_create_sized(&longer.def, sizeof longer, &inbox), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_inbox_create_sized(&longer.def, sizeof(uint32_t), &inbox), TRN_OK); /* an older one */
    trn_inbox_destroy(inbox);
}

static void bad_frames_change_nothing(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 1, 1);
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    trn_view view = {.fov_y = 1, .viewport_height = 100}, bad_view = {.fov_y = NAN, .viewport_height = 100};
    trn_source source = {.radius = 10}, nan_source = {.radius = NAN}, below = {.radius = -1};
    trn_frame good = {.submit = 5};
    assert_int_equal(trn_world_update(rig.world, &good), TRN_OK);
    trn_frame bad[] = {{.submit = 5}, /* does not rise */
                       {.submit = 4},
                       {.submit = 6, .views = &bad_view, .view_count = 1},
                       {.submit = 6, .views = NULL, .view_count = 1},
                       {.submit = 6, .views = &view, .view_count = TRN_MAX_VIEWS + 1},
                       {.submit = 6, .sources = &nan_source, .source_count = 1},
                       {.submit = 6, .sources = &below, .source_count = 1},
                       {.submit = 6, .sources = NULL, .source_count = 1},
                       {.submit = 6, .render_origin = {NAN, 0, 0}}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        trn_world_stats before, after;
        trn_world_get_stats(rig.world, &before);
        assert_int_equal(trn_world_update(rig.world, &bad[i]), TRN_ERROR_ARGUMENT);
        trn_world_get_stats(rig.world, &after);
        assert_memory_equal(&before, &after, sizeof before);
    }
    good = (trn_frame){.submit = 6, .sources = &source, .source_count = 1, .views = &view, .view_count = 1};
    assert_int_equal(trn_world_update(rig.world, &good), TRN_OK);
    assert_int_equal(trn_world_update(NULL, &good), TRN_ERROR_ARGUMENT);
    rig_destroy(&rig);
}

static void stale_ids_are_answered_with_an_error(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 1, 1);
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    trn_region_id zero = trn_world_region_zero(rig.world), none = {0, 0}, region;
    trn_region_def region_def = {.box = {.max = {1, 1, 1}}};
    assert_int_equal(trn_region_create(rig.world, &region_def, &region), TRN_OK);
    trn_instance_def def = {.region = region, .model = rig.models[0].id};
    trn_instance_id instance, no_instance = {7, 7};
    assert_int_equal(trn_instance_create(rig.world, &def, &instance), TRN_OK);
    assert_int_equal(trn_world_remove_model(rig.world, rig.models[0].id), TRN_ERROR_BUSY);
    assert_int_equal(trn_instance_destroy(rig.world, no_instance), TRN_ERROR_STALE_ID);
    assert_int_equal(trn_instance_set_hidden(rig.world, no_instance, true), TRN_ERROR_STALE_ID);
    assert_int_equal(trn_region_request(rig.world, none, TRN_STATE_ACTIVE), TRN_ERROR_STALE_ID);
    assert_int_equal(trn_region_request(rig.world, region, TRN_STATE_LOADING), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_region_delete(rig.world, zero), TRN_ERROR_ARGUMENT);
    def.region = none;
    assert_int_equal(trn_instance_create(rig.world, &def, &instance), TRN_ERROR_STALE_ID);
    def.region = region;
    def.scale = -1;
    assert_int_equal(trn_instance_create(rig.world, &def, &instance), TRN_ERROR_ARGUMENT);
    def.scale = NAN;
    assert_int_equal(trn_instance_create(rig.world, &def, &instance), TRN_ERROR_ARGUMENT);

    /* A region takes its instances along, and then its model may go; its place is used again, its id is not. */
    assert_true(trn_instance_is_valid(rig.world, instance));
    assert_int_equal(trn_region_delete(rig.world, region), TRN_OK);
    trn_frame frame = {0};
    for (int i = 0; i < 3; i++) assert_int_equal(trn_world_update(rig.world, &frame), TRN_OK);
    assert_false(trn_region_is_valid(rig.world, region));
    assert_false(trn_instance_is_valid(rig.world, instance));
    assert_int_equal(trn_instance_destroy(rig.world, instance), TRN_ERROR_STALE_ID);
    trn_model_id old = rig.models[0].id;
    assert_int_equal(trn_world_remove_model(rig.world, old), TRN_OK);
    assert_int_equal(trn_world_remove_model(rig.world, old), TRN_ERROR_STALE_ID);
    trn_model_status status;
    assert_int_equal(trn_model_get_status(rig.world, old, &status), TRN_ERROR_STALE_ID);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    assert_int_equal(rig.models[0].id.index1, old.index1);
    assert_true(rig.models[0].id.generation != old.generation);
    assert_int_equal(trn_world_retry_model(rig.world, old), TRN_ERROR_STALE_ID);
    rig_destroy(&rig);
}

/* Models come and go while their reads are under way and the GPU still uses their ranges. */
static void models_may_go_at_any_time(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 9, 3);
    rig.latency = 6;
    rig.lag = 5;
    rig.always_behind = rig.early_copies = true;
    rig.def.ring_slices = 7;
    rig.def.ring_bytes = 7 * (uint64_t)TRN_CHUNK_MAX_BYTES;
    rig.def.upload_bytes = 1u << 20;
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    trn_region_def region_def = {.box = {.max = {10, 10, 10}}, .authored = TRN_STATE_ACTIVE};
    trn_region_id region;
    assert_int_equal(trn_region_create(rig.world, &region_def, &region), TRN_OK);
    trn_instance_id instances[3];
    for (uint32_t m = 0; m < 3; m++) {
        trn_instance_def def = {.region = region, .model = rig.models[m].id};
        assert_int_equal(trn_instance_create(rig.world, &def, &instances[m]), TRN_OK);
    }
    trn_view view = {.position = {3, 0, 0}, .fov_y = 1, .viewport_height = 1080};
    for (int f = 0; f < 600; f++) {
        assert_int_equal(rig_frame(&rig, NULL, 0, &view, 1), TRN_OK);
        if (f % 23 != 22 || f > 540) continue;
        uint32_t m = (uint32_t)(f / 23) % 3; /* the same file comes back at once, while its old places still retire */
        assert_int_equal(trn_instance_destroy(rig.world, instances[m]), TRN_OK);
        assert_int_equal(trn_world_remove_model(rig.world, rig.models[m].id), TRN_OK);
        trn_model_def def = {.model = rig.models[m].tables, .file = m};
        assert_int_equal(trn_world_add_model(rig.world, &def, &rig.models[m].id), TRN_OK);
        rig.models[m].first_page = RIG_UNKNOWN;
        trn_instance_def instance = {.region = region, .model = rig.models[m].id};
        assert_int_equal(trn_instance_create(rig.world, &instance, &instances[m]), TRN_OK);
    }
    trn_world_stats stats;
    trn_world_get_stats(rig.world, &stats);
    assert_int_equal(stats.models_ready, 3);
    rig_destroy(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_pinned),
        cmocka_unit_test(records_have_the_size_that_the_gpu_expects),
        cmocka_unit_test(bad_world_definitions_are_refused_and_the_hook_hears_why),
        cmocka_unit_test(definitions_may_grow),
        cmocka_unit_test(bad_frames_change_nothing),
        cmocka_unit_test(stale_ids_are_answered_with_an_error),
        cmocka_unit_test(models_may_go_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
