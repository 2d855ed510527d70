/* SPDX-License-Identifier: MIT */
#include "ranges.h"

#include <string.h>

static uint32_t highest_bit(uint32_t value) {
    uint32_t bit = 0;
    while (value >>= 1) bit++;
    return bit;
}

static uint32_t lowest_bit(uint32_t value) {
    uint32_t bit = 0;
    while (!(value & 1)) value >>= 1, bit++;
    return bit;
}

/* The list of a length: power of two, and which sixteenth of it. Lengths below 16 have lists of their own in row 0..3. */
static void list_of(uint32_t units, uint32_t *row, uint32_t *column) {
    uint32_t power = highest_bit(units);
    *row = power;
    *column = power >= 4 ? (units >> (power - 4)) & 15 : (units - (1u << power)) << (4 - power) & 15;
}

static void link_free(trni_ranges *ranges, uint32_t index) {
    trni_range_record *record = &ranges->records[index];
    uint32_t row, column;
    list_of(record->units, &row, &column);
    record->free = true;
    record->previous_free = TRNI_RANGE_NONE;
    record->next_free = ranges->first[row][column];
    if (record->next_free != TRNI_RANGE_NONE) ranges->records[record->next_free].previous_free = index;
    ranges->first[row][column] = index;
    ranges->level1 |= 1u << row;
    ranges->level2[row] |= 1u << column;
    ranges->free_units += record->units;
}

static void unlink_free(trni_ranges *ranges, uint32_t index) {
    trni_range_record *record = &ranges->records[index];
    uint32_t row, column;
    list_of(record->units, &row, &column);
    if (record->next_free != TRNI_RANGE_NONE) ranges->records[record->next_free].previous_free = record->previous_free;
    if (record->previous_free != TRNI_RANGE_NONE)
        ranges->records[record->previous_free].next_free = record->next_free;
    else
        ranges->first[row][column] = record->next_free;
    if (ranges->first[row][column] == TRNI_RANGE_NONE) {
        ranges->level2[row] &= ~(1u << column);
        if (ranges->level2[row] == 0) ranges->level1 &= ~(1u << row);
    }
    record->free = false;
    ranges->free_units -= record->units;
}

static uint32_t take_record(trni_ranges *ranges) {
    uint32_t index = ranges->unused;
    if (index != TRNI_RANGE_NONE) ranges->unused = ranges->records[index].next_free;
    return index;
}

static void give_record(trni_ranges *ranges, uint32_t index) {
    ranges->records[index].units = 0;
    ranges->records[index].next_free = ranges->unused;
    ranges->unused = index;
}

/* n lent ranges leave at most n + 1 free ones between them. */
static uint32_t records_for(uint32_t lent_max) { return lent_max > UINT32_MAX / 2 - 1 ? UINT32_MAX : lent_max * 2 + 1; }

bool trni_ranges_init(trni_ranges *ranges, const trn_allocator *allocator, uint32_t units, uint32_t lent_max) {
    memset(ranges, 0, sizeof *ranges);
    memset(ranges->first, 0xff, sizeof ranges->first);
    ranges->units = units;
    ranges->unused = TRNI_RANGE_NONE;
    if (!trni_ranges_reserve(ranges, allocator, lent_max)) return false;
    if (units == 0) return true;
    uint32_t whole = ranges->head = take_record(ranges); /* splitting and joining keep the record of the lower part */
    ranges->records[whole] =
        (trni_range_record){.offset = 0, .units = units, .before = TRNI_RANGE_NONE, .after = TRNI_RANGE_NONE};
    link_free(ranges, whole);
    return true;
}

bool trni_ranges_reserve(trni_ranges *ranges, const trn_allocator *allocator, uint32_t lent_max) {
    uint32_t old = ranges->record_capacity;
    void *records = ranges->records;
    if (!trni_grow(allocator, &records, &ranges->record_capacity, records_for(lent_max), sizeof *ranges->records))
        return false;
    ranges->records = records;
    for (uint32_t i = ranges->record_capacity; i-- > old;) give_record(ranges, i);
    return true;
}

void trni_ranges_free(trni_ranges *ranges, const trn_allocator *allocator) {
    trni_free(allocator, ranges->records, ranges->record_capacity, sizeof *ranges->records);
    memset(ranges, 0, sizeof *ranges);
}

#define LOOKS 32 /* at most that many ranges of the request's own list, so that the time stays bounded */

/* The first free range in the lists whose every member is long enough; else one of the request's own list that is. */
static uint32_t find_free(const trni_ranges *ranges, uint32_t units) {
    uint32_t row, column, rounded = units;
    uint32_t power = highest_bit(units);
    if (power >= 4) {
        uint32_t step = (1u << (power - 4)) - 1;
        rounded = units > UINT32_MAX - step ? UINT32_MAX : units + step;
    }
    list_of(rounded, &row, &column);
    uint32_t columns = ranges->level2[row] & (0xffffffffu << column);
    if (columns == 0) {
        uint32_t rows = row == 31 ? 0 : ranges->level1 & (0xffffffffu << (row + 1));
        if (rows != 0) {
            row = lowest_bit(rows);
            columns = ranges->level2[row];
        }
    }
    if (columns != 0) return ranges->first[row][lowest_bit(columns)];
    list_of(units, &row, &column);
    uint32_t own = ranges->first[row][column];
    for (int look = 0; own != TRNI_RANGE_NONE && look < LOOKS; look++, own = ranges->records[own].next_free)
        if (ranges->records[own].units >= units) return own;
    return TRNI_RANGE_NONE;
}

uint32_t trni_ranges_lend(trni_ranges *ranges, uint32_t units, uint32_t owner) {
    if (units == 0 || units > ranges->free_units) return TRNI_RANGE_NONE;
    uint32_t index = find_free(ranges, units);
    if (index == TRNI_RANGE_NONE) return TRNI_RANGE_NONE;
    if (ranges->records[index].units > units) {
        uint32_t rest = take_record(ranges);
        if (rest == TRNI_RANGE_NONE) return TRNI_RANGE_NONE;
        unlink_free(ranges, index);
        trni_range_record *record = &ranges->records[index];
        ranges->records[rest] = (trni_range_record){
            .offset = record->offset + units, .units = record->units - units, .before = index, .after = record->after};
        if (record->after != TRNI_RANGE_NONE) ranges->records[record->after].before = rest;
        record->after = rest;
        record->units = units;
        link_free(ranges, rest);
    } else {
        unlink_free(ranges, index);
    }
    ranges->records[index].owner = owner;
    return index;
}

/* Joins `second`, free and right behind `first`, to it. */
static void join(trni_ranges *ranges, uint32_t first, uint32_t second) {
    trni_range_record *a = &ranges->records[first], *b = &ranges->records[second];
    a->units += b->units;
    a->after = b->after;
    if (a->after != TRNI_RANGE_NONE) ranges->records[a->after].before = first;
    give_record(ranges, second);
}

void trni_ranges_return(trni_ranges *ranges, uint32_t range) {
    uint32_t before = ranges->records[range].before, after = ranges->records[range].after;
    if (after != TRNI_RANGE_NONE && ranges->records[after].free) {
        unlink_free(ranges, after);
        join(ranges, range, after);
    }
    if (before != TRNI_RANGE_NONE && ranges->records[before].free) {
        unlink_free(ranges, before);
        join(ranges, before, range);
        range = before;
    }
    link_free(ranges, range);
}

bool trni_ranges_valid(const trni_ranges *ranges) {
    uint64_t free_units = 0, covered = 0;
    uint32_t first = TRNI_RANGE_NONE;
    for (uint32_t i = 0; i < ranges->record_capacity; i++)
        if (ranges->records[i].units > 0 && ranges->records[i].before == TRNI_RANGE_NONE) {
            if (first != TRNI_RANGE_NONE) return false;
            first = i;
        }
    bool last_free = false;
    for (uint32_t i = first, before = TRNI_RANGE_NONE; i != TRNI_RANGE_NONE; before = i, i = ranges->records[i].after) {
        const trni_range_record *record = &ranges->records[i];
        if (record->before != before || record->offset != covered || record->units == 0) return false;
        if (record->free && last_free) return false; /* neighbours are always joined */
        if (record->free) {
            uint32_t row, column;
            list_of(record->units, &row, &column);
            free_units += record->units;
            if (!(ranges->level2[row] >> column & 1) || !(ranges->level1 >> row & 1)) return false;
        }
        last_free = record->free;
        covered += record->units;
    }
    return covered == ranges->units && free_units == ranges->free_units;
}
