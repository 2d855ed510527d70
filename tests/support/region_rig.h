/* SPDX-License-Identifier: MIT */
/* Regions with everything around them that a test needs: an inbox, output arrays, a loader and a host that answer when the
 * test says, and a referee that checks the rules of SPEC R3 and R8 in every update, whatever the test is about. */
#ifndef TEST_REGION_RIG_H
#define TEST_REGION_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/base_internal.h"
#include "fault_allocator.h"
#include "random.h"
#include "region/region_internal.h"

#define RIG_FOREVER UINT64_MAX

/* One read on its way through the loader. `number` 0: a free entry. */
typedef struct rig_read {
    trn_read read;
    uint64_t due;      /* update before which it completes; RIG_FOREVER: the test does it */
    trn_result result; /* TRN_OK: whole */
    bool is_short;
    bool twice;
    bool cancelled;
} rig_read;

/* Bytes that the loader handed in. The first 8 are the payload's offset. */
typedef struct rig_bytes {
    uint64_t *memory;
    bool released;
} rig_bytes;

/* What the referee knows of a place. */
typedef struct rig_place {
    trn_state actual;
    bool load_open; /* started, no end yet */
    bool host_has;  /* entities: between a load notice and the end of its unload */
    bool awaits;    /* the host's answer */
    uint32_t ticket;
    uint64_t answer_at; /* update before which the host confirms */
    uint32_t bytes1;    /* of the load notice: place in rig.bytes + 1 */
    uint64_t bytes_go;  /* the update that releases them; 0: not known yet */
    uint64_t moved;     /* update of the last transition */
    uint32_t starts, ends[4], load_notices, unload_notices, reads;
    /* What came in since the last update, for a test that predicts. */
    bool has_arrived, has_answered;
    trn_result arrived, answered;
} rig_place;

enum { RIG_PLACES = 4096, RIG_READS = 4096, RIG_BYTES = 1 << 16, RIG_EVENTS = 2 * RIG_PLACES };

typedef struct rig {
    fault_allocator memory;
    trn_inbox *inbox;
    trni_regions *regions;
    trni_regions_def def;
    trni_region_outputs out;
    trn_event events[RIG_EVENTS];
    trn_read reads[RIG_PLACES];
    uint64_t cancels[RIG_PLACES];
    uint32_t event_capacity; /* 0: all */

    rig_read loader[RIG_READS];
    uint64_t random;
    uint32_t read_latency;                /* updates until a read completes, at least 1 */
    uint32_t confirm_latency;             /* updates until the host confirms; 0: right after the update */
    uint32_t read_spread, confirm_spread; /* up to that many more, at random */
    uint32_t fail_one_in;                 /* reads and loads, 0: never */
    uint32_t twice_one_in;
    bool hold_reads, hold_confirms;     /* the test answers */
    uint32_t place_latency[RIG_PLACES]; /* 0: as above */

    rig_bytes bytes[RIG_BYTES];
    uint32_t byte_count;
    uint32_t bytes_live;

    rig_place places[RIG_PLACES];
    uint64_t update;
    uint32_t logged_failures;
    uint32_t deleted;
} rig;

static void rig_release(void *user, const void *data, size_t size) {
    (void)size;
    rig *r = user;
    for (uint32_t i = r->byte_count; i-- > 0;) {
        if (r->bytes[i].memory != data || r->bytes[i].released) continue;
        r->bytes[i].released = true;
        r->bytes_live--;
        free(r->bytes[i].memory);
        return;
    }
    fail_msg("bytes released twice");
}

/* Place + 1 in rig.bytes; 0: no such bytes, or they are gone. */
static inline uint32_t rig_find_bytes(const rig *r, const void *data) {
    for (uint32_t i = r->byte_count; i-- > 0;)
        if (r->bytes[i].memory == data && !r->bytes[i].released) return i + 1;
    return 0;
}

static void rig_log(void *user, const trn_log_message *message) {
    rig *r = user;
    if (message->item == TRN_LOG_REGION_FAILED) r->logged_failures++;
}

static void rig_assert(void *user, const char *condition, const char *file, int line) {
    (void)user;
    fail_msg("%s:%d: %s", file, line, condition);
}

/* def: zero members mean the defaults of trn_world_def. */
static inline rig *rig_create(trni_regions_def def) {
    rig *r = calloc(1, sizeof *r);
    if (!r) abort();
    trn_inbox_def inbox_def = {.capacity = RIG_READS};
    assert_int_equal(trn_inbox_create(&inbox_def, &r->inbox), TRN_OK);
    def.allocator = fault_hook(&r->memory);
    def.log = (trn_log){r, rig_log};
    def.assert_hook = (trn_assert){r, rig_assert};
    def.inbox = r->inbox;
    if (def.hysteresis == 0) def.hysteresis = 1.2;
    if (def.loads_started == 0) def.loads_started = 8;
    if (def.loads_finished == 0) def.loads_finished = 8;
    if (def.unloads == 0) def.unloads = 16;
    if (def.read_bytes == 0) def.read_bytes = 64u << 20;
    r->def = def;
    r->read_latency = 1;
    assert_int_equal(trni_regions_create(&def, &r->regions), TRN_OK);
    return r;
}

static inline uint64_t rig_chance(rig *r, uint32_t one_in) {
    return one_in != 0 && random_below(&r->random, one_in) == 0;
}

/* Completes a read, the way its entry says. @return what the inbox said */
static inline trn_result rig_complete(rig *r, rig_read *entry) {
    trn_completion completion = {.number = entry->read.number, .result = entry->result};
    if (entry->result == TRN_OK) {
        uint64_t *memory = calloc(1, entry->read.bytes + sizeof *memory);
        if (!memory) abort();
        *memory = entry->read.offset;
        assert_true(r->byte_count < RIG_BYTES);
        r->bytes[r->byte_count++] = (rig_bytes){memory, false};
        r->bytes_live++;
        completion.data = memory;
        completion.bytes = entry->is_short ? entry->read.bytes - 1 : entry->read.bytes;
        completion.release = rig_release;
        completion.release_user = r;
    }
    trn_result answer = trn_inbox_complete(r->inbox, &completion);
    if (answer == TRN_OK) {
        rig_place *place = &r->places[entry->read.region.index1 - 1];
        place->has_arrived = true;
        place->arrived = entry->result == TRN_OK && entry->is_short ? TRN_ERROR_IO : entry->result;
    }
    return answer;
}

static inline rig_read *rig_reading(rig *r, trn_region_id region) {
    rig_read *last = NULL; /* the newest one: a cancelled read may still be on its way */
    for (uint32_t i = 0; i < RIG_READS; i++) {
        rig_read *entry = &r->loader[i];
        if (entry->read.number == 0 || entry->read.region.index1 != region.index1) continue;
        if (!last || entry->read.number > last->read.number) last = entry;
    }
    return last;
}

static inline trn_state rig_actual(rig *r, trn_region_id region) {
    return trni_region_actual(r->regions, region.index1 - 1);
}
static inline trn_region_info rig_info(rig *r, trn_region_id region) {
    trn_region_info info = {0};
    assert_int_equal(trni_region_get_info(r->regions, region, &info), TRN_OK);
    return info;
}

static inline trn_result rig_confirm(rig *r, trn_region_id region, trn_result result) {
    rig_place *place = &r->places[region.index1 - 1];
    trn_result answer = trni_region_confirm(r->regions, region, place->ticket, result);
    if (answer == TRN_OK) {
        place->awaits = false;
        place->has_answered = true;
        place->answered = result;
    }
    return answer;
}

/* What happens between two updates: reads complete, the host confirms. */
static inline void rig_between(rig *r) {
    for (uint32_t i = 0; i < RIG_READS; i++) {
        rig_read *entry = &r->loader[i];
        if (entry->read.number == 0 || entry->due == RIG_FOREVER || entry->due > r->update + 1) continue;
        trn_result result = rig_complete(r, entry);
        assert_int_equal(result, entry->cancelled ? TRN_ERROR_STALE_ID : TRN_OK);
        if (entry->twice) assert_int_equal(rig_complete(r, entry), TRN_ERROR_STALE_ID);
        entry->read.number = 0;
    }
    trn_region_id ids[RIG_PLACES];
    uint32_t count = trni_regions_list(r->regions, ids, RIG_PLACES);
    for (uint32_t i = 0; i < count; i++) {
        rig_place *place = &r->places[ids[i].index1 - 1];
        if (!place->awaits || place->answer_at > r->update + 1 || r->def.auto_confirm) continue;
        bool fails = rig_actual(r, ids[i]) == TRN_STATE_LOADING && rig_chance(r, r->fail_one_in);
        assert_int_equal(rig_confirm(r, ids[i], fails ? TRN_ERROR_UNSUPPORTED : TRN_OK), TRN_OK);
    }
}

static inline bool rig_is_loaded(trn_state state) { return state == TRN_STATE_RESIDENT || state == TRN_STATE_ACTIVE; }

static inline void rig_see_state(rig *r, const trn_event *event) {
    rig_place *place = &r->places[event->region.index1 - 1];
    trn_state from = event->from, to = event->to;
    assert_int_equal(from, place->actual);
    assert_true(place->moved != r->update); /* one transition an update */
    place->moved = r->update;
    place->actual = to;
    bool legal = (from == TRN_STATE_UNLOADED && to == TRN_STATE_LOADING) ||
                 (from == TRN_STATE_LOADING && (rig_is_loaded(to) || to == TRN_STATE_UNLOADED)) ||
                 (rig_is_loaded(from) && (rig_is_loaded(to) || to == TRN_STATE_UNLOADING)) ||
                 (from == TRN_STATE_UNLOADING && to == TRN_STATE_UNLOADED);
    assert_true(legal && from != to);
    if (to == TRN_STATE_LOADING) {
        assert_false(place->load_open);
        place->load_open = true;
        place->starts++;
        assert_true(event->region.index1 == 1 || rig_is_loaded(r->places[0].actual));
    }
    if (from == TRN_STATE_LOADING) assert_false(place->load_open); /* its end came first */
    if (rig_is_loaded(to)) assert_true(place->host_has);
    if (to == TRN_STATE_UNLOADED) place->host_has = place->awaits = false;
    if (to == TRN_STATE_UNLOADING && event->region.index1 == 1)
        for (uint32_t i = 1; i < RIG_PLACES; i++) assert_int_equal(r->places[i].actual, TRN_STATE_UNLOADED);
}

static inline void rig_see_event(rig *r, const trn_event *event) {
    assert_in_range(event->region.index1, 1, RIG_PLACES);
    rig_place *place = &r->places[event->region.index1 - 1];
    switch (event->type) {
    case TRN_EVENT_REGION_LOAD:
        assert_true(place->actual == TRN_STATE_LOADING && !place->host_has && !place->awaits && place->load_open);
        place->bytes1 = event->data ? rig_find_bytes(r, event->data) : 0;
        place->bytes_go = 0;
        assert_true((event->bytes != 0) == (place->bytes1 != 0) && (event->bytes != 0) == (event->data != NULL));
        place->host_has = true;
        place->load_notices++;
        break;
    case TRN_EVENT_REGION_UNLOAD:
        assert_true(place->host_has && rig_is_loaded(place->actual) && !place->awaits);
        place->unload_notices++;
        break;
    case TRN_EVENT_REGION_STATE: rig_see_state(r, event); return;
    case TRN_EVENT_LOAD_END:
        assert_true(place->load_open);
        place->load_open = false;
        place->ends[event->end]++;
        assert_true((event->end == TRN_LOAD_FAILED) == (event->result != TRN_OK));
        if (event->end != TRN_LOAD_OK && event->end != TRN_LOAD_FAILED) assert_false(place->host_has);
        if (place->host_has) place->bytes_go = r->update + 1;
        place->awaits = false;
        return;
    default:
        assert_int_equal(event->type, TRN_EVENT_REGION_DELETED);
        assert_int_equal(place->actual, TRN_STATE_UNLOADED);
        assert_false(trni_region_is_valid(r->regions, event->region));
        *place = (rig_place){0};
        r->deleted++;
        return;
    }
    assert_int_not_equal(event->ticket, 0);
    place->ticket = event->ticket;
    place->awaits = true;
    uint32_t latency = r->confirm_latency + (r->confirm_spread ? random_below(&r->random, r->confirm_spread + 1) : 0);
    place->answer_at = r->hold_confirms ? RIG_FOREVER : r->update + 1 + latency;
}

static inline void rig_see_read(rig *r, const trn_read *read) {
    assert_int_equal(read->kind, TRN_READ_REGION);
    rig_place *place = &r->places[read->region.index1 - 1];
    assert_int_equal(place->actual, TRN_STATE_LOADING);
    place->reads++;
    uint32_t i = 0;
    while (i < RIG_READS && r->loader[i].read.number != 0) i++;
    assert_true(i < RIG_READS);
    uint32_t latency = r->place_latency[read->region.index1 - 1];
    if (latency == 0) latency = r->read_latency + (r->read_spread ? random_below(&r->random, r->read_spread + 1) : 0);
    rig_read *entry = &r->loader[i];
    *entry = (rig_read){.read = *read, .due = r->hold_reads ? RIG_FOREVER : r->update + latency};
    if (rig_chance(r, r->fail_one_in))
        entry->result = TRN_ERROR_IO;
    else
        entry->is_short = rig_chance(r, r->fail_one_in) != 0;
    entry->twice = rig_chance(r, r->twice_one_in) != 0;
}

/* What must hold after every update. */
static inline void rig_see(rig *r) {
    trni_regions_stats stats;
    trni_regions_get_stats(r->regions, &stats);
    uint32_t starts = 0, notices = 0, unloads = 0, by_state[5] = {0};
    for (uint32_t i = 0; i < r->out.event_count; i++) {
        const trn_event *event = &r->out.events[i];
        rig_see_event(r, event);
        starts += event->type == TRN_EVENT_REGION_STATE && event->to == TRN_STATE_LOADING;
        notices += event->type == TRN_EVENT_REGION_LOAD;
        unloads += event->type == TRN_EVENT_REGION_UNLOAD;
    }
    for (uint32_t i = 0; i < r->out.read_count; i++) rig_see_read(r, &r->out.reads[i]);
    for (uint32_t i = 0; i < r->out.cancel_count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < RIG_READS; k++)
            if (r->loader[k].read.number == r->out.cancels[i]) r->loader[k].cancelled = found = true;
        assert_true(found); /* a cancelled read was asked for and had not been completed */
    }
    assert_true(starts <= r->def.loads_started && notices <= r->def.loads_finished && unloads <= r->def.unloads);
    assert_true(stats.loads_started == starts && stats.loads_finished == notices && stats.unloads_started == unloads);
    trn_region_id ids[RIG_PLACES];
    uint32_t count = trni_regions_list(r->regions, ids, RIG_PLACES), failed = 0, requests = 0;
    for (uint32_t i = 0; i < count; i++) {
        trn_region_info info = rig_info(r, ids[i]);
        assert_int_equal(info.actual, r->places[ids[i].index1 - 1].actual);
        by_state[info.actual]++;
        failed += info.failed;
        requests += info.request != TRN_STATE_NONE;
    }
    assert_true(stats.count == count && stats.failed == failed && stats.requests_set == requests);
    for (int i = 0; i < 5; i++) assert_int_equal(stats.by_state[i], by_state[i]);
}

/* The bytes of a load notice stay until it is confirmed and for one more update; not longer. */
static inline void rig_see_bytes(rig *r, bool after) {
    for (uint32_t i = 0; i < RIG_PLACES; i++) {
        rig_place *place = &r->places[i];
        if (place->bytes1 == 0) continue;
        bool gone = after && place->bytes_go == r->update;
        assert_int_equal(r->bytes[place->bytes1 - 1].released, gone);
        if (gone) place->bytes1 = 0;
    }
}

/* One update: what happened in between, then the three phases. */
static inline void rig_update(rig *r, const trn_source *sources, uint32_t count) {
    rig_between(r);
    r->update++;
    r->out = (trni_region_outputs){.events = r->events,
                                   .event_capacity = r->event_capacity ? r->event_capacity : RIG_EVENTS,
                                   .reads = r->reads,
                                   .read_capacity = RIG_PLACES,
                                   .cancels = r->cancels,
                                   .cancel_capacity = RIG_PLACES};
    assert_true(trni_sources_valid(sources, count));
    rig_see_bytes(r, false);
    trni_regions_take(r->regions);
    rig_see_bytes(r, true);
    assert_true(trni_regions_upkeep(r->regions));
    trni_regions_step(r->regions, sources, count, &r->out);
    rig_see(r);
}

static inline void rig_updates(rig *r, uint32_t updates, const trn_source *sources, uint32_t count) {
    for (uint32_t i = 0; i < updates; i++) rig_update(r, sources, count);
}

static inline uint32_t rig_events_of(const rig *r, trn_event_type type) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->out.event_count; i++) count += r->out.events[i].type == type;
    return count;
}

/* Destroys everything; what is still being read completes afterwards. */
static inline void rig_destroy(rig *r) {
    trni_regions_destroy(r->regions);
    assert_int_equal(r->memory.live_count, 0);
    assert_int_equal(r->memory.wrong_frees, 0);
    for (uint32_t i = 0; i < RIG_READS; i++)
        if (r->loader[i].read.number != 0) assert_int_equal(rig_complete(r, &r->loader[i]), TRN_ERROR_STALE_ID);
    assert_int_equal(r->bytes_live, 0);
    trn_inbox_destroy(r->inbox);
    free(r);
}

#endif
