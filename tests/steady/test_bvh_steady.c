/* SPDX-License-Identifier: MIT */
/* When the box tree calls the allocator: never in a query, and in a rebuild only for more boxes than it has room for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <terrane/bvh.h>

#include "support/box_sets.h"
#include "support/fault_allocator.h"

enum { MOST = 4000 };

static trn_world_box boxes[MOST];
static uint32_t ids[MOST];
static double squared[MOST];

static void queries_and_rebuilds_that_fit_call_no_allocator(void **state) {
    (void)state;
    const double corner[3] = {0, 0, 0};
    fault_allocator fault = {0};
    box_set_fill(BOX_SET_OVERLAP, MOST, corner, 1, boxes);
    trn_bvh *bvh = NULL;
    trn_bvh_def def = {.boxes = boxes, .count = MOST, .allocator = fault_hook(&fault)};
    assert_int_equal(trn_bvh_create(&def, &bvh, NULL), TRN_OK);
    uint64_t calls = fault.calls, frees = fault.frees;
    for (uint32_t n = MOST; n > 0; n /= 2) {
        uint32_t count;
        assert_int_equal(trn_bvh_rebuild(bvh, boxes, n, NULL, NULL), TRN_OK);
        assert_int_equal(trn_bvh_query_sphere(bvh, corner, 900, ids, squared, MOST, &count), TRN_OK);
        assert_int_equal(trn_bvh_query_box(bvh, &boxes[0], ids, MOST, &count), TRN_OK);
        assert_true(count > 0);
    }
    assert_int_equal(trn_bvh_rebuild(bvh, boxes, MOST, NULL, NULL), TRN_OK);
    assert_int_equal(fault.calls, calls);
    assert_int_equal(fault.frees, frees);
    trn_bvh_destroy(bvh);
    assert_int_equal(fault.live_count, 0);
}

static void a_set_that_grows_one_by_one_allocates_rarely(void **state) {
    (void)state;
    const double corner[3] = {0, 0, 0};
    fault_allocator fault = {0};
    box_set_fill(BOX_SET_GRID, MOST, corner, 1, boxes);
    trn_bvh *bvh = NULL;
    trn_bvh_def def = {.allocator = fault_hook(&fault)};
    assert_int_equal(trn_bvh_create(&def, &bvh, NULL), TRN_OK);
    for (uint32_t n = 1; n <= 1000; n++) assert_int_equal(trn_bvh_rebuild(bvh, boxes, n, NULL, NULL), TRN_OK);
    assert_in_range(fault.calls, 1, 3 * 22);
    trn_bvh_destroy(bvh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_and_rebuilds_that_fit_call_no_allocator),
        cmocka_unit_test(a_set_that_grows_one_by_one_allocates_rarely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
