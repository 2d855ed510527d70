/* SPDX-License-Identifier: MIT */
/* What regions do, sentence by sentence, and cases from public reports on world streaming. */
#include <math.h>

#include "stream/inbox_internal.h"
#include "support/region_rig.h"

static trn_region_def cell(double x, uint32_t bytes) {
    trn_region_def def = {.box = {{x, 0, 0}, {x + 10, 10, 10}}, .payload = {.bytes = bytes, .offset = 1000}};
    return def;
}

static trn_region_id add(rig *r, const trn_region_def *def) {
    trn_region_id id;
    assert_int_equal(trni_region_create(r->regions, def, &id), TRN_OK);
    return id;
}

static trn_region_id add_cell(rig *r, double x, uint32_t bytes) {
    trn_region_def def = cell(x, bytes);
    return add(r, &def);
}

static trn_region_id zero_of(rig *r) {
    trn_region_id id;
    trni_regions_list(r->regions, &id, 1);
    return id;
}

static trn_source source_at(double x, double radius) {
    trn_source source = {.position = {x, 5, 5}, .radius = radius};
    return source;
}

/* Region 0 loaded for good, before the test's own business begins. */
static void load_region_zero(rig *r) {
    trni_region_set_authored(r->regions, zero_of(r), TRN_STATE_RESIDENT);
    rig_updates(r, 3, NULL, 0);
    assert_int_equal(rig_actual(r, zero_of(r)), TRN_STATE_RESIDENT);
}

static rig_place *seen(rig *r, trn_region_id region) { return &r->places[region.index1 - 1]; }

static uint32_t loads_of(rig *r, trn_region_id region) { return seen(r, region)->load_notices; }

/* ---- the state machine ---- */

static void region_zero_loads_first_and_unloads_last(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.region_zero_payload = {.bytes = 5}});
    trn_region_id a = add_cell(r, 0, 8), zero = zero_of(r);
    trn_source s = source_at(5, 20);
    rig_update(r, &s, 1); /* 1: region 0 starts */
    assert_int_equal(rig_actual(r, zero), TRN_STATE_LOADING);
    rig_update(r, &s, 1); /* 2: its bytes are handed over */
    assert_int_equal(rig_events_of(r, TRN_EVENT_REGION_LOAD), 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED);
    rig_update(r, &s, 1); /* 3: it is confirmed, so the other one starts */
    assert_int_equal(rig_actual(r, zero), TRN_STATE_RESIDENT);
    assert_int_equal(rig_actual(r, a), TRN_STATE_LOADING);
    rig_updates(r, 2, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    rig_update(r, NULL, 0); /* 6: it leaves; region 0 waits for it */
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADING);
    rig_update(r, NULL, 0); /* 7 */
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED);
    assert_int_equal(rig_actual(r, zero), TRN_STATE_UNLOADING);
    rig_update(r, NULL, 0);
    assert_int_equal(rig_actual(r, zero), TRN_STATE_UNLOADED);
    rig_destroy(r);
}

static void resident_and_active_change_without_loading(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    s.target = TRN_STATE_RESIDENT;
    rig_updates(r, 10, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_RESIDENT);
    s.target = TRN_STATE_ACTIVE;
    rig_update(r, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    const uint32_t *changed;
    assert_int_equal(trni_regions_changed(r->regions, &changed), 1);
    assert_int_equal(changed[0], a.index1 - 1);
    s.target = TRN_STATE_RESIDENT;
    rig_update(r, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_RESIDENT);
    assert_int_equal(loads_of(r, a), 1);
    rig_destroy(r);
}

static void region_rewanted_while_unloading_loads_anew_once(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    rig_updates(r, 10, &s, 1);
    r->hold_confirms = true;
    rig_update(r, NULL, 0);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADING);
    rig_updates(r, 20, &s, 1); /* wanted again, but the host has not answered */
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADING);
    assert_int_equal(rig_confirm(r, a, TRN_ERROR_IO), TRN_ERROR_ARGUMENT);
    assert_int_equal(rig_confirm(r, a, TRN_OK), TRN_OK);
    r->hold_confirms = false;
    rig_updates(r, 10, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    assert_true(seen(r, a)->load_notices == 2 && seen(r, a)->unload_notices == 1);
    rig_destroy(r);
}

static void unwanted_before_the_host_got_it_is_cancelled(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    r->hold_reads = true;
    rig_updates(r, 5, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_LOADING);
    rig_update(r, NULL, 0);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED);
    assert_int_equal(r->out.cancel_count, 1);
    rig_read *late = rig_reading(r, a);
    assert_int_equal(rig_complete(r, late), TRN_ERROR_STALE_ID);
    late->result = TRN_ERROR_IO; /* case 14: nor does a late failure count */
    assert_int_equal(rig_complete(r, late), TRN_ERROR_STALE_ID);
    late->read.number = 0;
    assert_int_equal(r->bytes_live, 0);
    rig_updates(r, 5, NULL, 0);
    assert_true(seen(r, a)->ends[TRN_LOAD_CANCELLED] == 1 && loads_of(r, a) == 0 && !rig_info(r, a).failed);
    rig_destroy(r);
}

static void unwanted_after_the_host_got_it_ends_and_then_unloads(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    rig_updates(r, 2, &s, 1);
    r->confirm_latency = 4;
    rig_updates(r, 2, &s, 1);
    assert_int_equal(loads_of(r, a), 1);
    rig_updates(r, 3, NULL, 0);
    assert_int_equal(rig_actual(r, a), TRN_STATE_LOADING);
    rig_updates(r, 2, NULL, 0);
    assert_int_equal(rig_actual(r, a), TRN_STATE_RESIDENT);
    rig_updates(r, 10, NULL, 0);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED);
    assert_true(seen(r, a)->ends[TRN_LOAD_OK] == 1 && seen(r, a)->unload_notices == 1);
    rig_destroy(r);
}

static void failure_is_reported_once_and_waits_for_retry(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    load_region_zero(r);
    r->fail_one_in = 1;
    rig_updates(r, 1000, &s, 1); /* case 77: one look-up */
    assert_true(seen(r, a)->reads == 1 && seen(r, a)->ends[TRN_LOAD_FAILED] == 1 && r->logged_failures == 1);
    assert_true(rig_info(r, a).failed && rig_info(r, a).failure == TRN_ERROR_IO);
    assert_int_equal(rig_info(r, a).desired, TRN_STATE_ACTIVE);
    r->fail_one_in = 0;
    trni_regions_retry(r->regions);
    assert_false(rig_info(r, a).failed);
    rig_updates(r, 10, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    rig_destroy(r);
}

static void short_reads_and_the_hosts_own_failures_fail_the_load(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    rig_updates(r, 2, &s, 1);
    r->hold_reads = true;
    rig_updates(r, 2, &s, 1);
    rig_read *read = rig_reading(r, a);
    read->is_short = true;
    assert_int_equal(rig_complete(r, read), TRN_OK);
    read->read.number = 0;
    rig_update(r, &s, 1);
    assert_int_equal(rig_info(r, a).failure, TRN_ERROR_IO);
    assert_int_equal(r->bytes_live, 0);

    r->hold_reads = false;
    assert_int_equal(trni_region_set_payload(r->regions, a, (trn_payload){.bytes = 16}),
                     TRN_OK); /* forgets the failure */
    r->hold_confirms = true;
    rig_updates(r, 3, &s, 1);
    assert_int_equal(rig_confirm(r, a, TRN_ERROR_FORMAT), TRN_OK);
    rig_updates(r, 3, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED);
    assert_int_equal(rig_info(r, a).failure, TRN_ERROR_FORMAT);
    rig_destroy(r);
}

static void failed_region_zero_blocks_every_load(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.region_zero_payload = {.bytes = 4}});
    trn_region_id a = add_cell(r, 0, 0), zero = zero_of(r);
    trn_source s = source_at(5, 20);
    r->fail_one_in = 1;
    rig_updates(r, 50, &s, 1);
    assert_true(rig_info(r, zero).failed);
    assert_int_equal(seen(r, a)->starts, 0);
    r->fail_one_in = 0;
    assert_int_equal(trni_region_retry(r->regions, zero), TRN_OK);
    rig_updates(r, 10, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    rig_destroy(r);
}

static void new_payload_supersedes_only_what_the_host_has_not_got(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    rig_updates(r, 2, &s, 1);
    r->read_latency = 5;
    rig_updates(r, 3, &s, 1);
    assert_int_equal(trni_region_set_payload(r->regions, a, (trn_payload){.bytes = 8, .offset = 2000}), TRN_OK);
    rig_update(r, &s, 1);
    assert_true(seen(r, a)->ends[TRN_LOAD_SUPERSEDED] == 1 && r->out.cancel_count == 1);
    r->read_latency = 1;
    for (int i = 0; i < 10; i++) {
        rig_update(r, &s, 1);
        for (uint32_t e = 0; e < r->out.event_count; e++)
            if (r->events[e].type == TRN_EVENT_REGION_LOAD) {
                assert_int_equal(*(const uint64_t *)r->events[e].data, 2000); /* case 119: the new bytes */
                assert_int_equal(trni_region_set_payload(r->regions, a, (trn_payload){.bytes = 8, .offset = 3000}),
                                 TRN_OK);
            }
    }
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    assert_true(seen(r, a)->starts == 2 && seen(r, a)->reads == 2 && seen(r, a)->ends[TRN_LOAD_OK] == 1);
    rig_updates(r, 10, NULL, 0); /* the third payload is used when it loads next */
    rig_updates(r, 3, &s, 1);
    assert_int_equal(rig_reading(r, a) ? rig_reading(r, a)->read.offset : 0, 3000);
    rig_destroy(r);
}

static void superseded_in_the_dead_band_loads_again(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.margin = 10});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(-5, 5);
    rig_updates(r, 2, &s, 1);
    r->read_latency = 5;
    rig_update(r, &s, 1);
    s.position[0] = -12; /* outside its radius, inside the margin */
    rig_update(r, &s, 1);
    assert_int_equal(trni_region_set_payload(r->regions, a, (trn_payload){.bytes = 9}), TRN_OK);
    rig_updates(r, 20, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    rig_destroy(r);
}

static void deleted_region_unloads_first_and_its_id_is_stale(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    rig_updates(r, 10, &s, 1);
    assert_int_equal(trni_region_delete(r->regions, a), TRN_OK);
    assert_int_equal(trni_region_request(r->regions, a, TRN_STATE_ACTIVE), TRN_OK); /* has no effect any more */
    rig_updates(r, 2, &s, 1);
    assert_true(trni_region_is_valid(r->regions, a));
    rig_update(r, &s, 1);
    assert_int_equal(r->deleted, 1);
    assert_int_equal(trni_region_request(r->regions, a, TRN_STATE_ACTIVE), TRN_ERROR_STALE_ID);
    assert_string_equal(trni_region_name(r->regions, a), "");
    trn_region_id b = add_cell(r, 0, 8);
    assert_true(b.index1 == a.index1 && b.generation != a.generation);
    assert_int_equal(trni_region_delete(r->regions, b), TRN_OK); /* never looked at */
    rig_update(r, &s, 1);
    assert_int_equal(r->deleted, 2);
    assert_int_equal(trni_region_delete(r->regions, zero_of(r)), TRN_ERROR_ARGUMENT);
    rig_destroy(r);
}

static void deleted_while_loading_is_cancelled(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    r->hold_reads = true;
    rig_updates(r, 4, &s, 1);
    assert_int_equal(trni_region_delete(r->regions, a), TRN_OK);
    rig_update(r, &s, 1);
    assert_int_equal(r->out.cancel_count, 1);
    rig_update(r, &s, 1);
    assert_int_equal(r->deleted, 1);
    rig_destroy(r); /* the read comes in after all is gone */
}

static void confirmations_are_checked(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 0);
    trn_source s = source_at(5, 20);
    r->hold_confirms = true;
    assert_int_equal(trni_region_confirm(r->regions, a, 0, TRN_OK), TRN_ERROR_STATE);
    rig_updates(r, 2, &s, 1);
    assert_int_equal(rig_confirm(r, zero_of(r), TRN_OK), TRN_OK);
    rig_updates(r, 2, &s, 1);
    uint32_t ticket = seen(r, a)->ticket;
    assert_int_equal(trni_region_confirm(r->regions, a, ticket + 1, TRN_OK), TRN_ERROR_STALE_ID);
    assert_int_equal(trni_region_confirm(r->regions, a, ticket, (trn_result)1), TRN_ERROR_ARGUMENT);
    assert_int_equal(trni_region_confirm(r->regions, a, ticket, TRN_OK), TRN_OK);
    assert_int_equal(trni_region_confirm(r->regions, a, ticket, TRN_OK), TRN_ERROR_STATE);
    rig_updates(r, 1, NULL, 0);
    assert_int_equal(trni_region_confirm(r->regions, a, ticket, TRN_OK), TRN_ERROR_STATE);
    rig_updates(r, 1, NULL, 0);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADING);
    assert_int_equal(trni_region_confirm(r->regions, a, ticket, TRN_OK), TRN_ERROR_STALE_ID);
    rig_destroy(r);
}

/* ---- requests, authored states, the edit world ---- */

static void request_replaces_everything_until_cleared(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8), b = add_cell(r, 1000, 8);
    trn_source s = source_at(5, 20);
    trni_region_request(r->regions, a, TRN_STATE_UNLOADED);
    trni_region_request(r->regions, b, TRN_STATE_RESIDENT);
    trni_region_set_authored(r->regions, a, TRN_STATE_ACTIVE);
    rig_updates(r, 20, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED); /* a request left set makes streaming look broken */
    assert_int_equal(rig_info(r, a).source_count, 1);
    assert_int_equal(rig_actual(r, b), TRN_STATE_RESIDENT);
    trni_regions_clear_requests(r->regions);
    rig_updates(r, 20, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    assert_int_equal(rig_actual(r, b), TRN_STATE_UNLOADED);
    rig_destroy(r);
}

static void unload_request_on_region_zero_empties_the_world(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.edit = true});
    trn_region_id ids[20], zero = zero_of(r);
    for (int i = 0; i < 20; i++) ids[i] = add_cell(r, 100.0 * i, 8);
    rig_updates(r, 20, NULL, 0);
    for (int i = 0; i < 20; i++) assert_int_equal(rig_actual(r, ids[i]), TRN_STATE_ACTIVE);
    assert_int_equal(rig_actual(r, zero), TRN_STATE_ACTIVE);
    trni_region_request(r->regions, ids[3], TRN_STATE_ACTIVE);
    trni_region_request(r->regions, zero, TRN_STATE_UNLOADED);
    rig_updates(r, 20, NULL, 0);
    for (int i = 0; i < 20; i++) assert_int_equal(rig_actual(r, ids[i]), TRN_STATE_UNLOADED);
    assert_int_equal(rig_actual(r, zero), TRN_STATE_UNLOADED);
    trni_region_request(r->regions, zero, TRN_STATE_RESIDENT);
    rig_updates(r, 20, NULL, 0);
    assert_int_equal(rig_actual(r, ids[3]), TRN_STATE_ACTIVE);
    assert_int_equal(rig_actual(r, zero), TRN_STATE_RESIDENT);
    rig_destroy(r);
}

static void observers_count_and_load_nothing(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(5, 20);
    s.observer = true;
    rig_updates(r, 10, &s, 1);
    assert_int_equal(rig_info(r, a).source_count, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED);
    rig_update(r, NULL, 0);
    assert_int_equal(rig_info(r, a).source_count, 0);
    rig_destroy(r);
}

/* ---- caps and order ---- */

static void loads_start_nearest_first_within_the_caps(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.loads_started = 3, .loads_finished = 2});
    trn_region_id ids[12];
    for (int i = 0; i < 12; i++) ids[i] = add_cell(r, 20.0 * (11 - i), 8);
    trn_source s = source_at(-5, 1000);
    rig_updates(r, 2, &s, 1);
    rig_update(r, &s, 1);
    assert_int_equal(r->out.read_count, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(r->out.reads[i].region.index1, ids[11 - i].index1);
    rig_update(r, &s, 1);
    assert_int_equal(rig_events_of(r, TRN_EVENT_REGION_LOAD), 2);
    assert_int_equal(r->events[0].region.index1, ids[11].index1);
    rig_updates(r, 20, &s, 1);
    for (int i = 0; i < 12; i++) assert_int_equal(rig_actual(r, ids[i]), TRN_STATE_ACTIVE);
    rig_destroy(r);
}

static void finished_reads_are_handed_over_by_todays_distance(void **state) {
    (void)state; /* case 29: what was urgent when asked for is not when it arrives */
    rig *r = rig_create((trni_regions_def){.loads_started = 20, .loads_finished = 1});
    trn_region_id ids[20];
    for (int i = 0; i < 20; i++) ids[i] = add_cell(r, 20.0 * i, 8);
    trn_source s = source_at(0, 1000);
    rig_updates(r, 2, &s, 1);
    rig_update(r, &s, 1);
    s.position[0] = 400;
    rig_update(r, &s, 1);
    assert_int_equal(r->events[0].type, TRN_EVENT_REGION_LOAD);
    assert_int_equal(r->events[0].region.index1, ids[19].index1);
    rig_destroy(r);
}

static void heavier_sources_come_first(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.loads_started = 1});
    trn_region_id a = add_cell(r, 0, 8), b = add_cell(r, 1000, 8);
    trn_source s[2] = {source_at(-10, 50), source_at(980, 50)}; /* 10 m from a, 20 m from b */
    s[1].weight = 4;
    rig_updates(r, 2, s, 2);
    rig_update(r, s, 2);
    assert_int_equal(rig_actual(r, b), TRN_STATE_LOADING);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED);
    rig_destroy(r);
}

static void bytes_in_flight_are_capped_and_a_large_one_passes_alone(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.read_bytes = 100});
    add_cell(r, 0, 60);
    trn_region_id large = add_cell(r, 20, 500), small = add_cell(r, 40, 10), none = add_cell(r, 60, 0);
    trn_source s = source_at(-5, 1000);
    rig_updates(r, 2, &s, 1);
    r->read_latency = 3;
    rig_update(r, &s, 1);
    assert_int_equal(r->out.read_count, 1); /* 500 does not fit, and 10 may not overtake it */
    assert_int_equal(rig_actual(r, none), TRN_STATE_LOADING);
    rig_updates(r, 3, &s, 1);
    assert_int_equal(rig_actual(r, large), TRN_STATE_LOADING);
    assert_int_equal(rig_actual(r, small), TRN_STATE_UNLOADED);
    rig_updates(r, 3, &s, 1);
    assert_int_equal(rig_actual(r, small), TRN_STATE_LOADING);
    rig_destroy(r);
}

static void region_without_an_answer_holds_up_nobody(void **state) {
    (void)state; /* cases 40, 83: no queue that all wait in */
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id ids[30];
    for (int i = 0; i < 30; i++) ids[i] = add_cell(r, 20.0 * i, 8);
    r->place_latency[ids[0].index1 - 1] = 100000;
    trn_source s = source_at(0, 1000);
    rig_updates(r, 40, &s, 1);
    for (int i = 1; i < 30; i++) assert_int_equal(rig_actual(r, ids[i]), TRN_STATE_ACTIVE);
    assert_int_equal(rig_actual(r, ids[0]), TRN_STATE_LOADING);
    rig_destroy(r);
}

static void full_inbox_makes_loads_wait(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    for (int i = 0; i < 20; i++) add_cell(r, 20.0 * i, 8);
    load_region_zero(r);
    for (uint32_t i = 0; i < RIG_READS - 2; i++) assert_int_not_equal(trni_inbox_open(r->inbox), 0);
    trn_source s = source_at(0, 1000);
    rig_update(r, &s, 1);
    assert_int_equal(r->out.read_count, 2);
    rig_updates(r, 60, &s, 1);
    trni_regions_stats stats;
    trni_regions_get_stats(r->regions, &stats);
    assert_int_equal(stats.by_state[TRN_STATE_ACTIVE], 20);
    rig_destroy(r);
}

static void what_a_full_output_stops_happens_later(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.loads_started = 500, .loads_finished = 500, .unloads = 500});
    r->event_capacity = TRNI_REGION_EVENTS_MIN;
    for (int i = 0; i < 300; i++) add_cell(r, 20.0 * i, i % 2 ? 8 : 0);
    trn_source s = source_at(0, INFINITY);
    rig_updates(r, 60, &s, 1);
    trni_regions_stats stats;
    trni_regions_get_stats(r->regions, &stats);
    assert_int_equal(stats.by_state[TRN_STATE_ACTIVE], 300);
    rig_updates(r, 60, NULL, 0);
    trni_regions_get_stats(r->regions, &stats);
    assert_int_equal(stats.by_state[TRN_STATE_UNLOADED], 301);
    rig_destroy(r);
}

/* ---- cases from public reports ---- */

static void jitter_at_the_border_loads_once(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.margin = 10});
    trn_region_id a = add_cell(r, 0, 8);
    load_region_zero(r);
    for (int i = 0; i < 600; i++) {
        trn_source s = source_at(-50 + (i % 2 ? 0.5 : -0.5), 50);
        rig_update(r, &s, 1);
    }
    assert_true(loads_of(r, a) == 1 && seen(r, a)->unload_notices == 0 && seen(r, a)->starts == 1);
    for (int i = 0; i < 600; i++) { /* and at the outer edge: 60 m */
        trn_source s = source_at(-60 + (i % 2 ? 0.5 : -0.5), 50);
        rig_update(r, &s, 1);
    }
    assert_true(loads_of(r, a) == 1 && seen(r, a)->unload_notices == 1);
    rig_destroy(r);
}

static void straight_run_loads_and_unloads_each_region_once(void **state) {
    (void)state; /* cases 4, 101: also far from the origin */
    for (int far = 0; far < 2; far++) {
        double origin = far ? 1e7 : 0;
        rig *r = rig_create((trni_regions_def){.margin = 10});
        r->read_spread = 3;
        for (int i = 0; i < 100; i++) add_cell(r, origin + 10.0 * i, 8);
        for (double x = -100; x < 1100; x += 1.25) {
            trn_source s = source_at(origin + x, 40);
            rig_update(r, &s, 1);
        }
        rig_updates(r, 20, NULL, 0);
        for (uint32_t i = 1; i <= 100; i++)
            assert_true(r->places[i].load_notices == 1 && r->places[i].unload_notices == 1);
        rig_destroy(r);
    }
}

static void two_sources_that_cross_keep_notices_in_pairs(void **state) {
    (void)state; /* cases 19, 88 */
    rig *r = rig_create((trni_regions_def){0});
    for (int i = 0; i < 50; i++) add_cell(r, 10.0 * i, 8);
    r->read_spread = 5;
    r->confirm_spread = 3;
    trn_source s[2];
    for (int i = 0; i < 1000; i++) {
        double phase = (double)(i % 100) * 5;
        s[0] = source_at(phase, 30);
        s[1] = source_at(500 - phase, 60);
        rig_update(r, s, 2);
    }
    rig_updates(r, 60, NULL, 0);
    for (uint32_t i = 0; i < 51; i++)
        assert_true(r->places[i].load_notices > 0 && r->places[i].load_notices == r->places[i].unload_notices);
    rig_destroy(r);
}

static void touching_counts_and_negative_coordinates_mirror(void **state) {
    (void)state; /* cases 98, 100 */
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id right = add_cell(r, 0, 0), left = add_cell(r, -10, 0);
    double at[] = {-20, -10, -1e-6, -0.0, 0, 1e-6, 10, 20, 20.001, -20.001};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        trn_source s = source_at(at[i], 10), mirrored = source_at(-at[i], 10);
        rig_update(r, &s, 1);
        trn_state l = rig_info(r, left).desired, g = rig_info(r, right).desired;
        rig_updates(r, 20, NULL, 0);
        rig_update(r, &mirrored, 1);
        assert_int_equal(rig_info(r, right).desired, l);
        assert_int_equal(rig_info(r, left).desired, g);
        rig_updates(r, 20, NULL, 0);
    }
    trn_source s = source_at(20, 10);
    rig_update(r, &s, 1);
    assert_int_equal(rig_info(r, right).desired, TRN_STATE_ACTIVE); /* touches its face exactly */
    assert_int_equal(rig_info(r, left).desired, TRN_STATE_UNLOADED);
    s = source_at(0, 0); /* case 106: radius 0 on the shared face wants both */
    rig_update(r, &s, 1);
    assert_int_equal(rig_info(r, right).desired, TRN_STATE_ACTIVE);
    assert_int_equal(rig_info(r, left).desired, TRN_STATE_ACTIVE);
    rig_destroy(r);
}

static void infinite_radius_and_infinite_boxes_are_legal(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){.loads_started = 200, .loads_finished = 200});
    for (int i = 0; i < 100; i++) add_cell(r, 1e5 * i, 0);
    trn_region_def whole = {.box = {{-(double)INFINITY, 0, 0}, {(double)INFINITY, 1, 1}}};
    trn_region_id band = add(r, &whole);
    whole.load_radius = INFINITY;
    trn_region_id everywhere = add(r, &whole);
    trn_source s = source_at(1e12, 10);
    rig_update(r, &s, 1);
    assert_int_equal(rig_info(r, band).desired, TRN_STATE_ACTIVE);
    s.position[1] = 1e6;
    rig_update(r, &s, 1);
    assert_int_equal(rig_info(r, band).desired, TRN_STATE_UNLOADED);
    assert_int_equal(rig_info(r, everywhere).desired, TRN_STATE_ACTIVE);
    s.radius = INFINITY;
    rig_updates(r, 10, &s, 1);
    trni_regions_stats stats;
    trni_regions_get_stats(r->regions, &stats);
    assert_int_equal(stats.by_state[TRN_STATE_ACTIVE], 102);
    rig_destroy(r);
}

static void bad_sources_are_refused(void **state) {
    (void)state;
    trn_source good = source_at(0, 10), s = good;
    assert_true(trni_sources_valid(&s, 1) && trni_sources_valid(NULL, 0));
    s.position[1] = NAN;
    assert_false(trni_sources_valid(&s, 1));
    s.position[1] = INFINITY;
    assert_false(trni_sources_valid(&s, 1));
    double radii[] = {-1, NAN, -(double)INFINITY};
    for (int i = 0; i < 3; i++) {
        s = good;
        s.radius = radii[i];
        assert_false(trni_sources_valid(&s, 1));
    }
    float weights[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        s = good;
        s.weight = weights[i];
        assert_false(trni_sources_valid(&s, 1));
    }
    s = good;
    s.target = TRN_STATE_LOADING;
    assert_false(trni_sources_valid(&s, 1));
    assert_false(trni_sources_valid(NULL, 1));
    assert_false(trni_sources_valid(&good, TRN_MAX_SOURCES + 1));
}

static void bad_definitions_change_nothing(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id id = {77, 77};
    trn_region_def def = cell(0, 0);
    def.box.min[0] = 11;
    assert_int_equal(trni_region_create(r->regions, &def, &id), TRN_ERROR_ARGUMENT);
    def.box.min[0] = NAN;
    assert_int_equal(trni_region_create(r->regions, &def, &id), TRN_ERROR_ARGUMENT);
    def = cell(0, 0);
    def.load_radius = -1;
    assert_int_equal(trni_region_create(r->regions, &def, &id), TRN_ERROR_ARGUMENT);
    def.load_radius = 10;
    def.unload_radius = 9; /* case 5 */
    assert_int_equal(trni_region_create(r->regions, &def, &id), TRN_ERROR_ARGUMENT);
    def.load_radius = 0;
    assert_int_equal(trni_region_create(r->regions, &def, &id), TRN_ERROR_ARGUMENT);
    def = cell(0, 1);
    def.payload.offset = UINT64_MAX;
    assert_int_equal(trni_region_create(r->regions, &def, &id), TRN_ERROR_ARGUMENT);
    def = cell(0, 0);
    def.authored = TRN_STATE_LOADING;
    assert_int_equal(trni_region_create(r->regions, &def, &id), TRN_ERROR_ARGUMENT);
    def = cell(0, 0);
    char name[65];
    memset(name, 'n', 64);
    name[64] = 0;
    def.name = name;
    assert_int_equal(trni_region_create(r->regions, &def, &id), TRN_ERROR_ARGUMENT);
    assert_true(id.index1 == 77 && trni_regions_list(r->regions, NULL, 0) == 1);
    name[63] = 0;
    id = add(r, &def);
    assert_string_equal(trni_region_name(r->regions, id), name);
    def.name = NULL;
    assert_string_equal(trni_region_name(r->regions, add(r, &def)), "region 2");
    assert_int_equal(trni_region_request(r->regions, id, TRN_STATE_UNLOADING), TRN_ERROR_ARGUMENT);
    assert_int_equal(trni_region_set_authored(r->regions, id, (trn_state)9), TRN_ERROR_ARGUMENT);
    trn_region_id null = {0, 0}, beyond = {99, 1};
    assert_int_equal(trni_region_request(r->regions, null, TRN_STATE_ACTIVE), TRN_ERROR_STALE_ID);
    assert_int_equal(trni_region_request(r->regions, beyond, TRN_STATE_ACTIVE), TRN_ERROR_STALE_ID);
    rig_destroy(r);
}

static void after_many_teleports_the_set_is_that_of_a_fresh_start(void **state) {
    (void)state; /* case 22 */
    enum { SIDE = 20 };
    rig *r = rig_create((trni_regions_def){.loads_started = 64, .loads_finished = 64, .unloads = 64});
    rig *fresh = rig_create(r->def);
    trn_region_id ids[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        trn_region_def def = {
            .box = {{50.0 * (i % SIDE), 0, 50.0 * (i / SIDE)}, {50.0 * (i % SIDE) + 50, 20, 50.0 * (i / SIDE) + 50}},
            .payload = {.bytes = i % 3 ? 64 : 0}};
        ids[i] = add(r, &def);
        add(fresh, &def);
    }
    r->read_spread = 89;
    r->confirm_spread = 5;
    trn_source s = source_at(0, 120);
    for (int i = 0; i < 200; i++) {
        s.position[0] = random_between(&r->random, 0, 50 * SIDE);
        s.position[2] = random_between(&r->random, 0, 50 * SIDE);
        rig_updates(r, random_below(&r->random, 20), &s, 1);
    }
    /* The dead band may keep more; far away and back again there is none left. */
    trn_source away = source_at(1e6, 120);
    rig_updates(r, 2, &away, 1);
    rig_updates(r, 500, &s, 1);
    rig_updates(fresh, 100, &s, 1);
    uint32_t active = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        assert_int_equal(rig_actual(r, ids[i]), rig_actual(fresh, ids[i]));
        active += rig_actual(r, ids[i]) == TRN_STATE_ACTIVE;
    }
    assert_in_range(active, 9, 60);
    rig_destroy(r);
    rig_destroy(fresh);
}

static void changed_radius_acts_without_movement_and_leaks_nothing(void **state) {
    (void)state; /* case 61 */
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id ids[40];
    for (int i = 0; i < 40; i++) ids[i] = add_cell(r, 10.0 * i, 0);
    trn_source s = source_at(0, 80);
    rig_updates(r, 20, &s, 1);
    s.radius = 200;
    rig_updates(r, 20, &s, 1);
    assert_int_equal(rig_actual(r, ids[20]), TRN_STATE_ACTIVE);
    s.radius = 50;
    rig_updates(r, 20, &s, 1);
    assert_int_equal(rig_actual(r, ids[7]), TRN_STATE_UNLOADED);
    rig_updates(r, 20, NULL, 0);
    trni_regions_stats stats;
    trni_regions_get_stats(r->regions, &stats);
    assert_int_equal(stats.by_state[TRN_STATE_UNLOADED], 41);
    rig_destroy(r);
}

static void queue_of_a_source_that_left_is_gone_at_once(void **state) {
    (void)state; /* case 31 */
    rig *r = rig_create((trni_regions_def){.loads_started = 2});
    for (int i = 0; i < 500; i++) add_cell(r, 10000 + 10.0 * i, 8);
    trn_region_id near = add_cell(r, 0, 8);
    trn_source far = source_at(10000, 5000), close = source_at(0, 50);
    rig_updates(r, 10, &far, 1);
    rig_update(r, &close, 1);
    assert_true(r->out.read_count == 1 && r->out.reads[0].region.index1 == near.index1);
    rig_destroy(r);
}

static void region_wanted_through_a_long_load_is_read_once(void **state) {
    (void)state; /* cases 17, 41, 58: also when the one who asked first leaves */
    rig *r = rig_create((trni_regions_def){0});
    trn_region_id a = add_cell(r, 0, 8);
    r->read_latency = 300;
    trn_source s[2] = {source_at(0, 20), source_at(10, 20)};
    rig_updates(r, 100, s, 2);
    rig_updates(r, 500, &s[1], 1);
    assert_true(seen(r, a)->reads == 1 && rig_actual(r, a) == TRN_STATE_ACTIVE);
    rig_destroy(r);
}

static void every_start_has_one_end(void **state) {
    (void)state; /* case 20: 10 loads, 3 cancelled, 2 failed */
    rig *r = rig_create((trni_regions_def){.loads_started = 20});
    trn_region_id ids[10];
    for (int i = 0; i < 10; i++) ids[i] = add_cell(r, 10.0 * i, 8);
    trn_source s = source_at(0, 1000);
    rig_updates(r, 2, &s, 1);
    r->hold_reads = true;
    rig_update(r, &s, 1);
    for (int i = 0; i < 3; i++) trni_region_request(r->regions, ids[i], TRN_STATE_UNLOADED);
    for (int i = 3; i < 10; i++) {
        rig_read *read = rig_reading(r, ids[i]);
        if (i < 5) read->result = TRN_ERROR_IO;
        assert_int_equal(rig_complete(r, read), TRN_OK);
        read->read.number = 0;
    }
    rig_updates(r, 10, &s, 1);
    uint32_t ends[4] = {0};
    for (int i = 0; i < 10; i++)
        for (int e = 0; e < 4; e++) ends[e] += seen(r, ids[i])->ends[e];
    assert_true(ends[TRN_LOAD_OK] == 5 && ends[TRN_LOAD_CANCELLED] == 3 && ends[TRN_LOAD_FAILED] == 2);
    rig_destroy(r);
}

static void own_radii_replace_those_of_the_sources(void **state) {
    (void)state;
    rig *r = rig_create((trni_regions_def){0});
    trn_region_def def = cell(0, 0);
    def.load_radius = 100;
    def.unload_radius = 200;
    trn_region_id a = add(r, &def);
    trn_source s = source_at(-101, 5000);
    rig_updates(r, 10, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED);
    s = source_at(-100, 1);
    rig_updates(r, 10, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    s = source_at(-200, 1);
    rig_updates(r, 10, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_ACTIVE);
    s = source_at(-200.001, 1);
    rig_updates(r, 10, &s, 1);
    assert_int_equal(rig_actual(r, a), TRN_STATE_UNLOADED);
    rig_destroy(r);
}

static void failed_region_has_no_enlarged_radius(void **state) {
    (void)state; /* case 79 */
    rig *r = rig_create((trni_regions_def){.margin = 10});
    trn_region_id a = add_cell(r, 0, 8);
    trn_source s = source_at(-5, 5);
    load_region_zero(r);
    r->fail_one_in = 1;
    rig_updates(r, 5, &s, 1);
    assert_true(rig_info(r, a).failed);
    s.position[0] = -8;
    rig_update(r, &s, 1);
    assert_int_equal(rig_info(r, a).desired, TRN_STATE_UNLOADED);
    rig_destroy(r);
}

static void long_random_life_leaves_only_what_is_authored(void **state) {
    (void)state; /* case 62 */
    rig *r = rig_create((trni_regions_def){0});
    for (int i = 0; i < 60; i++) add_cell(r, 10.0 * i, 8);
    trni_region_set_authored(r->regions, zero_of(r), TRN_STATE_RESIDENT);
    r->read_spread = 4;
    for (int i = 0; i < 3000; i++) {
        trn_source s[3];
        for (int k = 0; k < 3; k++)
            s[k] = source_at(random_between(&r->random, 0, 600), random_between(&r->random, 0, 90));
        trn_region_id ids[61];
        trni_regions_list(r->regions, ids, 61);
        trn_region_id id = ids[random_below(&r->random, 61)];
        if (i % 3)
            trni_region_clear_request(r->regions, id);
        else
            trni_region_request(r->regions, id, (trn_state)random_below(&r->random, 3));
        rig_update(r, s, random_below(&r->random, 4));
    }
    trni_regions_clear_requests(r->regions);
    rig_updates(r, 60, NULL, 0);
    trni_regions_stats stats;
    trni_regions_get_stats(r->regions, &stats);
    assert_true(stats.by_state[TRN_STATE_RESIDENT] == 1 && stats.by_state[TRN_STATE_UNLOADED] == 60);
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(region_zero_loads_first_and_unloads_last),
        cmocka_unit_test(resident_and_active_change_without_loading),
        cmocka_unit_test(region_rewanted_while_unloading_loads_anew_once),
        cmocka_unit_test(unwanted_before_the_host_got_it_is_cancelled),
        cmocka_unit_test(unwanted_after_the_host_got_it_ends_and_then_unloads),
        cmocka_unit_test(failure_is_reported_once_and_waits_for_retry),
        cmocka_unit_test(short_reads_and_the_hosts_own_failures_fail_the_load),
        cmocka_unit_test(failed_region_zero_blocks_every_load),
        cmocka_unit_test(new_payload_supersedes_only_what_the_host_has_not_got),
        cmocka_unit_test(superseded_in_the_dead_band_loads_again),
        cmocka_unit_test(deleted_region_unloads_first_and_its_id_is_stale),
        cmocka_unit_test(deleted_while_loading_is_cancelled),
        cmocka_unit_test(confirmations_are_checked),
        cmocka_unit_test(request_replaces_everything_until_cleared),
        cmocka_unit_test(unload_request_on_region_zero_empties_the_world),
        cmocka_unit_test(observers_count_and_load_nothing),
        cmocka_unit_test(loads_start_nearest_first_within_the_caps),
        cmocka_unit_test(finished_reads_are_handed_over_by_todays_distance),
        cmocka_unit_test(heavier_sources_come_first),
        cmocka_unit_test(bytes_in_flight_are_capped_and_a_large_one_passes_alone),
        cmocka_unit_test(region_without_an_answer_holds_up_nobody),
        cmocka_unit_test(full_inbox_makes_loads_wait),
        cmocka_unit_test(what_a_full_output_stops_happens_later),
        cmocka_unit_test(jitter_at_the_border_loads_once),
        cmocka_unit_test(straight_run_loads_and_unloads_each_region_once),
        cmocka_unit_test(two_sources_that_cross_keep_notices_in_pairs),
        cmocka_unit_test(touching_counts_and_negative_coordinates_mirror),
        cmocka_unit_test(infinite_radius_and_infinite_boxes_are_legal),
        cmocka_unit_test(bad_sources_are_refused),
        cmocka_unit_test(bad_definitions_change_nothing),
        cmocka_unit_test(after_many_teleports_the_set_is_that_of_a_fresh_start),
        cmocka_unit_test(changed_radius_acts_without_movement_and_leaks_nothing),
        cmocka_unit_test(queue_of_a_source_that_left_is_gone_at_once),
        cmocka_unit_test(region_wanted_through_a_long_load_is_read_once),
        cmocka_unit_test(every_start_has_one_end),
        cmocka_unit_test(own_radii_replace_those_of_the_sources),
        cmocka_unit_test(failed_region_has_no_enlarged_radius),
        cmocka_unit_test(long_random_life_leaves_only_what_is_authored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
