/* SPDX-License-Identifier: MIT */
/* Every allocation of a cook is refused in turn: it says so and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "property/test_cook_meshes.h"
#include "support/fault_allocator.h"

static void try_all(made_mesh *made, bool lock_border) {
    for (uint64_t n = 0;; n++) {
        fault_allocator fault = {.fail_at = n, .armed = true};
        trn_cook_def def = {
            .levels = TRN_COOK_LEVELS_AUTO, .group_size = 3, .lock_mesh_border = lock_border, .allocator = fault_hook(&fault)};
        trn_cooked cooked = {0};
        trn_error error = {0};
        trn_result result = trn_cook(&def, &made->mesh, &cooked, &error);
        if (fault.refused) {
            assert_int_equal(result, TRN_ERROR_OUT_OF_MEMORY);
            assert_int_equal(error.code, TRN_ERROR_OUT_OF_MEMORY);
            assert_null(cooked.bytes);
        } else {
            assert_int_equal(result, TRN_OK);
            assert_int_equal(fault.live_count, 1);
            assert_int_equal(fault.peak_bytes, cooked.stats.peak_bytes);
            trn_cooked_free(&cooked);
        }
        assert_int_equal(fault.live_count, 0);
        assert_int_equal(fault.wrong_frees, 0);
        if (!fault.refused) break;
    }
    made_free(made);
}

static void refused_allocation_fails_the_cook_and_leaks_nothing(void **state) {
    (void)state;
    made_mesh made;
    made_ball(&made, 7, 0.05, 1, true);
    try_all(&made, false);
}

static void refused_allocation_in_the_fallback_leaks_nothing(void **state) {
    (void)state;
    made_mesh made;
    made_field(&made, 14, 1, 1, true);
    made_flat_shaded(&made);
    made_materials(&made, 2);
    made.mesh.uv1 = made.uv0;
    try_all(&made, true);
}

static void refused_mesh_leaks_nothing(void **state) {
    (void)state;
    made_mesh made;
    made_ball(&made, 4, 0, 1, true);
    for (uint32_t i = 0; i < 3 * made.mesh.vertex_count; i++) made.positions[i] = 1;
    fault_allocator fault = {0};
    trn_cook_def def = {.allocator = fault_hook(&fault)};
    trn_cooked cooked = {0};
    trn_error error = {0};
    assert_int_equal(trn_cook(&def, &made.mesh, &cooked, &error), TRN_ERROR_MESH);
    assert_int_equal(fault.live_count, 0);
    made_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_allocation_fails_the_cook_and_leaks_nothing),
        cmocka_unit_test(refused_allocation_in_the_fallback_leaks_nothing),
        cmocka_unit_test(refused_mesh_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
