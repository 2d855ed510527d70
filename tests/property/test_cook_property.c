/* SPDX-License-Identifier: MIT */
/* Properties of every cooked model, over meshes of many kinds, with a second reader of the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test_cook_meshes.h"
#include "test_cook_oracle.h"

/* Cooks, checks everything, and frees the mesh. Returns the figures. */
static trn_cook_stats cook_and_check(made_mesh *made, trn_cook_def def, uint64_t seed) {
    trn_cooked cooked = {0};
    trn_error error = {0};
    if (def.levels == 0) def.levels = TRN_COOK_LEVELS_AUTO;
    trn_result result = trn_cook(&def, &made->mesh, &cooked, &error);
    if (result != TRN_OK) print_error("%s\n", error.text);
    assert_int_equal(result, TRN_OK);
    oracle_model model;
    const char *wrong = oracle_read(&model, cooked.bytes, cooked.size);
    if (!wrong) wrong = oracle_check(&model, 24, seed);
    if (wrong) print_error("%s\n", wrong);
    assert_null(wrong);
    oracle_free(&model);
    trn_cook_stats stats = cooked.stats;
    trn_cooked_free(&cooked);
    made_free(made);
    return stats;
}

static void closed_ball_has_watertight_cuts_and_one_root(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        made_mesh made;
        made_ball(&made, 20 + 6 * (uint32_t)seed, 0.02 * (double)(seed % 3), seed, false);
        trn_cook_stats stats = cook_and_check(&made, (trn_cook_def){0}, seed);
        assert_int_equal(stats.terminal_clusters, 1);
        assert_int_equal(stats.fallback_groups, 0);
    }
}

static void uv_seams_move_as_one(void **state) {
    (void)state;
    made_mesh made;
    made_ball(&made, 40, 0.05, 7, true);
    assert_int_equal(cook_and_check(&made, (trn_cook_def){0}, 1).terminal_clusters, 1);
}

static void two_materials_on_a_closed_mesh_end_in_one_cluster_each(void **state) {
    (void)state;
    for (uint32_t count = 2; count <= 3; count++) {
        made_mesh made;
        made_ball(&made, 36, 0.03, count, false);
        made_materials(&made, count);
        assert_in_range(cook_and_check(&made, (trn_cook_def){0}, count).terminal_clusters, 1, count);
    }
}

static void flat_shading_and_seams_everywhere_reach_one_root(void **state) {
    (void)state;
    made_mesh made;
    made_ball(&made, 18, 0.05, 3, true);
    made_flat_shaded(&made);
    trn_cook_stats stats = cook_and_check(&made, (trn_cook_def){0}, 2);
    assert_int_equal(stats.terminal_clusters, 1);
    assert_true(stats.fallback_groups > 0);
    made_ball(&made, 14, 0.05, 4, true);
    made_flat_shaded(&made);
    made_materials(&made, 2);
    assert_in_range(cook_and_check(&made, (trn_cook_def){0}, 2).terminal_clusters, 1, 2);
}

static void open_field_opens_only_at_its_border(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        made_mesh made;
        made_field(&made, 50, seed == 1 ? 0 : 2, seed, seed == 2);
        trn_cook_stats stats = cook_and_check(&made, (trn_cook_def){0}, seed);
        assert_int_equal(stats.terminal_clusters, 1);
        if (seed == 1) assert_true(stats.coarsest_error < 1e-4f);
    }
}

static void locked_border_keeps_every_edge_in_every_level(void **state) {
    (void)state;
    made_mesh made;
    made_field(&made, 40, 1, 5, false);
    trn_cooked cooked = {0};
    trn_error error;
    trn_cook_def def = {.levels = TRN_COOK_LEVELS_AUTO, .lock_mesh_border = true};
    assert_int_equal(trn_cook(&def, &made.mesh, &cooked, &error), TRN_OK);
    oracle_model model;
    assert_null(oracle_read(&model, cooked.bytes, cooked.size));
    assert_null(oracle_check(&model, 24, 1));
    assert_true(model.level_count > 2);
    uint64_t triangles;
    for (uint32_t level = 0; level < model.level_count; level++)
        assert_int_equal(oracle_open_edges(&model, oracle_draws_level, &level, NULL, &triangles), 160);
    oracle_free(&model);
    trn_cooked_free(&cooked);
    made_free(&made);
}

static void loose_leaves_and_tangles_stay_whole_in_each_level(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        made_mesh made;
        made_leaves(&made, 700, seed);
        cook_and_check(&made, (trn_cook_def){.group_size = 4 + (uint32_t)seed}, seed);
        made_tangle(&made, 20 + 100 * (uint32_t)seed, 1500, seed);
        cook_and_check(&made, (trn_cook_def){0}, seed);
    }
}

static void every_group_size_and_rule_holds_the_properties(void **state) {
    (void)state;
    static const uint32_t sizes[] = {2, 3, 5, 16, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        made_mesh made;
        made_ball(&made, 30, 0.1, i, true);
        if (i % 2) made_materials(&made, 3);
        trn_cook_def def = {.group_size = sizes[i], .error_rule = i % 2 ? TRN_ERROR_RULE_MAX : TRN_ERROR_RULE_ADDITIVE};
        cook_and_check(&made, def, i);
    }
}

static void level_limit_is_kept_and_levels_are_complete(void **state) {
    (void)state;
    for (uint32_t levels = 1; levels <= 4; levels++) {
        made_mesh made;
        made_ball(&made, 30, 0.02, 9, false);
        assert_int_equal(cook_and_check(&made, (trn_cook_def){.levels = levels}, 1).level_count, levels);
    }
}

static void far_from_the_origin_and_tiny_or_huge_hold_the_properties(void **state) {
    (void)state;
    static const double scales[] = {1e-9, 1e-3, 1e6, 1e12}, offsets[] = {0, 1e3, 1e7, 0};
    for (size_t i = 0; i < 4; i++) {
        made_mesh made;
        made_ball(&made, 24, 0.02, i, false);
        for (uint32_t k = 0; k < 3 * made.mesh.vertex_count; k++)
            made.positions[k] = (float)((double)made.positions[k] * scales[i] + offsets[i] * scales[i]);
        cook_and_check(&made, (trn_cook_def){0}, i);
    }
}

static void vertices_beyond_sixteen_bits_are_reached(void **state) {
    (void)state;
    made_mesh made;
    made_ball(&made, 130, 0.001, 1, false); /* about 100,000 vertices in level 0 */
    trn_cook_stats stats = cook_and_check(&made, (trn_cook_def){.levels = 2}, 1);
    assert_true(stats.stored_vertices > 100000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_ball_has_watertight_cuts_and_one_root),
        cmocka_unit_test(uv_seams_move_as_one),
        cmocka_unit_test(two_materials_on_a_closed_mesh_end_in_one_cluster_each),
        cmocka_unit_test(flat_shading_and_seams_everywhere_reach_one_root),
        cmocka_unit_test(open_field_opens_only_at_its_border),
        cmocka_unit_test(locked_border_keeps_every_edge_in_every_level),
        cmocka_unit_test(loose_leaves_and_tangles_stay_whole_in_each_level),
        cmocka_unit_test(every_group_size_and_rule_holds_the_properties),
        cmocka_unit_test(level_limit_is_kept_and_levels_are_complete),
        cmocka_unit_test(far_from_the_origin_and_tiny_or_huge_hold_the_properties),
        cmocka_unit_test(vertices_beyond_sixteen_bits_are_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
