/* SPDX-License-Identifier: MIT */
/* An allocator that counts, finds leaks and wrong sizes, and refuses the Nth request: once, or from then on.
 *
 * A fault test runs its scenario with fail_at = 0, 1, 2 ... until a run passes without a refusal:
 *
 *     for (uint64_t n = 0;; n++) {
 *         fault_allocator fault = {.fail_at = n, .armed = true};
 *         ... scenario(&allocator) must give TRN_OK or TRN_ERROR_OUT_OF_MEMORY and leak nothing ...
 *         assert_int_equal(fault.live_count, 0);
 *         if (!fault.refused) break;
 *     }
 */
#ifndef TEST_FAULT_ALLOCATOR_H
#define TEST_FAULT_ALLOCATOR_H

#include <stdlib.h>
#include <string.h>
#include <terrane/base.h>

typedef struct fault_allocator {
    bool armed;        /* refuse the request number fail_at */
    bool keep_failing; /* and all after it */
    uint64_t fail_at;
    uint64_t calls; /* requests so far */
    uint64_t frees;
    uint64_t refused;
    uint64_t live_count; /* blocks lent and not returned */
    uint64_t live_bytes;
    uint64_t peak_bytes;
    uint64_t wrong_frees; /* returned with another size or alignment than asked for */
} fault_allocator;

typedef struct fault_block {
    void *start;
    size_t size;
    size_t align;
} fault_block;

static inline void *fault_alloc(void *user, size_t size, size_t align) {
    fault_allocator *fault = (fault_allocator *)user;
    uint64_t number = fault->calls++;
    if (fault->armed && (number == fault->fail_at || (fault->keep_failing && number > fault->fail_at))) {
        fault->refused++;
        return NULL;
    }
    char *start = (char *)malloc(size + align + sizeof(fault_block));
    if (!start) abort();
    uintptr_t at = (uintptr_t)(start + sizeof(fault_block));
    char *memory = start + sizeof(fault_block) + (align - at % align) % align;
    fault_block block = {start, size, align};
    memcpy(memory - sizeof block, &block, sizeof block);
    memset(memory, 0xcd, size); /* uninitialised reads show */
    fault->live_count++;
    fault->live_bytes += size;
    if (fault->live_bytes > fault->peak_bytes) fault->peak_bytes = fault->live_bytes;
    return memory;
}

static inline void fault_free(void *user, void *memory, size_t size, size_t align) {
    fault_allocator *fault = (fault_allocator *)user;
    fault_block block;
    memcpy(&block, (char *)memory - sizeof block, sizeof block);
    if (block.size != size || block.align != align) fault->wrong_frees++;
    fault->frees++;
    fault->live_count--;
    fault->live_bytes -= block.size;
    free(block.start);
}

static inline trn_allocator fault_hook(fault_allocator *fault) {
    trn_allocator hook;
    hook.user = fault;
    hook.alloc = fault_alloc;
    hook.free = fault_free;
    return hook;
}

#endif
