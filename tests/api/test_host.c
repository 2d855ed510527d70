/* SPDX-License-Identifier: MIT */
/* The default services with real files and threads: worlds are driven by trn_host while its workers read. Run under the
 * thread sanitizer too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <terrane/terrane.h>
#include <terrane_host/host.h>

#include "support/noise_sphere.h"

#define FILES 3

static char paths[FILES][64];

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int make_files(void **state) {
    (void)state;
    for (uint32_t i = 0; i < FILES; i++) {
        trn_cooked cooked = noise_sphere_cook(8 + 8 * i, i + 1);
        snprintf(paths[i], sizeof paths[i], "host_test_%u.trn", i);
        write_file(paths[i], cooked.bytes, (size_t)cooked.size);
        trn_cooked_free(&cooked);
    }
    write_file("host_test_regions.bin", "0123456789abcdef", 16);
    return 0;
}

typedef struct hosted {
    trn_host *host;
    trn_world *world;
    char *arena[TRN_ARENA_COUNT];
    uint32_t loaded, wrong_bytes, failed;
} hosted;

static void start(hosted *h) {
    memset(h, 0, sizeof *h);
    trn_host_def host = {.worker_count = 3};
    assert_int_equal(trn_host_create(&host, &h->host), TRN_OK);
    trn_world_def world = {.inbox = trn_host_inbox(h->host), .mesh_memory_bytes = 8u << 20, .auto_confirm = true};
    assert_int_equal(trn_world_create(&world, &h->world), TRN_OK);
    for (int i = 0; i < TRN_ARENA_COUNT; i++)
        h->arena[i] = malloc((size_t)trn_world_arena_bytes(h->world, (trn_arena)i));
}

static void stop(hosted *h) {
    trn_world_destroy(h->world); /* with reads under way */
    trn_host_destroy(h->host);
    for (int i = 0; i < TRN_ARENA_COUNT; i++) free(h->arena[i]);
}

static void frame(hosted *h, double x) {
    trn_source source = {.position = {x, 0, 0}, .radius = 60};
    trn_view view = {.position = {x, 2, 0}, .fov_y = 1, .viewport_height = 1080};
    trn_frame now = {.sources = &source, .source_count = 1, .views = &view, .view_count = 1};
    assert_int_equal(trn_world_update(h->world, &now), TRN_OK);
    const trn_event *events;
    for (uint32_t i = 0, n = trn_world_events(h->world, &events); i < n; i++) {
        if (events[i].type == TRN_EVENT_REGION_LOAD && events[i].bytes > 0) {
            h->loaded++;
            h->wrong_bytes += events[i].bytes != 4 || memcmp(events[i].data, "4567", 4) != 0;
        }
        h->failed += events[i].type == TRN_EVENT_LOAD_END && events[i].end == TRN_LOAD_FAILED;
    }
    trn_host_serve(h->host, h->world);
    const trn_copy *copies;
    for (uint32_t i = 0, n = trn_world_copies(h->world, &copies); i < n; i++)
        memcpy(h->arena[copies[i].arena] + copies[i].to, copies[i].from, (size_t)copies[i].bytes);
}

static void a_world_streams_from_files(void **state) {
    (void)state;
    hosted h;
    trn_error error = {0};
    start(&h);
    trn_model_id models[FILES];
    uint32_t file;
    for (int i = 0; i < FILES; i++)
        assert_int_equal(trn_host_open_model(h.host, h.world, paths[i], &models[i], &error), TRN_OK);
    assert_int_equal(trn_host_open_file(h.host, "host_test_regions.bin", &file, &error), TRN_OK);
    for (uint32_t i = 0; i < 30; i++) {
        trn_region_def region = {
            .box = {.min = {i * 20.0, 0, 0}, .max = {i * 20.0 + 20, 10, 10}},
            .payload = {.file = file, .offset = i % 5 == 4 ? 14 : 4, .bytes = 4}}; /* some past the end */
        trn_region_id id;
        assert_int_equal(trn_region_create(h.world, &region, &id), TRN_OK);
        trn_instance_def instance = {.region = id, .model = models[i % FILES], .pose = {.position = {i * 20.0, 0, 0}}};
        trn_instance_id made;
        assert_int_equal(trn_instance_create(h.world, &instance, &made), TRN_OK);
    }
    for (int f = 0; f < 400; f++) {
        frame(&h, f % 120 * 5.0);
        if (f % 7 == 0) trn_host_wait(h.host);
    }
    trn_host_wait(h.host);
    for (int f = 0; f < 20; f++) frame(&h, 0), trn_host_wait(h.host);
    trn_model_status status;
    assert_int_equal(trn_model_get_status(h.world, models[0], &status), TRN_OK);
    assert_int_equal(status.finest_resident, 0);
    assert_true(h.loaded > 20);
    assert_int_equal(h.wrong_bytes, 0);
    assert_true(h.failed > 3);
    trn_host_stats stats;
    trn_host_get_stats(h.host, &stats);
    assert_true(stats.reads > 30 && stats.failed > 0 && stats.files == FILES + 1);
    stop(&h);
}

static void damaged_files_are_refused_in_one_line(void **state) {
    (void)state;
    hosted h;
    start(&h);
    trn_error error;
    trn_model_id model;
    memset(&error, 0, sizeof error);
    assert_int_equal(trn_host_open_model(h.host, h.world, "host_test_none.trn", &model, &error), TRN_ERROR_IO);
    assert_non_null(strstr(error.text, "host_test_none.trn"));
    assert_int_equal(trn_host_open_model(h.host, h.world, ".", &model, &error), TRN_ERROR_IO);
    assert_int_equal(trn_host_open_model(h.host, h.world, "host_test_regions.bin", &model, &error), TRN_ERROR_FORMAT);
    trn_cooked cooked = noise_sphere_cook(8, 1);
    write_file("host_test_cut.trn", cooked.bytes, (size_t)cooked.size - 100);
    assert_int_equal(trn_host_open_model(h.host, h.world, "host_test_cut.trn", &model, &error), TRN_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "host_test_cut.trn"));
    /* A chunk that does not match its checksum is read again, then its model is given up. */
    trn_model *tables;
    assert_int_equal(trn_model_open(cooked.bytes, (size_t)cooked.size, 0, NULL, NULL, &tables, NULL), TRN_OK);
    trn_model_chunk chunk;
    for (uint32_t c = 0; trn_model_get_chunk(tables, c, &chunk) == TRN_OK; c++)
        ((unsigned char *)cooked.bytes)[chunk.offset + chunk.stored_bytes / 2] ^= 1;
    trn_model_close(tables);
    write_file("host_test_flipped.trn", cooked.bytes, (size_t)cooked.size);
    trn_result opened = trn_host_open_model(h.host, h.world, "host_test_flipped.trn", &model, &error);
    assert_int_equal(opened, TRN_OK);
    for (int f = 0; f < 30; f++) frame(&h, 0), trn_host_wait(h.host);
    trn_model_status status;
    assert_int_equal(trn_model_get_status(h.world, model, &status), TRN_OK);
    assert_true(status.failed);
    trn_cooked_free(&cooked);
    stop(&h);
}

static void set_flag(void *context) { *(int *)context = 1; }

static void jobs_run_before_they_are_finished(void **state) {
    (void)state;
    trn_host *host;
    trn_host_def def = {.worker_count = 2};
    assert_int_equal(trn_host_create(&def, &host), TRN_OK);
    trn_jobs jobs = trn_host_jobs(host);
    int flags[100] = {0};
    void *handles[100];
    for (int i = 0; i < 100; i++) handles[i] = jobs.enqueue(jobs.user, set_flag, &flags[i]);
    for (int i = 0; i < 100; i++) {
        if (handles[i]) jobs.finish(jobs.user, handles[i]);
        assert_int_equal(flags[i], 1);
    }
    trn_host_destroy(host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_streams_from_files),
        cmocka_unit_test(damaged_files_are_refused_in_one_line),
        cmocka_unit_test(jobs_run_before_they_are_finished),
    };
    return cmocka_run_group_tests(tests, make_files, NULL);
}
