/* SPDX-License-Identifier: MIT */
/* Every allocation of the box tree refused, once and from then on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <terrane/bvh.h>

#include "support/box_sets.h"
#include "support/fault_allocator.h"

enum { FEW = 50, MANY = 400 };

static void refused_memory_leaves_the_tree_as_it_was(void **state) {
    (void)state;
    static trn_world_box boxes[MANY];
    static uint64_t user[MANY];
    const double corner[3] = {0, 0, 0};
    box_set_fill(BOX_SET_CITIES, MANY, corner, 1, boxes);
    for (uint32_t i = 0; i < MANY; i++) user[i] = 1000 + i;
    for (int keep_failing = 0; keep_failing < 2; keep_failing++)
        for (uint64_t n = 0;; n++) {
            fault_allocator fault = {.armed = true, .keep_failing = keep_failing != 0, .fail_at = n};
            trn_bvh *bvh = NULL;
            trn_error error;
            trn_bvh_def def = {.boxes = boxes, .count = FEW, .user_data = user, .allocator = fault_hook(&fault)};
            trn_result result = trn_bvh_create(&def, &bvh, &error);
            if (result == TRN_OK) {
                trn_bvh_stats before, after;
                trn_bvh_get_stats(bvh, &before);
                result = trn_bvh_rebuild(bvh, boxes, MANY, user, &error);
                trn_bvh_get_stats(bvh, &after);
                uint32_t count, expected = result == TRN_OK ? MANY : FEW;
                if (result != TRN_OK) assert_memory_equal(&before, &after, sizeof before);
                assert_int_equal(trn_bvh_query_sphere(bvh, corner, (double)INFINITY, NULL, NULL, 0, &count), TRN_OK);
                assert_int_equal(count, expected);
                for (uint32_t i = 0; i < expected; i++) {
                    uint64_t read;
                    assert_int_equal(trn_bvh_get_user_data(bvh, i, &read), TRN_OK);
                    assert_true(read == user[i]);
                }
                assert_int_equal(after.bytes, fault.live_bytes);
                trn_bvh_destroy(bvh);
            } else {
                assert_null(bvh);
            }
            if (result != TRN_OK) {
                assert_int_equal(result, TRN_ERROR_OUT_OF_MEMORY);
                assert_int_equal(error.code, TRN_ERROR_OUT_OF_MEMORY);
            }
            assert_int_equal(fault.live_count, 0);
            assert_int_equal(fault.wrong_frees, 0);
            if (!fault.refused) {
                assert_int_equal(result, TRN_OK);
                break;
            }
            assert_int_not_equal(result, TRN_OK);
        }
}

static void half_an_allocator_is_refused(void **state) {
    (void)state;
    fault_allocator fault = {0};
    trn_bvh_def def = {.allocator = fault_hook(&fault)};
    def.allocator.free = NULL;
    trn_bvh *bvh = NULL;
    trn_error error;
    assert_int_equal(trn_bvh_create(&def, &bvh, &error), TRN_ERROR_ARGUMENT);
    assert_int_equal(fault.calls, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_memory_leaves_the_tree_as_it_was),
        cmocka_unit_test(half_an_allocator_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
