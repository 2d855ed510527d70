/* SPDX-License-Identifier: MIT */
/* The streamer under random flights: small memory, slow and faulty loaders, a GPU that lags. The rig checks its rules in
 * every frame; here are what the end must look like, and runs that show that the hard paths were taken. */
#include "support/world_rig.h"

#define SPREAD 400.0

/* Regions on a square, an instance of each model in each; or in the left half the first two models, right the others. */
static void place_models(world_rig *rig, uint32_t side, bool by_half) {
    for (uint32_t i = 0; i < side * side; i++) {
        double x = (i % side) * SPREAD / side, z = (i / side) * SPREAD / side;
        trn_region_def region = {.box = {.min = {x, -10, z}, .max = {x + SPREAD / side, 10, z + SPREAD / side}}};
        trn_region_id id;
        assert_int_equal(trn_region_create(rig->world, &region, &id), TRN_OK);
        for (uint32_t m = 0; m < rig->model_count; m++) {
            if (by_half && (m < 2) != (x < SPREAD / 2)) continue;
            trn_instance_def instance = {.region = id,
                                         .model = rig->models[m].id,
                                         .pose = {.position = {x + 3.0 * m, 0, z + 2.0 * m}},
                                         .scale = 0.5f + (float)m};
            trn_instance_id made;
            assert_int_equal(trn_instance_create(rig->world, &instance, &made), TRN_OK);
        }
    }
}

static void place(world_rig *rig, uint32_t side) { place_models(rig, side, false); }

static trn_result fly(world_rig *rig, double x, double z) {
    trn_source source = {.position = {x, 0, z}, .radius = 150};
    trn_view view = {.position = {x, 2, z}, .fov_y = 1.0f, .viewport_height = 1080};
    return rig_frame(rig, &source, 1, &view, 1);
}

static void random_flight(world_rig *rig, uint32_t frames) {
    double x = 0, z = 0, to_x = 200, to_z = 200;
    for (uint32_t f = 0; f < frames; f++) {
        if (f % 40 == 0) {
            to_x = random_between(&rig->random, 0, SPREAD);
            to_z = random_between(&rig->random, 0, SPREAD);
            if (random_below(&rig->random, 4) == 0) x = to_x, z = to_z; /* a teleport */
        }
        x += (to_x - x) * 0.05;
        z += (to_z - z) * 0.05;
        assert_int_equal(fly(rig, x, z), TRN_OK);
    }
}

static uint64_t model_bytes(const world_rig *rig) {
    uint64_t bytes = 0;
    for (uint32_t m = 0; m < rig->model_count; m++)
        bytes += rig->models[m].info.stored_vertices * TRN_VERTEX_BYTES +
                 (uint64_t)rig->models[m].info.cluster_count * TRN_CLUSTER_BYTES;
    return bytes;
}

static void near_everything_ends_in_memory(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 1, 3);
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    place(&rig, 4);
    for (int f = 0; f < 60; f++) assert_int_equal(fly(&rig, 0, 0), TRN_OK);
    trn_model_status status;
    for (uint32_t m = 0; m < 3; m++) {
        assert_int_equal(trn_model_get_status(rig.world, rig.models[m].id, &status), TRN_OK);
        assert_true(status.ready);
        assert_int_equal(status.finest_resident, 0);
    }
    trn_world_stats stats;
    trn_world_get_stats(rig.world, &stats);
    assert_true(stats.resident_bytes == model_bytes(&rig));
    rig_destroy(&rig);
}

static void rules_hold_under_small_memory_and_faults(void **state) {
    (void)state;
    uint64_t bias_seen = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        world_rig rig;
        rig_make(&rig, seed * 77, 4);
        rig.latency = random_below(&rig.random, 12);
        rig.lag = random_below(&rig.random, 4);
        rig.fail_percent = seed % 2 ? 5 : 0;
        rig.short_percent = seed % 3 ? 3 : 0;
        rig.twice_percent = 10;
        rig.early_copies = seed % 2 == 0;
        rig.def.mesh_memory_bytes = model_bytes(&rig) * (20 + random_below(&rig.random, 60)) / 100;
        rig.def.pressure_updates = 30;
        rig.def.idle_updates = 10;
        rig.def.upload_bytes = 4096u << random_below(&rig.random, 6);
        rig.def.reads = 1 + random_below(&rig.random, 16);
        assert_int_equal(rig_start_world(&rig), TRN_OK);
        assert_int_equal(rig_add_models(&rig), TRN_OK);
        place(&rig, 5);
        for (int part = 0; part < 5; part++) {
            random_flight(&rig, 120);
            trn_world_stats stats;
            trn_world_get_stats(rig.world, &stats);
            bias_seen += stats.bias;
            assert_true(stats.reserved_bytes <= stats.memory_bytes);
            for (uint32_t m = 0; m < 4; m++)
                assert_int_equal(trn_world_retry_model(rig.world, rig.models[m].id), TRN_OK);
        }
        rig_destroy(&rig);
    }
    assert_true(bias_seen > 0); /* pressure was felt */
}

/* The GPU is five submissions behind, but its transfer queue copies at once: a range that was given to another page too
 * early would be overwritten while submissions that draw from it still wait. */
static void ranges_wait_for_the_gpu(void **state) {
    (void)state;
    uint64_t changes = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        world_rig rig;
        rig_make(&rig, seed * 31, 4);
        rig.lag = 5;
        rig.def.upload_bytes = 1u << 20;
        rig.def.ring_slices = 7;
        rig.def.ring_bytes = 7 * (uint64_t)TRN_CHUNK_MAX_BYTES;
        rig.always_behind = rig.early_copies = true;
        rig.def.mesh_memory_bytes = model_bytes(&rig) * 45 / 100;
        rig.def.idle_updates = 1;
        rig.def.pressure_updates = 1000;
        assert_int_equal(rig_start_world(&rig), TRN_OK);
        assert_int_equal(rig_add_models(&rig), TRN_OK);
        place_models(&rig, 4, true);
        for (int f = 0; f < 500; f++) { /* back and forth between two places, so that pages replace each other */
            double x = (f / 9) % 2 ? 30.0 : 370.0;
            trn_source everywhere = {.position = {x, 0, x}, .radius = INFINITY}; /* no region comes or goes */
            trn_view view = {.position = {x, 2, x}, .fov_y = 1.0f, .viewport_height = 300};
            assert_int_equal(rig_frame(&rig, &everywhere, 1, &view, 1), TRN_OK);
            const trn_residency_change *list;
            for (uint32_t n = trn_world_residency_changes(rig.world, &list); n-- > 0;) changes += !list[n].resident;
        }
        rig_destroy(&rig);
    }
    assert_true(changes > 100); /* pages that went */
}

static void the_end_does_not_depend_on_the_way(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        trn_model_status there[2][3];
        for (int way = 0; way < 2; way++) {
            world_rig rig;
            rig_make(&rig, seed, 3);
            rig.latency = 5;
            rig.lag = 2;
            rig.def.idle_updates = 20;
            assert_int_equal(rig_start_world(&rig), TRN_OK);
            assert_int_equal(rig_add_models(&rig), TRN_OK);
            place(&rig, 5);
            if (way == 1) random_flight(&rig, 400);
            for (int f = 0; f < 200; f++) assert_int_equal(fly(&rig, 300, 60), TRN_OK);
            for (uint32_t m = 0; m < 3; m++)
                assert_int_equal(trn_model_get_status(rig.world, rig.models[m].id, &there[way][m]), TRN_OK);
            rig_destroy(&rig);
        }
        for (uint32_t m = 0; m < 3; m++) {
            assert_int_equal(there[0][m].fit, there[1][m].fit);
            assert_true(there[1][m].finest_resident <= there[0][m].finest_resident); /* kept by the margin at most */
            assert_int_equal(there[0][m].finest_resident, there[0][m].fit);
        }
    }
}

static void a_stalled_loader_blocks_nothing(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 5, 3);
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    place(&rig, 4);
    rig.stalled = true;
    random_flight(&rig, 200);
    rig.stalled = false;
    for (int f = 0; f < 100; f++) assert_int_equal(fly(&rig, 0, 0), TRN_OK);
    trn_model_status status;
    assert_int_equal(trn_model_get_status(rig.world, rig.models[0].id, &status), TRN_OK);
    assert_true(status.ready);
    rig_destroy(&rig);
}

static void a_world_ends_with_reads_under_way(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 6, 3);
    rig.latency = 20;
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    place(&rig, 4);
    random_flight(&rig, 10);
    rig_end_world(&rig); /* what arrives later is released */
    rig_destroy(&rig);
}

static void a_read_that_always_fails_gives_up_after_its_retries(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 7, 1);
    rig.fail_percent = 100;
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    place(&rig, 1);
    for (int f = 0; f < 50; f++) assert_int_equal(fly(&rig, 0, 0), TRN_OK);
    trn_model_status status;
    assert_int_equal(trn_model_get_status(rig.world, rig.models[0].id, &status), TRN_OK);
    assert_true(status.failed);
    assert_false(status.ready);
    trn_model_page root;
    trn_model_get_page(rig.models[0].tables, 0, &root);
    assert_true(rig.reads_seen <= 4u * (root.chunk_count));
    rig.fail_percent = 0;
    assert_int_equal(trn_world_retry_model(rig.world, rig.models[0].id), TRN_OK);
    for (int f = 0; f < 50; f++) assert_int_equal(fly(&rig, 0, 0), TRN_OK);
    assert_int_equal(trn_model_get_status(rig.world, rig.models[0].id, &status), TRN_OK);
    assert_true(status.ready && !status.failed);
    rig_destroy(&rig);
}

/* The finest page and a root of the other do not fit together: both roots come first and stay. */
static void roots_come_before_all_that_is_finer(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 8, 1);
    rig_load_model(&rig.models[1], 8, 1);
    rig.model_count = 2;
    uint32_t clusters = 0, vertices = 0;
    for (uint32_t p = 0; p < rig.models[0].info.page_count; p++) {
        trn_model_page page;
        trn_model_get_page(rig.models[0].tables, p, &page);
        if (page.cluster_count > clusters) clusters = page.cluster_count;
        if (page.vertex_count > vertices) vertices = page.vertex_count;
    }
    trn_model_page root;
    trn_model_get_page(rig.models[0].tables, 0, &root);
    rig.def.vertex_memory_bytes = (uint64_t)(vertices + root.vertex_count - 1) * TRN_VERTEX_BYTES;
    rig.def.mesh_memory_bytes = rig.def.vertex_memory_bytes + (uint64_t)clusters * 4 * TRN_CLUSTER_BYTES;
    rig.def.idle_updates = 5;
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    place(&rig, 1);
    uint32_t fewest = 2, most = 0;
    for (int f = 0; f < 300; f++) {
        assert_int_equal(fly(&rig, 0, 0), TRN_OK);
        trn_world_stats stats;
        trn_world_get_stats(rig.world, &stats);
        if (f > 100 && stats.models_ready < fewest) fewest = stats.models_ready;
        if (f > 100 && stats.models_ready > most) most = stats.models_ready;
        assert_int_equal(stats.models_ready + stats.models_not_drawn_memory <= 2, 1);
    }
    assert_int_equal(most, 2); /* roots come before any finer page */
    assert_int_equal(fewest, 2);
    rig_destroy(&rig);
}

static void a_model_that_could_never_fit_is_refused(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 9, 1);
    rig.def.mesh_memory_bytes = 4096;
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    assert_int_equal(rig_add_models(&rig), TRN_ERROR_ARGUMENT);
    rig_destroy(&rig);
}

static void mapped_memory_needs_no_copies(void **state) {
    (void)state;
    world_rig rig;
    rig_make(&rig, 10, 2);
    rig.def.mesh_memory_bytes = 8u << 20;
    void *vertices = calloc(1, 8u << 20), *clusters = calloc(1, 8u << 20);
    rig.def.vertex_memory = vertices;
    rig.def.cluster_memory = clusters;
    assert_int_equal(rig_start_world(&rig), TRN_OK);
    free(rig.arena[0]), free(rig.arena[1]);
    rig.arena[0] = vertices, rig.arena[1] = clusters;
    assert_int_equal(rig_add_models(&rig), TRN_OK);
    place(&rig, 3);
    for (int f = 0; f < 60; f++) assert_int_equal(fly(&rig, 0, 0), TRN_OK);
    trn_model_status status;
    assert_int_equal(trn_model_get_status(rig.world, rig.models[1].id, &status), TRN_OK);
    assert_int_equal(status.finest_resident, 0);
    assert_true(rig.largest_upload == 0);
    rig_destroy(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_everything_ends_in_memory),
        cmocka_unit_test(rules_hold_under_small_memory_and_faults),
        cmocka_unit_test(ranges_wait_for_the_gpu),
        cmocka_unit_test(the_end_does_not_depend_on_the_way),
        cmocka_unit_test(a_stalled_loader_blocks_nothing),
        cmocka_unit_test(a_world_ends_with_reads_under_way),
        cmocka_unit_test(a_read_that_always_fails_gives_up_after_its_retries),
        cmocka_unit_test(roots_come_before_all_that_is_finer),
        cmocka_unit_test(a_model_that_could_never_fit_is_refused),
        cmocka_unit_test(mapped_memory_needs_no_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
