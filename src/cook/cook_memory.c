/* SPDX-License-Identifier: MIT */
/* Memory, counting and sorting for the cook. Sorting is stable and by number only, so that results never depend on a
 * library's qsort. */
#include "cook_internal.h"

#include <string.h>

bool trni_array_reserve(const trn_allocator *allocator, trni_array *array, size_t count, size_t size) {
    if (count <= array->capacity && array->data) return true;
    size_t larger = array->capacity + array->capacity / 2;
    if (larger < count) larger = count;
    void *moved = trni_alloc(allocator, larger, size);
    if (!moved) return false;
    if (array->data) memcpy(moved, array->data, array->capacity * size);
    trni_free(allocator, array->data, array->capacity, size);
    array->data = moved;
    array->capacity = larger;
    array->size = size;
    return true;
}

void trni_array_free(const trn_allocator *allocator, trni_array *array) {
    trni_free(allocator, array->data, array->capacity, array->size);
    memset(array, 0, sizeof *array);
}

static void *counter_alloc(void *user, size_t size, size_t align) {
    trni_counter *counter = user;
    void *memory = counter->inner.alloc(counter->inner.user, size, align);
    if (memory) counter->live += size;
    if (counter->live > counter->peak) counter->peak = counter->live;
    return memory;
}

static void counter_free(void *user, void *memory, size_t size, size_t align) {
    trni_counter *counter = user;
    counter->live -= size;
    counter->inner.free(counter->inner.user, memory, size, align);
}

trn_allocator trni_counter_hook(trni_counter *counter) {
    trn_allocator hook = {counter, counter_alloc, counter_free};
    return hook;
}

static void insertion_sort(uint64_t *keys, uint32_t *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        uint32_t value = values[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
            values[j] = values[j - 1];
        }
        keys[j] = key;
        values[j] = value;
    }
}

void trni_sort_u64(uint64_t *keys, uint32_t *values, uint64_t *scratch_keys, uint32_t *scratch_values, size_t count) {
    if (count < 48) {
        insertion_sort(keys, values, count);
        return;
    }
    uint64_t *from_keys = keys, *to_keys = scratch_keys;
    uint32_t *from_values = values, *to_values = scratch_values;
    uint64_t all_or = 0, all_and = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        all_or |= keys[i];
        all_and &= keys[i];
    }
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((all_or ^ all_and) >> shift & 255u) == 0) continue; /* all the same in this byte */
        size_t start[256] = {0};
        for (size_t i = 0; i < count; i++) start[from_keys[i] >> shift & 255u]++;
        size_t sum = 0;
        for (unsigned digit = 0; digit < 256; digit++) {
            size_t here = start[digit];
            start[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++) {
            size_t at = start[from_keys[i] >> shift & 255u]++;
            to_keys[at] = from_keys[i];
            to_values[at] = from_values[i];
        }
        uint64_t *swap_keys = from_keys;
        from_keys = to_keys;
        to_keys = swap_keys;
        uint32_t *swap_values = from_values;
        from_values = to_values;
        to_values = swap_values;
    }
    if (from_keys != keys) {
        memcpy(keys, from_keys, count * sizeof *keys);
        memcpy(values, from_values, count * sizeof *values);
    }
}

size_t trni_table_size(size_t count) {
    size_t size = 16;
    while (size / 2 < count) size *= 2;
    return size;
}
