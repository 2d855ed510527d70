/* SPDX-License-Identifier: MIT */
/* Making room for a page when memory is full (SPEC T1, T7).
 *
 * A page needs one range in each arena, so it is of no use to drop pages here and there until enough units are free. In
 * each arena this looks at all runs of neighbouring ranges that are free, going already, or held by pages that may yield;
 * of the runs that are long enough it takes the one whose most important page is the least important. When an arena has
 * no such run, nothing is dropped at all. */
#include <string.h>

#include "stream_internal.h"

uint64_t trni_page_rank(const trni_stream *stream, uint32_t index) {
    const trni_stream_page *page = &stream->pages[index];
    const trni_stream_resource *resource = &stream->resources[page->resource];
    bool demanded = page->wanted == stream->update || page->kept == stream->update;
    float priority = demanded ? page->priority : resource->demanded == stream->update ? resource->priority : 0.0f;
    uint32_t bits; /* those of a float >= 0 are in the order of its value, so ranks compare exactly */
    memcpy(&bits, &priority, sizeof bits);
    return (uint64_t)!page->root << 63 | (uint64_t)(0xffffffffu - bits) << 31 | index;
}

static float priority_of_rank(uint64_t rank) {
    uint32_t bits = 0xffffffffu - (uint32_t)(rank >> 31);
    float priority;
    memcpy(&priority, &bits, sizeof priority);
    return priority;
}

/* The page that wants room. */
typedef struct newcomer {
    uint32_t index, resource;
    bool root;
    float priority;
} newcomer;

/* What depends on a victim goes with it, so all of that must be old enough too. */
static bool dependents_old_enough(const trni_stream *stream, uint32_t index) {
    const trni_stream_page *page = &stream->pages[index];
    if (page->dependents == 0) return true;
    const trni_stream_resource *resource = &stream->resources[page->resource];
    for (uint32_t p = index + 1; p < resource->first_page + resource->page_count; p++)
        if (stream->pages[p].state == TRNI_PAGE_READY && !trni_page_old_enough(stream, &stream->pages[p])) return false;
    return true;
}

static bool may_yield(const trni_stream *stream, uint32_t index, const newcomer *to) {
    const trni_stream_page *page = &stream->pages[index];
    if (page->state != TRNI_PAGE_READY || page->resource == to->resource || !trni_page_old_enough(stream, page))
        return false;
    float priority = priority_of_rank(trni_page_rank(stream, index));
    bool outranked = to->priority > priority * (1.0f + stream->def.swap_margin);
    bool allowed =
        page->root ? to->root && outranked
                   : to->root || outranked || (stream->bias == stream->def.bias_max && !trni_page_wanted(stream, page));
    return allowed && dependents_old_enough(stream, index);
}

/* Importance of what a range holds: larger is less important. What is only kept comes last of all. */
static uint64_t unimportance(const trni_stream *stream, uint32_t index) {
    uint64_t only_kept = !trni_page_wanted(stream, &stream->pages[index]);
    return only_kept << 63 | trni_page_rank(stream, index) >> 1;
}

/* A run of neighbouring ranges; `worst` is the unimportance of its most important page, all ones without any. */
typedef struct range_run {
    bool found;
    uint32_t first, last; /* records */
    uint64_t worst;
    uint64_t victim_units;
    bool retiring; /* part of it waits for the GPU */
} range_run;

static bool range_is_open(const trni_stream *stream, const trni_range_record *record, const newcomer *to) {
    if (record->free || stream->pages[record->owner].state == TRNI_PAGE_RETIRING) return true;
    return !stream->def.evict_idle_only && may_yield(stream, record->owner, to);
}

static range_run measure_run(const trni_stream *stream, const trni_ranges *ranges, uint32_t first, uint32_t last) {
    range_run run = {.found = true, .first = first, .last = last, .worst = UINT64_MAX};
    for (uint32_t r = first;; r = ranges->records[r].after) {
        const trni_range_record *record = &ranges->records[r];
        bool retiring = !record->free && stream->pages[record->owner].state == TRNI_PAGE_RETIRING;
        run.retiring = run.retiring || retiring;
        if (!record->free && !retiring) {
            uint64_t value = unimportance(stream, record->owner);
            if (value < run.worst) run.worst = value;
            run.victim_units += record->units;
        }
        if (r == last) return run;
    }
}

/* A window over the ranges in the order of addresses: it grows at its end, and at its start gives up what it can spare. */
static range_run find_run(const trni_stream *stream, trn_arena arena, uint32_t units, const newcomer *to) {
    const trni_ranges *ranges = &stream->ranges[arena];
    range_run best = {0};
    uint32_t first = TRNI_RANGE_NONE;
    uint64_t sum = 0;
    for (uint32_t r = ranges->head; r != TRNI_RANGE_NONE; r = ranges->records[r].after) {
        if (!range_is_open(stream, &ranges->records[r], to)) {
            first = TRNI_RANGE_NONE;
            continue;
        }
        if (first == TRNI_RANGE_NONE) first = r, sum = 0;
        sum += ranges->records[r].units;
        while (sum - ranges->records[first].units >= units) {
            sum -= ranges->records[first].units;
            first = ranges->records[first].after;
        }
        if (sum < units) continue;
        range_run run = measure_run(stream, ranges, first, r);
        bool better = run.worst > best.worst || (run.worst == best.worst && run.victim_units < best.victim_units);
        if (!best.found || better) best = run;
        if (best.worst == UINT64_MAX) return best; /* nobody has to go */
    }
    return best;
}

static void choose_victims(trni_stream *stream, trn_arena arena, const range_run *run) {
    const trni_ranges *ranges = &stream->ranges[arena];
    for (uint32_t r = run->first; run->found; r = ranges->records[r].after) {
        const trni_range_record *record = &ranges->records[r];
        if (!record->free) stream->pages[record->owner].yields = stream->pages[record->owner].state == TRNI_PAGE_READY;
        if (r == run->last) return;
    }
}

/* Each drop changes the list, so it is searched anew; victims are few. */
static void drop_victims(trni_stream *stream, trni_stream_outputs *outputs) {
    for (uint32_t i = 0; i < stream->ready.count;) {
        uint32_t index = stream->ready.pages[i++];
        if (!stream->pages[index].yields) continue;
        trni_stream_drop_dependents(stream, index, outputs);
        trni_stream_drop(stream, index, stream->submit - 1, outputs);
        stream->pages[index].yields = false;
        stream->evictions++;
        i = 0;
    }
}

bool trni_stream_make_room(trni_stream *stream, uint32_t index, trni_stream_outputs *outputs) {
    const trni_stream_page *page = &stream->pages[index];
    newcomer to = {index, page->resource, page->root, priority_of_rank(trni_page_rank(stream, index))};
    range_run runs[TRN_ARENA_COUNT] = {{0}};
    bool changes = false;
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++) {
        if (page->units[arena] == 0) continue;
        runs[arena] = find_run(stream, (trn_arena)arena, page->units[arena], &to);
        if (!runs[arena].found) return false;
        changes = changes || runs[arena].retiring || runs[arena].victim_units > 0;
    }
    if (!changes) return false; /* nothing would be different in the next update */
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++) choose_victims(stream, (trn_arena)arena, &runs[arena]);
    drop_victims(stream, outputs);
    return true;
}
