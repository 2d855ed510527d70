/* SPDX-License-Identifier: MIT */
/* The demo's watch sees each promise broken: a check that cannot fail proves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "watch.h"

/* One model of two pages, 10 vertices and 2 clusters each; page 0 is its coarsest level. */
static const uint32_t vertices[2] = {10, 10};
static const uint32_t one_placed[1] = {1}, none_placed[1] = {0};
static const trn_page_entry page_0_there[2] = {{0, 0, 2, TRN_PAGE_RESIDENT}, {0, 0, 0, 0}};
static const trn_page_entry nothing_there[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
static const trn_residency_change page_0_comes = {.model = {1, 1}, .page = 0, .resident = true};
static const trn_draw draw = {.first_page = 0, .page_count = 2, .model = 1};

static watch *make(void) {
    watch *w = watch_create(100 * TRN_VERTEX_BYTES, 20 * TRN_CLUSTER_BYTES, 2);
    assert_non_null(w);
    assert_true(watch_add_model(
        w, &(watch_model_def){.id = {1, 1}, .name = "m", .page_vertices = vertices, .page_count = 2, .root_count = 1}));
    return w;
}

static watch_frame frame_of(uint32_t frame) {
    return (watch_frame){.frame = frame,
                         .submit = frame + 1,
                         .budget_bytes = 4096,
                         .pages = nothing_there,
                         .page_count = 2,
                         .placed = none_placed};
}

static const trn_copy whole_page_0[2] = {{.to = 0, .bytes = 10 * TRN_VERTEX_BYTES, .arena = TRN_ARENA_VERTICES},
                                         {.to = 0, .bytes = 2 * TRN_CLUSTER_BYTES, .arena = TRN_ARENA_CLUSTERS}};

static void copy_page_0(watch *w, uint32_t frame) {
    watch_frame copying = frame_of(frame);
    copying.copies = whole_page_0;
    copying.copy_count = 2;
    watch_look(w, &copying);
}

static watch_frame page_0_arrives(uint32_t frame) {
    watch_frame ready = frame_of(frame);
    ready.changes = &page_0_comes;
    ready.change_count = 1;
    ready.pages = page_0_there;
    return ready;
}

static void assert_broken(watch *w, watch_rule rule) {
    for (int i = 0; i < WATCH_RULES; i++) assert_int_equal(watch_verdicts(w)[i].broken > 0, i == (int)rule);
    assert_false(watch_all_hold(w));
    assert_true(watch_verdicts(w)[rule].first[0] != 0);
    watch_destroy(w);
}

static void well_behaved_frames_hold(void **state) {
    (void)state;
    watch *w = make();
    copy_page_0(w, 0);
    watch_frame ready = page_0_arrives(1);
    ready.draws = &draw;
    ready.draw_count = 1;
    ready.placed = one_placed;
    watch_look(w, &ready);
    assert_true(watch_all_hold(w));
    for (int i = 1; i < WATCH_RULES; i++) assert_true(watch_verdicts(w)[i].checks > 0);
    watch_destroy(w);
}

static void allocation_counts_only_after_warm_up(void **state) {
    (void)state;
    watch *w = make();
    watch_frame frame = frame_of(1);
    frame.allocations = 3;
    watch_look(w, &frame);
    assert_true(watch_all_hold(w));
    frame.frame = 2;
    watch_look(w, &frame);
    assert_broken(w, WATCH_ALLOCATIONS);
}

static void copies_beyond_the_budget_are_seen(void **state) {
    (void)state;
    watch *w = make();
    watch_frame frame = frame_of(0);
    frame.copies = whole_page_0;
    frame.copy_count = 2;
    frame.budget_bytes = 10 * TRN_VERTEX_BYTES + 2 * TRN_CLUSTER_BYTES - 1;
    watch_look(w, &frame);
    assert_broken(w, WATCH_BUDGET);
}

static void page_ready_in_the_frame_of_its_last_copy_is_seen(void **state) {
    (void)state;
    watch *w = make();
    watch_frame frame = page_0_arrives(0);
    frame.copies = whole_page_0;
    frame.copy_count = 2;
    watch_look(w, &frame);
    assert_broken(w, WATCH_READY);
}

static void page_ready_with_a_gap_is_seen(void **state) {
    (void)state;
    watch *w = make();
    watch_frame copying = frame_of(0);
    copying.copies = whole_page_0;
    copying.copy_count = 1; /* no clusters */
    watch_look(w, &copying);
    watch_frame ready = page_0_arrives(1);
    watch_look(w, &ready);
    assert_broken(w, WATCH_READY);
}

static void page_that_went_must_be_copied_anew(void **state) {
    (void)state;
    watch *w = make();
    copy_page_0(w, 0);
    watch_frame ready = page_0_arrives(1);
    watch_look(w, &ready);
    const trn_residency_change goes = {.model = {1, 1}, .page = 0, .resident = false};
    watch_frame gone = frame_of(2);
    gone.changes = &goes;
    gone.change_count = 1;
    watch_look(w, &gone);
    ready = page_0_arrives(3);
    watch_look(w, &ready);
    assert_broken(w, WATCH_READY);
}

static void resident_model_without_a_draw_is_seen(void **state) {
    (void)state;
    watch *w = make();
    copy_page_0(w, 0);
    watch_frame ready = page_0_arrives(1);
    ready.placed = one_placed;
    watch_look(w, &ready);
    assert_broken(w, WATCH_DRAWN);
}

static void draw_without_its_coarsest_level_is_seen(void **state) {
    (void)state;
    watch *w = make();
    watch_frame frame = frame_of(0);
    frame.draws = &draw;
    frame.draw_count = 1;
    watch_look(w, &frame);
    assert_broken(w, WATCH_DRAWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_behaved_frames_hold),
        cmocka_unit_test(allocation_counts_only_after_warm_up),
        cmocka_unit_test(copies_beyond_the_budget_are_seen),
        cmocka_unit_test(page_ready_in_the_frame_of_its_last_copy_is_seen),
        cmocka_unit_test(page_ready_with_a_gap_is_seen),
        cmocka_unit_test(page_that_went_must_be_copied_anew),
        cmocka_unit_test(resident_model_without_a_draw_is_seen),
        cmocka_unit_test(draw_without_its_coarsest_level_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
