/* SPDX-License-Identifier: MIT */
/* Sorting keys in place: heap sort, O(n log n) at worst, no recursion, no memory, the same on every machine. */
#ifndef TRNI_SORT_H
#define TRNI_SORT_H

#include <stdint.h>

static inline void trni_sort_sift(uint64_t *keys, uint32_t root, uint32_t count) {
    uint64_t key = keys[root];
    for (;;) {
        uint32_t child = root * 2 + 1;
        if (child >= count) break;
        if (child + 1 < count && keys[child + 1] > keys[child]) child++;
        if (keys[child] <= key) break;
        keys[root] = keys[child];
        root = child;
    }
    keys[root] = key;
}

/* Ascending. */
static inline void trni_sort_u64(uint64_t *keys, uint32_t count) {
    for (uint32_t i = count / 2; i-- > 0;) trni_sort_sift(keys, i, count);
    for (uint32_t end = count; end-- > 1;) {
        uint64_t largest = keys[0];
        keys[0] = keys[end];
        keys[end] = largest;
        trni_sort_sift(keys, 0, end);
    }
}

#endif
