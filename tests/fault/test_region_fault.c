/* SPDX-License-Identifier: MIT */
/* Regions when memory runs out: every request for memory refused, one after another; and what an update may not ask for. */
#include "support/region_rig.h"

enum { REGIONS = 150 };

static trn_region_def region_at(uint32_t i) {
    double x = 12.0 * i;
    trn_region_def def = {.box = {{x, 0, 0}, {x + 10, 10, 10}}, .payload = {.bytes = i % 3 * 8}};
    if (i % 4 == 0) def.load_radius = 40;
    return def;
}

static void refused_creation_of_the_table_leaks_nothing(void **state) {
    (void)state;
    trn_inbox_def inbox_def = {0};
    trn_inbox *inbox;
    assert_int_equal(trn_inbox_create(&inbox_def, &inbox), TRN_OK);
    for (uint64_t n = 0;; n++) {
        fault_allocator fault = {.fail_at = n, .armed = true};
        trni_regions_def def = {.allocator = fault_hook(&fault), .inbox = inbox, .hysteresis = 1};
        trni_regions *regions = NULL;
        trn_result result = trni_regions_create(&def, &regions);
        assert_int_equal(result, fault.refused ? TRN_ERROR_OUT_OF_MEMORY : TRN_OK);
        assert_true((regions != NULL) == (result == TRN_OK));
        trni_regions_destroy(regions);
        assert_true(fault.live_count == 0 && fault.wrong_frees == 0);
        if (!fault.refused) break;
    }
    trn_inbox_destroy(inbox);
}

/* Creates all regions with updates in between; each refused creation changes nothing and succeeds when tried again.
 * @return whether the refusal was reached */
static bool refused_at(uint64_t n, bool keep_failing) {
    rig *r = rig_create((trni_regions_def){0});
    r->memory.armed = true;
    r->memory.keep_failing = keep_failing;
    r->memory.fail_at = r->memory.calls + n;
    trn_source s = {.position = {300, 5, 5}, .radius = 100};
    for (uint32_t i = 0; i < REGIONS; i++) {
        trn_region_def def = region_at(i);
        trn_region_id id = {0, 0};
        trn_result result = trni_region_create(r->regions, &def, &id);
        if (result != TRN_OK) {
            assert_int_equal(result, TRN_ERROR_OUT_OF_MEMORY);
            assert_int_equal(id.index1, 0);
            assert_int_equal(trni_regions_list(r->regions, NULL, 0), i + 1);
            rig_update(r, &s, 1); /* works on with the regions there are */
            r->memory.armed = false;
            assert_int_equal(trni_region_create(r->regions, &def, &id), TRN_OK);
        }
        assert_int_equal(id.index1, i + 2);
        if (i % 10 == 0) rig_update(r, &s, 1);
    }
    bool refused = r->memory.refused != 0;
    rig_updates(r, 30, &s, 1);
    for (uint32_t i = 0; i < REGIONS; i++) {
        trn_region_def def = region_at(i);
        double reach = i % 4 == 0 ? 40 : 100;
        bool wanted = def.box.min[0] - reach <= 300 && 300 <= def.box.max[0] + reach;
        assert_int_equal(trni_region_actual(r->regions, i + 1), wanted ? TRN_STATE_ACTIVE : TRN_STATE_UNLOADED);
    }
    rig_destroy(r);
    return refused;
}

static void refused_creation_of_a_region_changes_nothing(void **state) {
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        uint64_t n = 0;
        while (refused_at(n, keep != 0)) n++;
        assert_true(n > 20);
    }
}

static void updates_call_no_allocator(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id ids[REGIONS];
    uint64_t calls = 0;
    for (uint32_t u = 0; u < 2000; u++) {
        /* Creating and deleting may allocate; the update that follows, with its rebuilding, may not. */
        if (u % 200 == 0) {
            for (uint32_t i = 0; i < REGIONS; i++) {
                trn_region_def def = region_at(i);
                assert_int_equal(trni_region_create(r->regions, &def, &ids[i]), TRN_OK);
            }
        }
        if (u % 200 == 100)
            for (uint32_t i = 0; i < REGIONS; i++) assert_int_equal(trni_region_delete(r->regions, ids[i]), TRN_OK);
        calls = r->memory.calls + r->memory.frees;
        trn_source s[2] = {{.position = {u % 1800, 5, 5}, .radius = 100},
                           {.position = {1800 - u % 1800, 0, 0}, .radius = 60}};
        rig_update(r, s, 2);
        assert_int_equal(r->memory.calls + r->memory.frees, calls);
    }
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_creation_of_the_table_leaks_nothing),
        cmocka_unit_test(refused_creation_of_a_region_changes_nothing),
        cmocka_unit_test(updates_call_no_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
