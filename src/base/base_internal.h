/* SPDX-License-Identifier: MIT */
/* What the modules of the libraries share: memory, errors, log, definitions that grow. */
#ifndef TRNI_BASE_INTERNAL_H
#define TRNI_BASE_INTERNAL_H

#include <terrane/base.h>

/* All memory of the libraries is lent with this alignment. */
#define TRNI_ALIGN 64u

/* ---- memory (allocator.c) ---- */

/* The allocator for a hook that may be NULL or zeroed (the C library's heap). False when only one function is set. */
bool trni_allocator_make(trn_allocator *to, const trn_allocator *hook);

/* count x size bytes, not initialised. NULL: no memory, or the product overflows. No elements: one byte is lent. */
void *trni_alloc(const trn_allocator *allocator, size_t count, size_t size);
/* The same, all zero. */
void *trni_alloc_zero(const trn_allocator *allocator, size_t count, size_t size);
/* Gives memory back; count and size as they were asked for; NULL is allowed. */
void trni_free(const trn_allocator *allocator, void *memory, size_t count, size_t size);
/* Makes room for `wanted` elements, at least doubling; the old ones move, new ones are zero. False: no memory, nothing
 * changed. */
bool trni_grow(const trn_allocator *allocator, void **memory, uint32_t *capacity, uint32_t wanted, size_t size);

#define TRNI_NEW(allocator, type) ((type *)trni_alloc_zero((allocator), 1, sizeof(type)))
#define TRNI_NEW_ARRAY(allocator, type, count) ((type *)trni_alloc_zero((allocator), (count), sizeof(type)))

/* ---- errors, log, assert (result.c) ---- */

#if defined(__GNUC__)
#define TRNI_FORMAT(a, b) __attribute__((format(printf, a, b)))
#else
#define TRNI_FORMAT(a, b)
#endif

/* Fills `error` (which may be NULL) with one line and returns `code`. */
trn_result trni_fail(trn_error *error, trn_result code, uint32_t item, uint64_t place, const char *format, ...)
    TRNI_FORMAT(5, 6);
void trni_log(const trn_log *log, trn_log_item item, const char *format, ...) TRNI_FORMAT(3, 4);

/* Tells the hook of a broken rule and goes on; the value is the condition. */
#define TRNI_ASSERT(hook, condition) ((condition) || (trni_assert_fail((hook), #condition, __FILE__, __LINE__), false))
void trni_assert_fail(const trn_assert *hook, const char *condition, const char *file, int line);

/* Copies a definition of an older or newer host over the zeroed one of this library. False: a newer host set a member
 * that this library does not have. */
bool trni_def_read(void *to, size_t to_size, const void *from, size_t from_size);

/* ---- checked arithmetic ---- */

static inline bool trni_add_u64(uint64_t a, uint64_t b, uint64_t *sum) {
    *sum = a + b;
    return *sum >= a;
}
static inline bool trni_mul_u64(uint64_t a, uint64_t b, uint64_t *product) {
    *product = a * b;
    return a == 0 || *product / a == b;
}

#endif
