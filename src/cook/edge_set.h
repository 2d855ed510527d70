/* SPDX-License-Identifier: MIT */
/* A set of undirected edges between position ids, with two bits for each. Open addressing; one word an edge. */
#ifndef TRNI_EDGE_SET_H
#define TRNI_EDGE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base_internal.h"

/* An edge's word: the smaller id + 1 in bits 32-62, the larger + 1 in bits 0-30, and these two. So ids are below
 * TRNI_EDGE_MAX_ID, and a word of zero is a free place. */
#define TRNI_EDGE_ODD (1ull << 63)
#define TRNI_EDGE_MARK (1ull << 31)
#define TRNI_EDGE_MAX_ID 0x7ffffffeu

typedef struct trni_edge_set {
    uint64_t *words;
    uint32_t bits;          /* places in use: 1 << bits */
    uint32_t capacity_bits; /* places in memory; 0: none */
} trni_edge_set;

static inline size_t trni_edge_set_places(const trni_edge_set *set) { return set->words ? (size_t)1 << set->bits : 0; }
static inline uint64_t trni_edge_word(uint32_t a, uint32_t b) {
    return a < b ? (a + 1ull) << 32 | (b + 1ull) : (b + 1ull) << 32 | (a + 1ull);
}
static inline uint32_t trni_edge_low(uint64_t word) { return (uint32_t)(word >> 32 & 0x7fffffffu) - 1; }
static inline uint32_t trni_edge_high(uint64_t word) { return (uint32_t)(word & 0x7fffffffu) - 1; }

/* Empties the set and makes room for `count` edges; adding more is an error. Memory only grows. False: no memory. */
bool trni_edge_set_clear(trni_edge_set *set, const trn_allocator *allocator, size_t count);
void trni_edge_set_free(trni_edge_set *set, const trn_allocator *allocator);

/* The place of an edge's word (its bits do not matter), which is free (zero) when the set does not have the edge. */
static inline uint64_t *trni_edge_set_find(const trni_edge_set *set, uint64_t word) {
    size_t mask = ((size_t)1 << set->bits) - 1;
    uint64_t key = word & ~(TRNI_EDGE_ODD | TRNI_EDGE_MARK);
    size_t place = (size_t)((key * 0x9e3779b97f4a7c15u) >> (64 - set->bits));
    while (set->words[place] != 0 && (set->words[place] & ~(TRNI_EDGE_ODD | TRNI_EDGE_MARK)) != key)
        place = (place + 1) & mask;
    return &set->words[place];
}

/* Turns bits of an edge over; a new one starts with none. */
static inline void trni_edge_set_toggle(const trni_edge_set *set, uint32_t a, uint32_t b, uint64_t bits) {
    if (a == b) return; /* of a triangle without area, whose other two sides are the same edge */
    uint64_t key = trni_edge_word(a, b), *word = trni_edge_set_find(set, key);
    if (*word == 0) *word = key;
    *word ^= bits;
}

/* Takes in an edge with its bits; one that is there loses its own. */
static inline void trni_edge_set_put(const trni_edge_set *set, uint64_t word) { *trni_edge_set_find(set, word) = word; }

#endif
