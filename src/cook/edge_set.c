/* SPDX-License-Identifier: MIT */
#include "edge_set.h"

#include <string.h>

bool trni_edge_set_clear(trni_edge_set *set, const trn_allocator *allocator, size_t count) {
    uint32_t bits = 6;
    while (((uint64_t)3 << bits) / 4 < count) bits++; /* at most three quarters full */
    if (bits > set->capacity_bits || !set->words) {
        trni_edge_set_free(set, allocator);
        set->words = trni_alloc(allocator, (size_t)1 << bits, sizeof *set->words);
        if (!set->words) return false;
        set->capacity_bits = bits;
    }
    set->bits = bits;
    memset(set->words, 0, sizeof *set->words << bits);
    return true;
}

void trni_edge_set_free(trni_edge_set *set, const trn_allocator *allocator) {
    if (set->words) trni_free(allocator, set->words, (size_t)1 << set->capacity_bits, sizeof *set->words);
    *set = (trni_edge_set){0};
}
