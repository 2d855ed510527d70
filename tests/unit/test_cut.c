/* SPDX-License-Identifier: MIT */
/* trn_cut_make against the rule written out once more, from the placed records and by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/noise_sphere.h"
#include "support/random.h"
#include "support/tiny_model.h"

typedef struct opened {
    const uint8_t *bytes;
    trn_model_data *data;
    const trn_model *tables;
    trn_model_info info;
} opened;

static opened open_file(const void *bytes, size_t size) {
    opened o = {.bytes = bytes};
    trn_error error = {0};
    if (trn_model_data_load(bytes, size, "cut", NULL, &o.data, &error) != TRN_OK) fail_msg("%s", error.text);
    o.tables = trn_model_data_tables(o.data);
    trn_model_get_info(o.tables, &o.info);
    return o;
}

/* Residency by going over the dependencies until nothing changes. */
static uint8_t *naive_residency(const opened *o, const uint8_t *missing) {
    uint8_t *resident = malloc(o->info.page_count);
    trn_model_page page;
    for (uint32_t p = 0; p < o->info.page_count; p++) {
        trn_model_get_page(o->tables, p, &page);
        resident[p] = page.level == o->info.level_count - 1 || !missing || !missing[p];
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < o->info.page_count; p++) {
            trn_model_get_page(o->tables, p, &page);
            for (uint32_t d = 0; d < page.dependency_count; d++) {
                uint32_t on;
                trn_model_get_dependency(o->tables, page.first_dependency + d, &on);
                if (resident[p] && !resident[on]) resident[p] = 0, changed = true;
            }
        }
    }
    return resident;
}

static bool naive_refined(const trn_cut_def *def, const opened *o, const trn_cluster_record *r, bool own) {
    float error = own ? r->own_error : r->parent_error;
    const float *sphere = own ? r->own_sphere : r->parent_sphere;
    if (!def->by_camera) return error > def->error;
    float near_distance = def->near_distance > 0 ? def->near_distance : 1e-3f * o->info.sphere.radius;
    float threshold = def->threshold_px > 0 ? def->threshold_px : 1.0f;
    float pixels = (float)((double)def->viewport_height / (2 * tan((double)def->fov_y * 0.5)) / (double)threshold);
    return trn_refine_test(error, sphere[0], sphere[1], sphere[2], sphere[3], (float)def->camera[0],
                           (float)def->camera[1], (float)def->camera[2], pixels, near_distance);
}

/* Walks the placed clusters in page order and compares triangle by triangle with the cut. */
static void check_cut(const opened *o, const trn_cut_def *def) {
    trn_cut cut;
    assert_int_equal(trn_cut_make(o->data, def, &cut, NULL), TRN_OK);
    uint8_t *resident = naive_residency(o, def->missing);
    uint64_t triangle = 0;
    uint32_t number = 0, drawn = 0;
    for (uint32_t p = 0; p < o->info.page_count; p++) {
        trn_model_page page;
        trn_model_get_page(o->tables, p, &page);
        uint8_t *vertices = malloc((size_t)page.vertex_count * TRN_VERTEX_BYTES);
        uint8_t *clusters = malloc((size_t)page.cluster_count * TRN_CLUSTER_BYTES);
        for (uint32_t c = 0; c < page.chunk_count; c++) {
            trn_model_chunk chunk;
            trn_model_get_chunk(o->tables, page.first_chunk + c, &chunk);
            if (chunk.kind == TRN_CHUNK_GROUPS) continue;
            bool of_vertices = chunk.kind == TRN_CHUNK_VERTICES;
            uint8_t *to = of_vertices ? vertices + (size_t)chunk.first * TRN_VERTEX_BYTES
                                      : clusters + (size_t)chunk.first * TRN_CLUSTER_BYTES;
            trn_chunk_place(&chunk, o->bytes + chunk.offset, 0, chunk.count, to);
        }
        for (uint32_t c = 0; c < page.cluster_count; c++, number++) {
            const uint8_t *at = clusters + (size_t)c * TRN_CLUSTER_BYTES;
            trn_cluster_record record;
            memcpy(&record, at, sizeof record);
            bool own = !(record.counts & TRN_CLUSTER_NO_OWN_GROUP) && resident[record.child_page] &&
                       naive_refined(def, o, &record, true);
            bool parent = (record.counts & TRN_CLUSTER_NO_PARENT_GROUP) || naive_refined(def, o, &record, false);
            if (!resident[p] || own || !parent) continue;
            drawn++;
            for (uint32_t t = 0; t < (record.counts >> 8 & 0xff); t++, triangle++) {
                assert_true(triangle < cut.triangle_count);
                assert_int_equal(cut.clusters[triangle], number);
                assert_int_equal(cut.materials[triangle], record.material);
                for (uint32_t k = 0; k < 3; k++) {
                    uint32_t corner = at[4 * TRN_CLUSTER_CORNER_WORD + 3 * t + k];
                    uint32_t vertex =
                        record.vertex_base + trni_get_u16(at + 4 * TRN_CLUSTER_REFERENCE_WORD + 2 * corner);
                    uint32_t index = cut.indices[3 * triangle + k];
                    assert_true(index < cut.vertex_count);
                    for (int axis = 0; axis < 3; axis++) {
                        double place = trni_get_u16(vertices + (size_t)vertex * TRN_VERTEX_BYTES + 2 * axis);
                        double expected = o->info.grid_origin[axis] + (double)o->info.grid_step * place;
                        assert_true(cut.positions[3 * (size_t)index + (size_t)axis] == expected);
                    }
                }
            }
        }
        free(vertices);
        free(clusters);
    }
    assert_int_equal(triangle, cut.triangle_count);
    assert_int_equal(drawn, cut.cluster_count);
    for (uint32_t a = 0; a < cut.vertex_count && cut.vertex_count < 500; a++) /* no two vertices at one place */
        for (uint32_t b = 0; b < a; b++)
            assert_true(memcmp(cut.positions + 3 * (size_t)a, cut.positions + 3 * (size_t)b, 24) != 0);
    free(resident);
    trn_cut_free(&cut);
    assert_null(cut.positions);
    trn_cut_free(&cut);
}

static void check_many_cuts(const void *bytes, size_t size, int count) {
    opened o = open_file(bytes, size);
    uint64_t random = 7;
    uint8_t *missing = malloc(o.info.page_count);
    for (int i = 0; i < count; i++) {
        trn_cut_def def = {.by_camera = i % 2, .error = (float)exp(random_between(&random, -9, 1))};
        for (int axis = 0; axis < 3; axis++) def.camera[axis] = random_between(&random, -6, 6);
        def.viewport_height = (float)random_between(&random, 10, 2000);
        def.fov_y = (float)random_between(&random, 0.1, 3);
        def.threshold_px = i % 4 < 2 ? 0.0f : (float)random_between(&random, 0.1, 20);
        def.near_distance = i % 8 < 4 ? 0.0f : 0.5f;
        for (uint32_t p = 0; p < o.info.page_count; p++) missing[p] = random_below(&random, 3) == 0;
        def.missing = i % 3 ? missing : NULL;
        check_cut(&o, &def);
    }
    free(missing);
    trn_model_data_free(o.data);
}

static void cuts_of_a_tiny_model_follow_the_rule(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = tiny_model_make(&(tiny_model_def){.levels = 5, .clusters = 3}, &bytes);
    check_many_cuts(bytes, size, 200);
    free(bytes);
}

static void cuts_of_a_cooked_model_follow_the_rule(void **state) {
    (void)state;
    trn_cooked cooked = noise_sphere_cook(20, 3);
    check_many_cuts(cooked.bytes, (size_t)cooked.size, 60);
    trn_cooked_free(&cooked);
}

static void error_of_zero_gives_the_finest_and_a_large_one_the_coarsest_level(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = tiny_model_make(&(tiny_model_def){.levels = 4, .clusters = 3}, &bytes);
    opened o = open_file(bytes, size);
    trn_cut cut;
    assert_int_equal(trn_cut_make(o.data, &(trn_cut_def){.error = 0}, &cut, NULL), TRN_OK);
    assert_int_equal(cut.triangle_count, 3 * 2 * 8);
    assert_int_equal(cut.vertex_count, 2 + 3 * 8);
    trn_cut_free(&cut);
    assert_int_equal(trn_cut_make(o.data, &(trn_cut_def){.error = 1e9f}, &cut, NULL), TRN_OK);
    assert_int_equal(cut.triangle_count, 3 * 2);
    assert_int_equal(cut.cluster_count, 3);
    trn_cut_free(&cut);
    uint8_t missing[4] = {1, 1, 1, 1}; /* the coarsest level never is */
    assert_int_equal(trn_cut_make(o.data, &(trn_cut_def){.error = 0, .missing = missing}, &cut, NULL), TRN_OK);
    assert_int_equal(cut.triangle_count, 3 * 2);
    trn_cut_free(&cut);
    trn_model_data_free(o.data);
    free(bytes);
}

static void senseless_cuts_are_refused(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = tiny_model_make(NULL, &bytes);
    opened o = open_file(bytes, size);
    const trn_cut_def good = {.by_camera = true, .viewport_height = 100, .fov_y = 1};
    trn_cut_def bad[14];
    for (size_t i = 0; i < 14; i++) bad[i] = good;
    bad[0] = (trn_cut_def){.error = -1};
    bad[1] = (trn_cut_def){.error = NAN};
    bad[2].camera[1] = NAN;
    bad[3].camera[0] = 1e300;
    bad[4].threshold_px = -1;
    bad[5].threshold_px = INFINITY;
    bad[6].viewport_height = 0;
    bad[7].viewport_height = INFINITY;
    bad[8].fov_y = 0;
    bad[9].fov_y = 3.2f;
    bad[10].near_distance = -1;
    bad[11].near_distance = NAN;
    bad[12].threshold_px = NAN;
    bad[13].threshold_px = 1e-38f, bad[13].viewport_height = 1e30f;
    trn_cut cut;
    for (size_t i = 0; i < 14; i++) {
        trn_error error = {0};
        assert_int_equal(trn_cut_make(o.data, &bad[i], &cut, &error), TRN_ERROR_ARGUMENT);
        assert_true(error.text[0] != 0);
    }
    assert_int_equal(trn_cut_make(NULL, &good, &cut, NULL), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_cut_make(o.data, &good, &cut, NULL), TRN_OK);
    trn_cut_free(&cut);
    trn_cut_free(NULL);
    trn_model_data_free(o.data);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_of_a_tiny_model_follow_the_rule),
        cmocka_unit_test(cuts_of_a_cooked_model_follow_the_rule),
        cmocka_unit_test(error_of_zero_gives_the_finest_and_a_large_one_the_coarsest_level),
        cmocka_unit_test(senseless_cuts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
