/* SPDX-License-Identifier: MIT */
/* What a cook refuses, repairs, makes and writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include "cook/vertex_packing.h"
#include "property/test_cook_meshes.h"
#include "property/test_cook_oracle.h"

/* Of the head of the cooked ball below, for meshoptimizer 0.22. A change here changes what every user has cooked. */
#define EXPECTED_HASH 0x202b01a62bce3d1du

static trn_result try_cook(const made_mesh *made, const trn_cook_def *def, trn_cooked *cooked, trn_error *error) {
    memset(cooked, 0, sizeof *cooked);
    memset(error, 0, sizeof *error);
    return trn_cook(def, &made->mesh, cooked, error);
}

/* Cooks level 0 and hands out the decoded vertices, 32 bytes each, of its one page. */
static const unsigned char *page_vertices(const trn_cooked *cooked, uint32_t *count) {
    const unsigned char *b = cooked->bytes;
    const unsigned char *page = b + trni_get_u64(b + TRNI_HEAD_PAGE_TABLE);
    const unsigned char *chunk = b + trni_get_u64(b + TRNI_HEAD_CHUNK_TABLE);
    *count = trni_get_u32(page + TRNI_PAGE_VERTEX_COUNT);
    return b + trni_get_u64(chunk + TRNI_CHUNK_OFFSET);
}

static void expect_refusal(made_mesh *made, trn_result code, uint32_t item, const char *words) {
    trn_cooked cooked;
    trn_error error;
    assert_int_equal(try_cook(made, NULL, &cooked, &error), code);
    assert_int_equal(error.code, code);
    assert_int_equal(error.item, item);
    if (!strstr(error.text, words)) fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    assert_null(cooked.bytes);
    made_free(made);
}

static void bad_meshes_are_refused_with_the_place(void **state) {
    (void)state;
    made_mesh made;
    made_ball(&made, 3, 0, 1, false);
    made.indices[17] = made.mesh.vertex_count;
    expect_refusal(&made, TRN_ERROR_MESH, 17, "names vertex");
    made_ball(&made, 3, 0, 1, false);
    made.positions[3 * 5 + 1] = (float)NAN;
    expect_refusal(&made, TRN_ERROR_MESH, 5, "not finite");
    made_ball(&made, 3, 0, 1, false);
    made.positions[3 * 5 + 1] = FLT_MAX;
    expect_refusal(&made, TRN_ERROR_MESH, 5, "1e18");
    made_ball(&made, 3, 0, 1, false);
    made.mesh.index_count -= 1;
    expect_refusal(&made, TRN_ERROR_MESH, 0, "multiple of 3");
    made_ball(&made, 3, 0, 1, false);
    made.mesh.index_count = 0;
    expect_refusal(&made, TRN_ERROR_MESH, 0, "no triangle");
    made_ball(&made, 3, 0, 1, false);
    made.mesh.positions = NULL;
    expect_refusal(&made, TRN_ERROR_MESH, 0, "no positions");
    made_ball(&made, 3, 0, 1, false);
    made.mesh.index_count = ((uint64_t)1 << 31) + 1;
    expect_refusal(&made, TRN_ERROR_MESH, 0, "2^31");
    made_ball(&made, 3, 0, 1, false);
    for (uint32_t v = 0; v < made.mesh.vertex_count; v++) made.positions[3 * v] = made.positions[3 * v + 1] = 1;
    expect_refusal(&made, TRN_ERROR_MESH, 0, "has an area");
}

static void submeshes_must_cover_all_in_order(void **state) {
    (void)state;
    static const char *words[] = {"starts at", "reaches beyond", "cover", "material", "flags", "inflation", "multiple of 3"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        made_mesh made;
        made_field(&made, 4, 1, 1, false);
        made_materials(&made, 2);
        trn_cook_submesh *second = &made.submeshes[1];
        if (i == 0) second->first_index += 3;
        if (i == 1) second->index_count += 3;
        if (i == 2) second->index_count -= 3;
        if (i == 3) second->material = 2;
        if (i == 4) second->flags = 128;
        if (i == 5) second->bounds_inflation = -1;
        if (i == 6) second->index_count -= 1;
        expect_refusal(&made, TRN_ERROR_MESH, i == 2 ? 2 : 1, words[i]);
    }
}

static void definitions_out_of_range_are_refused(void **state) {
    (void)state;
    made_mesh made;
    made_ball(&made, 3, 0, 1, false);
    trn_cooked cooked;
    trn_error error;
    trn_cook_def defs[] = {{.levels = 65},         {.group_size = 1},
                           {.group_size = 65},     {.error_rule = (trn_error_rule)3},
                           {.uv_weight = INFINITY}, {.normal_weight = (float)NAN}};
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++)
        assert_int_equal(try_cook(&made, &defs[i], &cooked, &error), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_cook(NULL, NULL, &cooked, NULL), TRN_ERROR_ARGUMENT);
    assert_int_equal(try_cook(&made, NULL, &cooked, &error), TRN_OK);
    assert_int_equal(cooked.stats.level_count, 1);
    trn_cooked_free(&cooked);
    trn_cooked_free(&cooked);
    made_free(&made);
}

typedef struct watcher {
    uint32_t calls, stop_at;
    float last;
} watcher;

static bool watch(void *user, const char *phase, float done) {
    watcher *w = user;
    assert_non_null(phase);
    assert_true(done >= w->last && done <= 1);
    w->last = done;
    return w->calls++ != w->stop_at;
}

static void cancelling_at_any_call_ends_the_cook(void **state) {
    (void)state;
    made_mesh made;
    made_ball(&made, 12, 0.05, 1, false);
    for (uint32_t stop = 0;; stop++) {
        watcher w = {.stop_at = stop};
        trn_cooked cooked;
        trn_error error;
        trn_cook_def def = {.levels = TRN_COOK_LEVELS_AUTO, .progress = watch, .progress_user = &w};
        trn_result result = try_cook(&made, &def, &cooked, &error);
        if (result == TRN_OK) {
            assert_true(w.calls > cooked.stats.group_count);
            trn_cooked_free(&cooked);
            break;
        }
        assert_int_equal(result, TRN_ERROR_CANCELLED);
        assert_int_equal(w.calls, stop + 1);
    }
    made_free(&made);
}

static void equal_corners_weld_and_degenerate_triangles_go(void **state) {
    (void)state;
    made_mesh made;
    made_field(&made, 8, 0, 1, false);
    for (uint64_t i = 0; i < 6; i++) made.indices[i] = i == 1 ? 1 : 0; /* the first two: no area */
    trn_cooked cooked;
    trn_error error;
    assert_int_equal(try_cook(&made, NULL, &cooked, &error), TRN_OK);
    assert_int_equal(cooked.stats.dropped_triangles, 2);
    assert_int_equal(cooked.stats.source_triangles, 128);
    assert_int_equal(cooked.stats.stored_triangles, 126);
    trn_cooked_free(&cooked);
    made_free(&made);

    made_field(&made, 8, 0, 1, false);
    made_flat_shaded(&made); /* one normal everywhere: all corners weld again */
    assert_int_equal(try_cook(&made, NULL, &cooked, &error), TRN_OK);
    assert_int_equal(cooked.stats.duplicate_vertices, 384 - 81);
    trn_cooked_free(&cooked);
    made_free(&made);
}

static void flat_triangle_between_edges_is_kept(void **state) {
    (void)state;
    /* A tetrahedron one of whose edges (0, 1) meets two half edges (0, 4), (4, 1) over a triangle without area. */
    static const float positions[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0};
    static const uint32_t indices[] = {0, 2, 1, 0, 4, 3, 4, 1, 3, 0, 1, 4, 0, 3, 2, 1, 2, 3};
    trn_cook_mesh mesh = {.positions = positions, .vertex_count = 5, .indices = indices, .index_count = 18};
    trn_cooked cooked = {0};
    assert_int_equal(trn_cook(NULL, &mesh, &cooked, NULL), TRN_OK);
    assert_int_equal(cooked.stats.dropped_triangles, 0);
    oracle_model model;
    assert_null(oracle_read(&model, cooked.bytes, cooked.size));
    assert_null(oracle_check(&model, 1, 1));
    assert_int_equal(model.border_count, 0);
    oracle_free(&model);
    trn_cooked_free(&cooked);
}

static void positions_on_the_grid_are_exact(void **state) {
    (void)state;
    made_mesh made;
    made_field(&made, 8, 0, 1, false);
    trn_cooked cooked;
    trn_error error;
    assert_int_equal(try_cook(&made, NULL, &cooked, &error), TRN_OK);
    assert_true(trni_get_f32((unsigned char *)cooked.bytes + TRNI_HEAD_QUANTISATION_ERROR) <= 0);
    trn_cooked_free(&cooked);
    made_free(&made);
    made_ball(&made, 8, 0.1, 1, false);
    assert_int_equal(try_cook(&made, NULL, &cooked, &error), TRN_OK);
    float step = trni_get_f32((unsigned char *)cooked.bytes + TRNI_HEAD_GRID_STEP);
    float quantisation = trni_get_f32((unsigned char *)cooked.bytes + TRNI_HEAD_QUANTISATION_ERROR);
    assert_true(quantisation > 0 && (double)quantisation <= (double)step * 0.8661);
    trn_cooked_free(&cooked);
    made_free(&made);
}

static void uv_islands_come_near_zero_by_whole_numbers(void **state) {
    (void)state;
    made_mesh made;
    made_field(&made, 8, 0, 1, true);
    for (uint32_t v = 0; v < made.mesh.vertex_count; v++) {
        made.uv0[2 * v] += 1000;
        made.uv0[2 * v + 1] -= 77;
    }
    trn_cooked cooked;
    trn_error error;
    assert_int_equal(try_cook(&made, NULL, &cooked, &error), TRN_OK);
    assert_true(cooked.stats.uv_error < 1.0f / 1024.0f);
    uint32_t count;
    const unsigned char *vertices = page_vertices(&cooked, &count);
    for (uint32_t v = 0; v < count; v++) {
        const unsigned char *at = vertices + (size_t)v * TRNI_VERTEX_SIZE;
        for (size_t k = 0; k < 2; k++) {
            float x = (float)trni_get_u16(at + TRNI_VERTEX_POSITION + 4 * k) * trni_get_f32((unsigned char *)cooked.bytes + TRNI_HEAD_GRID_STEP);
            assert_float_equal(trni_float_from_half(trni_get_u16(at + TRNI_VERTEX_UV0 + 2 * k)), x / 8, 1e-3f);
        }
    }
    trn_cooked_free(&cooked);
    made_free(&made);
}

static void normals_and_tangents_are_made_where_missing_or_unusable(void **state) {
    (void)state;
    for (int broken = 0; broken < 2; broken++) {
        made_mesh made;
        made_field(&made, 6, 0, 1, true);
        if (broken) {
            made.mesh.normals = made.normals = made_alloc(made.mesh.vertex_count, 3 * sizeof(float));
            made.normals[0] = (float)NAN;
            made.uv0[3] = INFINITY;
        }
        trn_cooked cooked;
        trn_error error;
        assert_int_equal(try_cook(&made, NULL, &cooked, &error), TRN_OK);
        uint32_t count;
        const unsigned char *vertices = page_vertices(&cooked, &count);
        for (uint32_t v = 0; v < count; v++) {
            const unsigned char *at = vertices + (size_t)v * TRNI_VERTEX_SIZE;
            int16_t packed[2] = {(int16_t)trni_get_u16(at + TRNI_VERTEX_NORMAL), (int16_t)trni_get_u16(at + TRNI_VERTEX_NORMAL + 2)};
            double n[3], t[3];
            trni_octahedral_unpack(packed, n);
            packed[0] = (int16_t)trni_get_u16(at + TRNI_VERTEX_TANGENT);
            packed[1] = (int16_t)trni_get_u16(at + TRNI_VERTEX_TANGENT + 2);
            trni_octahedral_unpack(packed, t);
            assert_true(fabs(n[1] - 1) < 1e-4);
            assert_true(fabs(n[0] * t[0] + n[1] * t[1] + n[2] * t[2]) < 1e-3);
            if (!broken) assert_true(fabs(t[0] - 1) < 1e-4); /* u grows along x */
        }
        trn_cooked_free(&cooked);
        made_free(&made);
    }
}

static void two_sided_and_inflated_clusters_have_no_cone(void **state) {
    (void)state;
    made_mesh made;
    made_field(&made, 6, 0, 1, false);
    made_materials(&made, 3);
    made.submeshes[0].flags = TRN_SUBMESH_TWO_SIDED | TRN_SUBMESH_ALPHA_TESTED;
    made.submeshes[1].bounds_inflation = 2;
    trn_cooked cooked;
    trn_error error;
    assert_int_equal(try_cook(&made, NULL, &cooked, &error), TRN_OK);
    oracle_model model;
    assert_null(oracle_read(&model, cooked.bytes, cooked.size));
    for (uint32_t i = 0; i < model.cluster_count; i++) {
        const oracle_cluster *c = &model.clusters[i];
        assert_int_equal(c->cone >> 24 == 127, c->material != 2);
        assert_int_equal(c->counts >> 24 & 3, c->material == 0 ? 3 : 0);
        assert_int_equal(c->cull_sphere[3] > 4, c->material == 1); /* 2 more than its triangles need */
    }
    oracle_free(&model);
    trn_cooked_free(&cooked);
    made_free(&made);
}

static void unused_vertices_change_nothing_but_their_count(void **state) {
    (void)state;
    made_mesh made;
    made_field(&made, 6, 0, 1, false);
    float *more = made_alloc(made.mesh.vertex_count + 1, 3 * sizeof(float));
    memcpy(more, made.positions, made.mesh.vertex_count * 3 * sizeof(float));
    more[3 * made.mesh.vertex_count] = (float)NAN;
    trn_cooked plain, padded;
    trn_error error;
    assert_int_equal(try_cook(&made, NULL, &plain, &error), TRN_OK);
    made.mesh.positions = more;
    made.mesh.vertex_count++;
    assert_int_equal(try_cook(&made, NULL, &padded, &error), TRN_OK);
    assert_int_equal(plain.size, padded.size);
    assert_memory_equal(plain.bytes, padded.bytes, plain.size);
    assert_int_equal(padded.stats.source_vertices, plain.stats.source_vertices + 1);
    trn_cooked_free(&plain);
    trn_cooked_free(&padded);
    free(more);
    made_free(&made);
}

static void halves_round_to_nearest_even(void **state) {
    (void)state;
    assert_int_equal(trni_half_from_float(1.0f), 0x3c00);
    assert_int_equal(trni_half_from_float(-2.0f), 0xc000);
    assert_int_equal(trni_half_from_float(1.0f + 1.0f / 2048.0f), 0x3c00);
    assert_int_equal(trni_half_from_float(1.0f + 3.0f / 2048.0f), 0x3c02);
    assert_int_equal(trni_half_from_float(1e9f), 0x7bff);
    assert_int_equal(trni_half_from_float(-1e-12f), 0);
    for (uint32_t h = 0; h < 0x7c00; h++) {
        assert_int_equal(trni_half_from_float(trni_float_from_half((uint16_t)h)), h);
        if (h) assert_int_equal(trni_half_from_float(trni_float_from_half((uint16_t)(h | 0x8000u))), h | 0x8000u);
    }
}

static void octahedral_directions_survive(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        double d[3], length = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = i < 27 ? (double)(i / (k == 0 ? 1 : k == 1 ? 3 : 9) % 3 - 1) : random_between(&seed, -1, 1);
            length += d[k] * d[k];
        }
        if (!(length > 0)) continue;
        int16_t packed[2];
        double back[3];
        trni_octahedral_pack(d, packed);
        trni_octahedral_unpack(packed, back);
        for (int k = 0; k < 3; k++) assert_true(fabs(back[k] - d[k] / sqrt(length)) < 1e-4);
    }
}

static void material_names_are_stored(void **state) {
    (void)state;
    static const char *const names[] = {"brick", NULL, ""};
    made_mesh made;
    made_field(&made, 6, 0, 1, false);
    made_materials(&made, 3);
    made.mesh.material_names = names;
    trn_cooked cooked;
    trn_error error;
    assert_int_equal(try_cook(&made, NULL, &cooked, &error), TRN_OK);
    const unsigned char *b = cooked.bytes, *strings = b + trni_get_u64(b + TRNI_HEAD_STRINGS);
    assert_int_equal(trni_get_u64(b + TRNI_HEAD_STRING_BYTES), 18);
    assert_memory_equal(strings, "brick\0material 1\0", 18);
    trn_cooked_free(&cooked);
    made_free(&made);
}

static void same_mesh_cooks_to_the_same_bytes(void **state) {
    (void)state;
    made_mesh made;
    made_ball(&made, 24, 0.05, 1, true);
    made_materials(&made, 2);
    trn_cooked first, second;
    trn_error error;
    trn_cook_def def = {.levels = TRN_COOK_LEVELS_AUTO};
    assert_int_equal(try_cook(&made, &def, &first, &error), TRN_OK);
    assert_int_equal(try_cook(&made, &def, &second, &error), TRN_OK);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    uint64_t hash = trni_get_u64((unsigned char *)first.bytes + TRNI_HEAD_HASH); /* covers the chunks' hashes: the whole file */
    if (trni_get_u32((unsigned char *)first.bytes + TRNI_HEAD_SIMPLIFIER_VERSION) == 220)
        assert_int_equal(hash, EXPECTED_HASH);
    trn_cooked_free(&first);
    trn_cooked_free(&second);
    made_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_meshes_are_refused_with_the_place),
        cmocka_unit_test(submeshes_must_cover_all_in_order),
        cmocka_unit_test(definitions_out_of_range_are_refused),
        cmocka_unit_test(cancelling_at_any_call_ends_the_cook),
        cmocka_unit_test(equal_corners_weld_and_degenerate_triangles_go),
        cmocka_unit_test(flat_triangle_between_edges_is_kept),
        cmocka_unit_test(positions_on_the_grid_are_exact),
        cmocka_unit_test(uv_islands_come_near_zero_by_whole_numbers),
        cmocka_unit_test(normals_and_tangents_are_made_where_missing_or_unusable),
        cmocka_unit_test(two_sided_and_inflated_clusters_have_no_cone),
        cmocka_unit_test(unused_vertices_change_nothing_but_their_count),
        cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(octahedral_directions_survive),
        cmocka_unit_test(material_names_are_stored),
        cmocka_unit_test(same_mesh_cooks_to_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
