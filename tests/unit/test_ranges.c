/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stream/ranges.h"
#include "support/fault_allocator.h"
#include "support/random.h"

#define UNITS 5000u
#define LENT 300u

/* Against a byte a unit: ranges never overlap, and what was returned can be lent again. */
static void random_ranges_never_overlap(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fault_allocator memory = {0};
        trn_allocator allocator = fault_hook(&memory);
        trni_ranges ranges;
        assert_true(trni_ranges_init(&ranges, &allocator, UNITS, LENT));
        uint8_t taken[UNITS] = {0};
        uint32_t lent[LENT], sizes[LENT], count = 0, used = 0;
        uint64_t random = seed;
        for (int step = 0; step < 3000; step++) {
            if (count < LENT && random_below(&random, 100) < 55) {
                uint32_t units = 1 + random_below(&random, random_below(&random, 8) ? 20 : 700);
                uint32_t range = trni_ranges_lend(&ranges, units, count);
                if (range == TRNI_RANGE_NONE) {
                    assert_true(units > (UNITS - used) / 16 || units > 100); /* only large ones, or a full arena */
                    continue;
                }
                uint32_t offset = trni_range_offset(&ranges, range);
                assert_true(offset + units <= UNITS);
                for (uint32_t u = 0; u < units; u++) assert_int_equal(taken[offset + u]++, 0);
                lent[count] = range, sizes[count++] = units, used += units;
            } else if (count > 0) {
                uint32_t i = random_below(&random, count);
                uint32_t offset = trni_range_offset(&ranges, lent[i]);
                for (uint32_t u = 0; u < sizes[i]; u++) taken[offset + u]--;
                trni_ranges_return(&ranges, lent[i]);
                used -= sizes[i];
                lent[i] = lent[--count], sizes[i] = sizes[count];
            }
            assert_int_equal(ranges.free_units, UNITS - used);
            if (step % 50 == 0) assert_true(trni_ranges_valid(&ranges));
        }
        while (count > 0) trni_ranges_return(&ranges, lent[--count]);
        assert_true(trni_ranges_valid(&ranges));
        uint32_t whole = trni_ranges_lend(&ranges, UNITS, 0); /* all free ranges joined again */
        assert_true(whole != TRNI_RANGE_NONE);
        assert_int_equal(trni_range_offset(&ranges, whole), 0);
        trni_ranges_free(&ranges, &allocator);
        assert_true(memory.live_count == 0);
    }
}

static void an_arena_can_be_lent_to_the_last_unit(void **state) {
    (void)state;
    for (uint32_t units = 1; units < 200; units++) {
        fault_allocator memory = {0};
        trn_allocator allocator = fault_hook(&memory);
        trni_ranges ranges;
        assert_true(trni_ranges_init(&ranges, &allocator, units, units));
        assert_int_equal(trni_ranges_lend(&ranges, units + 1, 0), TRNI_RANGE_NONE);
        for (uint32_t u = 0; u < units; u++)
            assert_int_equal(trni_range_offset(&ranges, trni_ranges_lend(&ranges, 1, 0)), u);
        assert_int_equal(trni_ranges_lend(&ranges, 1, 0), TRNI_RANGE_NONE);
        trni_ranges_free(&ranges, &allocator);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_ranges_never_overlap),
                                       cmocka_unit_test(an_arena_can_be_lent_to_the_last_unit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
