/* SPDX-License-Identifier: MIT */
/* An output array that can grow while the host still reads it: new memory is made ready in the call that adds things, and
 * taken into use when the update that refills the array begins. What it replaces is freed by the next call that adds, so
 * that an update never calls the allocator. */
#ifndef TRNI_OUTPUT_ARRAY_H
#define TRNI_OUTPUT_ARRAY_H

#include "base/base_internal.h"

typedef struct trni_output_array {
    void *data;
    uint32_t capacity;
    void *next; /* larger memory that waits; NULL: none */
    uint32_t next_capacity;
    void *outgrown; /* replaced by an update; freed later */
    uint32_t outgrown_capacity;
    uint32_t element_bytes;
} trni_output_array;

/* Sees to it that the array will have room for `wanted` from its next refill on. False: no memory, nothing changed. */
static inline bool trni_output_grow(const trn_allocator *allocator, trni_output_array *array, uint32_t wanted,
                                    size_t bytes) {
    trni_free(allocator, array->outgrown, array->outgrown_capacity, bytes);
    array->outgrown = NULL;
    uint32_t has = array->next ? array->next_capacity : array->capacity;
    if (wanted <= has) return true;
    uint32_t capacity = has > UINT32_MAX / 2 || has * 2 < wanted ? wanted : has * 2;
    void *memory = trni_alloc_zero(allocator, capacity, bytes);
    if (!memory) return false;
    trni_free(allocator, array->next, array->next_capacity, bytes);
    array->next = memory;
    array->next_capacity = capacity;
    array->element_bytes = (uint32_t)bytes;
    return true;
}

/* The array is about to be refilled: takes waiting memory into use. True when it did (the content is then zero). While
 * outgrown memory still waits to be freed, nobody has added anything, so there is no next either. */
static inline bool trni_output_adopt(trni_output_array *array) {
    if (!array->next) return false;
    array->outgrown = array->data;
    array->outgrown_capacity = array->capacity;
    array->data = array->next;
    array->capacity = array->next_capacity;
    array->next = NULL;
    array->next_capacity = 0;
    return true;
}

static inline void trni_output_free(const trn_allocator *allocator, trni_output_array *array) {
    trni_free(allocator, array->data, array->capacity, array->element_bytes);
    trni_free(allocator, array->next, array->next_capacity, array->element_bytes);
    trni_free(allocator, array->outgrown, array->outgrown_capacity, array->element_bytes);
    *array = (trni_output_array){0};
}

#endif
