/* SPDX-License-Identifier: MIT */
/* The inbox: a fixed table of places, one for each open request.
 *
 * A request's number is sequence x capacity + place, so it finds its place without a search and is never used twice. Each
 * place has one atomic word, number x 8 + state, and every change of owner is a compare-and-swap on it:
 *
 *     free -> open            the world asks
 *     open -> filling -> done somebody completes; only the winner of the first step writes the completion
 *     done -> free            the world takes it
 *     open -> free            the world gives up; a later completion finds another word and is refused
 *     filling -> given up     the world gives up while somebody writes; the writer then cleans up
 */
#include "inbox_internal.h"

#include <stdatomic.h>

#include "base/base_internal.h"

enum { FREE = 0, OPEN = 1, FILLING = 2, DONE = 3, GIVEN_UP = 4 };

typedef struct inbox_place {
    _Atomic uint64_t word;
    _Atomic uint32_t next_free; /* place + 1, 0: end of the list */
    trn_completion completion;
} inbox_place;

struct trn_inbox {
    trn_allocator allocator;
    uint32_t capacity;
    inbox_place *places;
    _Atomic uint64_t sequence;
    _Atomic uint64_t free_head; /* change count in the upper half, place + 1 in the lower: a reused head differs */
};

#define NUMBER_MAX (UINT64_MAX / 16) /* larger ones are never given out, and would not fit in a word */

static uint64_t word_of(uint64_t number, uint64_t state) { return number * 8 + state; }

static void push_free(trn_inbox *inbox, uint32_t place) {
    uint64_t head = atomic_load(&inbox->free_head), wanted;
    do {
        atomic_store(&inbox->places[place].next_free, (uint32_t)head);
        wanted = ((head >> 32) + 1) << 32 | (place + 1);
    } while (!atomic_compare_exchange_weak(&inbox->free_head, &head, wanted));
}

static bool pop_free(trn_inbox *inbox, uint32_t *place) {
    uint64_t head = atomic_load(&inbox->free_head), wanted;
    do {
        if ((uint32_t)head == 0) return false;
        *place = (uint32_t)head - 1;
        wanted = ((head >> 32) + 1) << 32 | atomic_load(&inbox->places[*place].next_free);
    } while (!atomic_compare_exchange_weak(&inbox->free_head, &head, wanted));
    return true;
}

trn_result trn_inbox_create_sized(const trn_inbox_def *given, size_t def_size, trn_inbox **inbox) {
    trn_inbox_def def;
    trn_allocator allocator;
    if (!inbox || !trni_def_read(&def, sizeof def, given, def_size)) return TRN_ERROR_ARGUMENT;
    if (!trni_allocator_make(&allocator, &def.allocator) || def.capacity > 1u << 24) return TRN_ERROR_ARGUMENT;
    trn_inbox *made = TRNI_NEW(&allocator, trn_inbox);
    if (!made) return TRN_ERROR_OUT_OF_MEMORY;
    made->allocator = allocator;
    made->capacity = def.capacity ? def.capacity : 1024;
    made->places = TRNI_NEW_ARRAY(&allocator, inbox_place, made->capacity);
    if (!made->places) {
        trni_free(&allocator, made, 1, sizeof *made);
        return TRN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = made->capacity; i-- > 0;) push_free(made, i);
    *inbox = made;
    return TRN_OK;
}

void trni_completion_release(const trn_completion *completion) {
    if (completion->release) completion->release(completion->release_user, completion->data, completion->bytes);
}

void trn_inbox_destroy(trn_inbox *inbox) {
    if (!inbox) return;
    for (uint32_t i = 0; i < inbox->capacity; i++)
        if (atomic_load(&inbox->places[i].word) % 8 == DONE) trni_completion_release(&inbox->places[i].completion);
    trn_allocator allocator = inbox->allocator;
    trni_free(&allocator, inbox->places, inbox->capacity, sizeof *inbox->places);
    trni_free(&allocator, inbox, 1, sizeof *inbox);
}

trn_result trn_inbox_complete(trn_inbox *inbox, const trn_completion *completion) {
    if (!inbox || !completion) return TRN_ERROR_ARGUMENT;
    uint64_t number = completion->number;
    inbox_place *place = &inbox->places[number % inbox->capacity];
    uint64_t expected = word_of(number, OPEN);
    if (number > NUMBER_MAX || !atomic_compare_exchange_strong(&place->word, &expected, word_of(number, FILLING))) {
        trni_completion_release(completion);
        return TRN_ERROR_STALE_ID;
    }
    place->completion = *completion;
    expected = word_of(number, FILLING);
    if (atomic_compare_exchange_strong(&place->word, &expected, word_of(number, DONE))) return TRN_OK;
    atomic_store(&place->word, word_of(0, FREE)); /* given up meanwhile */
    push_free(inbox, (uint32_t)(number % inbox->capacity));
    trni_completion_release(completion);
    return TRN_ERROR_STALE_ID;
}

uint64_t trni_inbox_open(trn_inbox *inbox) {
    uint32_t place;
    if (!pop_free(inbox, &place)) return 0;
    uint64_t number = (atomic_fetch_add(&inbox->sequence, 1) + 1) * inbox->capacity + place;
    atomic_store(&inbox->places[place].word, word_of(number, OPEN));
    return number;
}

bool trni_inbox_take(trn_inbox *inbox, uint64_t number, trn_completion *completion) {
    inbox_place *place = &inbox->places[number % inbox->capacity];
    if (atomic_load(&place->word) != word_of(number, DONE)) return false;
    *completion = place->completion;
    atomic_store(&place->word, word_of(0, FREE));
    push_free(inbox, (uint32_t)(number % inbox->capacity));
    return true;
}

void trni_inbox_abandon(trn_inbox *inbox, uint64_t number) {
    inbox_place *place = &inbox->places[number % inbox->capacity];
    uint64_t word = atomic_load(&place->word);
    for (;;) {
        if (word == word_of(number, OPEN)) {
            if (!atomic_compare_exchange_weak(&place->word, &word, word_of(0, FREE))) continue;
            push_free(inbox, (uint32_t)(number % inbox->capacity));
        } else if (word == word_of(number, FILLING)) {
            if (!atomic_compare_exchange_weak(&place->word, &word, word_of(number, GIVEN_UP))) continue;
        } else if (word == word_of(number, DONE)) {
            trn_completion completion;
            if (trni_inbox_take(inbox, number, &completion)) trni_completion_release(&completion);
        }
        return;
    }
}
