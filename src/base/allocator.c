/* SPDX-License-Identifier: MIT */
/* The allocator hook and its default: the C library's heap with an alignment of its own. */
#include "base_internal.h"

#include <stdlib.h>
#include <string.h>

/* C17's aligned_alloc is missing on Windows, so the block's start is kept in front of the aligned part. */
static void *heap_alloc(void *user, size_t size, size_t align) {
    (void)user;
    if (size > SIZE_MAX - align - sizeof(void *)) return NULL;
    char *block = malloc(size + align + sizeof(void *));
    if (!block) return NULL;
    uintptr_t start = (uintptr_t)(block + sizeof(void *));
    char *memory = block + sizeof(void *) + ((align - start % align) % align);
    memcpy(memory - sizeof(void *), &block, sizeof block);
    return memory;
}

static void heap_free(void *user, void *memory, size_t size, size_t align) {
    (void)user, (void)size, (void)align;
    void *block;
    memcpy(&block, (char *)memory - sizeof(void *), sizeof block);
    free(block);
}

bool trni_allocator_make(trn_allocator *to, const trn_allocator *hook) {
    trn_allocator heap = {NULL, heap_alloc, heap_free};
    bool has_alloc = hook && hook->alloc, has_free = hook && hook->free;
    if (has_alloc != has_free) return false;
    *to = has_alloc ? *hook : heap;
    return true;
}

static bool byte_size(size_t count, size_t size, size_t *bytes) {
    if (size != 0 && count > (SIZE_MAX / 2) / size) return false;
    *bytes = count * size;
    if (*bytes == 0) *bytes = 1;
    return true;
}

void *trni_alloc(const trn_allocator *allocator, size_t count, size_t size) {
    size_t bytes;
    return byte_size(count, size, &bytes) ? allocator->alloc(allocator->user, bytes, TRNI_ALIGN) : NULL;
}

void *trni_alloc_zero(const trn_allocator *allocator, size_t count, size_t size) {
    void *memory = trni_alloc(allocator, count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void trni_free(const trn_allocator *allocator, void *memory, size_t count, size_t size) {
    size_t bytes;
    if (memory && byte_size(count, size, &bytes)) allocator->free(allocator->user, memory, bytes, TRNI_ALIGN);
}

bool trni_grow(const trn_allocator *allocator, void **memory, uint32_t *capacity, uint32_t wanted, size_t size) {
    if (wanted <= *capacity) return true;
    uint32_t larger = *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
    if (larger < wanted) larger = wanted;
    if (larger < 8) larger = 8;
    void *moved = trni_alloc_zero(allocator, larger, size);
    if (!moved) return false;
    if (*memory) memcpy(moved, *memory, *capacity * size);
    trni_free(allocator, *memory, *capacity, size);
    *memory = moved;
    *capacity = larger;
    return true;
}
