/* SPDX-License-Identifier: MIT */
/* Ranges of an arena, lent and given back in O(1): two-level segregated fit over units (Masmano and others, "TLSF: a new
 * dynamic memory allocator for real-time systems", 2004), with its records apart from the memory it manages.
 *
 * A range is exactly as long as asked for. A request is served when some free range is at least one sixteenth longer than
 * it, or is one of the first 32 in the list of its own length. */
#ifndef TRNI_RANGES_H
#define TRNI_RANGES_H

#include "base/base_internal.h"

#define TRNI_RANGE_NONE UINT32_MAX

typedef struct trni_range_record {
    uint32_t offset, units;
    uint32_t before, after;            /* neighbours by address */
    uint32_t previous_free, next_free; /* in its list while free; next_free chains unused records */
    uint32_t owner;                    /* of a lent range: the borrower's number */
    bool free;
} trni_range_record;

typedef struct trni_ranges {
    uint32_t units; /* of the arena */
    uint32_t head;  /* record of the range at offset 0, for ever */
    uint32_t free_units;
    uint32_t record_capacity;
    uint32_t unused; /* first unused record */
    trni_range_record *records;
    uint32_t level1;     /* bit: some list of that power of two is not empty */
    uint32_t level2[32]; /* bit: that list is not empty */
    uint32_t first[32][16];
} trni_ranges;

/* One free range of `units`; room for `ranges` lent at a time. False: no memory. */
bool trni_ranges_init(trni_ranges *ranges, const trn_allocator *allocator, uint32_t units, uint32_t lent_max);
/* Makes room for more lent ranges. False: no memory, nothing changed. */
bool trni_ranges_reserve(trni_ranges *ranges, const trn_allocator *allocator, uint32_t lent_max);
void trni_ranges_free(trni_ranges *ranges, const trn_allocator *allocator);
/* Lends units > 0; `owner` is kept with the range. TRNI_RANGE_NONE: no free range is long enough (or no record is left). */
uint32_t trni_ranges_lend(trni_ranges *ranges, uint32_t units, uint32_t owner);
void trni_ranges_return(trni_ranges *ranges, uint32_t range);
static inline uint32_t trni_range_offset(const trni_ranges *ranges, uint32_t range) {
    return ranges->records[range].offset;
}
/* Checks every rule of the structure; for tests. */
bool trni_ranges_valid(const trni_ranges *ranges);

#endif
