/* SPDX-License-Identifier: MIT */
/* The inbox across threads: every completion is taken once or released once, whatever the order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "stream/inbox_internal.h"

static _Atomic uint32_t released;
static void count_release(void *user, const void *data, size_t bytes) {
    (void)user, (void)data, (void)bytes;
    atomic_fetch_add(&released, 1);
}

static trn_completion completion_of(uint64_t number) {
    trn_completion completion = {.number = number, .result = TRN_OK, .data = "x", .bytes = 1, .release = count_release};
    return completion;
}

static void late_and_double_completions_are_released(void **state) {
    (void)state;
    trn_inbox *inbox;
    trn_inbox_def def = {.capacity = 2};
    assert_int_equal(trn_inbox_create(&def, &inbox), TRN_OK);
    atomic_store(&released, 0);
    uint64_t a = trni_inbox_open(inbox), b = trni_inbox_open(inbox);
    assert_true(a != 0 && b > a);
    assert_true(trni_inbox_open(inbox) == 0); /* full */
    trn_completion completion = completion_of(a), taken;
    assert_false(trni_inbox_take(inbox, a, &taken));
    assert_int_equal(trn_inbox_complete(inbox, &completion), TRN_OK);
    assert_int_equal(trn_inbox_complete(inbox, &completion), TRN_ERROR_STALE_ID); /* twice */
    assert_int_equal(atomic_load(&released), 1);
    assert_true(trni_inbox_take(inbox, a, &taken));
    trni_completion_release(&taken);
    trni_inbox_abandon(inbox, b);
    completion = completion_of(b);
    assert_int_equal(trn_inbox_complete(inbox, &completion), TRN_ERROR_STALE_ID); /* nobody waits */
    assert_int_equal(atomic_load(&released), 3);
    uint64_t c = trni_inbox_open(inbox);
    completion = completion_of(c);
    assert_int_equal(trn_inbox_complete(inbox, &completion), TRN_OK);
    completion = completion_of(0); /* numbers that were never given out */
    assert_int_equal(trn_inbox_complete(inbox, &completion), TRN_ERROR_STALE_ID);
    completion = completion_of(UINT64_MAX);
    assert_int_equal(trn_inbox_complete(inbox, &completion), TRN_ERROR_STALE_ID);
    trn_inbox_destroy(inbox); /* what still lies in it */
    assert_int_equal(atomic_load(&released), 6);
}

#define WORKERS 3
#define ROUNDS 20000
#define OPEN 16

typedef struct shared_work {
    trn_inbox *inbox;
    _Atomic uint64_t numbers[OPEN]; /* 0: nothing to complete */
    _Atomic bool stop;
} shared_work;

static void *complete_all(void *user) {
    shared_work *work = user;
    while (!atomic_load(&work->stop))
        for (int i = 0; i < OPEN; i++) {
            uint64_t number = atomic_load(&work->numbers[i]); /* several workers may complete the same one */
            if (number == 0) continue;
            trn_completion completion = completion_of(number);
            trn_inbox_complete(work->inbox, &completion);
        }
    return NULL;
}

static void workers_and_world_agree(void **state) {
    (void)state;
    static shared_work work;
    pthread_t workers[WORKERS];
    trn_inbox_def def = {.capacity = OPEN};
    assert_int_equal(trn_inbox_create(&def, &work.inbox), TRN_OK);
    for (int i = 0; i < WORKERS; i++) assert_int_equal(pthread_create(&workers[i], NULL, complete_all, &work), 0);
    uint32_t taken_count = 0, given_up = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int place = round % OPEN;
        uint64_t before = atomic_load(&work.numbers[place]);
        trn_completion taken;
        if (before != 0) {
            if (round % 3 == 0) {
                trni_inbox_abandon(work.inbox, before);
                given_up++;
            } else {
                while (!trni_inbox_take(work.inbox, before, &taken)) {}
                assert_true(taken.number == before);
                trni_completion_release(&taken);
                taken_count++;
            }
        }
        uint64_t number = trni_inbox_open(work.inbox);
        while (number == 0) number = trni_inbox_open(work.inbox); /* a place that a worker still cleans up */
        assert_true(number > before);
        atomic_store(&work.numbers[place], number);
    }
    atomic_store(&work.stop, true);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    assert_true(taken_count > 1000 && given_up > 1000);
    trn_inbox_destroy(work.inbox);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(late_and_double_completions_are_released),
                                       cmocka_unit_test(workers_and_world_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
